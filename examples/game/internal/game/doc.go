// Package game is a small top-down shooter: a player, by default on autopilot,
// against waves of enemies in an arena of walls. It is the world that the debug
// server is shown and tested on.
//
//	g, err := game.New(game.Options{Seed: 1, Enemies: 40})
//	for frame := uint64(1); ; frame++ {
//		g.Update(frame, game.Step) // one tick
//	}
//
// One tick is a pure function of the world: every value that the next tick
// depends on lives in components and resources, randomness included, and
// nothing depends on time or on the order of a map. Two runs with the same seed
// are the same, and so is a run that goes on from a restored snapshot. [Hash]
// tells.
//
// Systems skip entities that lack a component they need, and keep values that
// are not finite from spreading: whoever edits the world from outside may make
// any entity of any components. Systems create and remove only entities whose
// components hold no pointers (see [Inventory]).
//
// Everything belongs to the goroutine that calls Update.
package game
