// Package runner is a frame loop with the debug server in it, for games that have
// no loop of their own yet.
//
//	err := runner.Run(ctx, runner.Game{
//		World:  archeworld.New(&world),
//		App:    &host.App{Name: "arena"},
//		Update: func(dt time.Duration) { move(&world, dt) }, // one tick
//		Draw:   func() { draw(&world) },                     // one frame
//	}, runner.Options{})
//
// Run does what mcpdebug's manual asks of a loop: it polls once a frame outside
// the world's updates, guards the update and the drawing, holds, steps and scales
// time for clients, goes on polling and drawing when the game is paused or has
// crashed, and closes the server at the end. A game with a loop of its own calls
// mcpdebug directly and loses nothing.
//
// Update, Draw and Crashed are called on the goroutine that called Run.
package runner
