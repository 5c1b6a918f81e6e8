// Package mcpdebug is a debug server that lives inside a Go game's own frame
// loop. A coding agent, a person or a script connects over the Model Context
// Protocol and sees the running ECS world: reads it, changes it, snapshots it,
// and, when the game has panicked or hangs, finds out why.
//
//	dbg, err := mcpdebug.Listen(mcpdebug.DefaultAddr, nil) // http://127.0.0.1:7100/mcp
//	if err != nil {
//		log.Print(err) // a nil *Server is a valid no-op: the game runs on
//	}
//	defer dbg.Close()
//	dbg.Bind(archeworld.New(&world), &host.App{Name: "arena"})
//
//	for running {
//		dbg.Poll()                             // once per frame, outside world updates
//		dbg.Guard(func() { update(&world) })   // optional: a panic becomes a state
//		draw()
//	}
//
// Where an engine owns the loop and calls the game's update, [Server.Turn] is all
// of that but the drawing, with a clock that clients can hold, step and scale:
//
//	func (g *Game) Update() error { return g.dbg.Turn(g.clock, time.Second/60, g.tick) }
//
// # Frames
//
// A frame is what lies between two Polls, and frames are counted in Polls: one
// call is answered in each at most, and of the ticks that a client asked for one
// runs in each. A loop may poll several times in one of its own frames, as Turn
// does while a client waits for ticks; frame numbers and frames per second then
// run ahead of the pictures. Package runner has a loop for games that have none.
//
// # Goroutines
//
// The world is touched on one goroutine only: the one that calls Poll, the
// frame goroutine. [Server.Bind], [Server.Poll], [Server.PollParked],
// [Server.Guard] and [Server.Dispatch] belong to it; everything else may be
// called from any goroutine. Connections, parsing, argument checks, encoding
// and files are handled off the frame. A Poll with nobody there costs one
// atomic addition and one atomic load.
//
// # States
//
// starting: the host has not polled yet. running. parked: the host calls
// [Server.PollParked] because an operation is suspended midway. crashed: a
// panic was recovered by [Server.Guard], or the host called
// [Server.SetCrashed]. stalled: no Poll came for Options.StallAfter. closed.
// A tool that cannot run in a state is refused at once with the reason: the
// operation, the traceback, the stack of the frame goroutine. Tools marked
// off-frame (ping, context, get_logs, crash_report, goroutines, profiles)
// answer in every state. Go on polling while the game is paused, unfocused or
// crashed: a loop that stops polling counts as stalled.
//
// # A call's way
//
// Gate on arrival, argument check, the part before, the queue (first come,
// first served, one call a Poll), the gate again, the part on the frame, the
// part after. A call whose client has gone, whose time is up or whose server
// is closed before it began has changed nothing; one that had begun is
// answered with outcome_unknown.
//
// # Builds without it
//
// With the build tag nomcpdebug the same API does nothing and depends on
// nothing.
package mcpdebug
