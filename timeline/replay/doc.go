// Package replay runs ticks of a game aside: from the present or from a recorded
// moment, exactly so many, with somebody looking between the systems, and then
// puts the present back.
//
//	a, err := replay.Begin(world, app)    // frame goroutine; the present is kept
//	if err != nil {
//		return err                    // says what the host would have to provide
//	}
//	for range 10 {
//		if err = a.Tick(nil, hook); err != nil {
//			break                 // the game's own end, or a *replay.Panic
//		}
//	}
//	err = errors.Join(err, a.End())       // the present is back, and was compared
//
// What it stands on: the world can be captured and restored in place
// (ecs.Restorer), the host's clock runs ticks on demand (host.Replayer), what a
// tick depends on beside the world is in App.Snapshots.States, and what comes
// from outside goes through App.Inputs.
//
// [Aside.End] restores the image that was taken, the states, which systems are
// switched on, and the schedule's hook; then it captures the world again and
// compares. A tick that panics ends the replay: a query that it left open is
// released, and the present comes back all the same. References that the game
// holds into values behind pointers of components are to the old copies then, as
// after loading a snapshot.
//
// [Check] runs ticks twice from the same state and finds the first difference.
// Both may be spread over frames: between two slices the present is back, the
// game may go on, and what was run aside is kept.
//
// Everything here belongs to the frame goroutine.
package replay
