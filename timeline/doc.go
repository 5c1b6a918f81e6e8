// Package timeline records a world while the game runs, and answers for any
// recorded moment.
//
//	rec := timeline.NewRecorder(nil)
//	rec.Bind(world, app)                              // frame goroutine
//	err := rec.Start(timeline.Options{}, frame)      // frame goroutine
//	for running {
//		update()
//		rec.EndTick(frame)                        // frame goroutine: copies the world
//	}
//
//	line := rec.Line()                                // any goroutine
//	ref, err := line.Find(-60)                        // 60 ticks back
//	then := line.World(ref)                           // an ecs.World, to be read
//	for c := line.Walk(ref, last); c.Next(); {        // sample by sample
//		fmt.Println(c.Ref().Tick, plan.Count(c.World()))
//	}
//
// # Who does what
//
// The frame copies the world into memory that it used before
// (ecs.Restorer.Capture) and hands the copy to another goroutine, which compares
// it with the sample before, writes down what differs and forgets what exceeds
// the memory. The frame never waits: if that goroutine is behind, a sample is
// left out, and if that goes on samples are taken less often. Bind, Start, Stop,
// EndTick, Touched, Rewound and Returned are the frame goroutine's; everything
// else may be called from any. [Recorder.Flush] waits for the packer.
//
// # What a sample is
//
// The whole world: entity table, archetypes in order, values, relations,
// resources; what the host saves beside it (host.Snapshots.States) and its
// inputs (host.Inputs). There is one for the end of each tick, or of every
// [Options.Every], and one after everything else that changed the world, of the
// same tick, with [Ref.Cause]. "At tick T" is the last of T.
//
// Samples lie on branches: a world that went back and runs on from there begins
// one, and what it left behind stays until it is pushed out. A [Line] is the
// samples that led to one point, oldest first.
//
// # How it is stored
//
// A segment is a keyframe and up to 600 samples that follow it, each as what
// changed. Columns without pointers are compared in blocks of 64 words and
// of changed words is written how far a guess was off (lane.go), in as many bytes
// as that needs (delta.go). Columns with pointers are compared value by value; what
// is equal is shared. Keyframes share the columns that did not change since the
// last. A reader copies the keyframe of the columns that it wants, and of no
// others, and follows the changes from there; a [Cursor] that goes on to the next
// sample only follows what changed in it.
package timeline
