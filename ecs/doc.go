// Package ecs is the contract of a world: what the debug server sees of an ECS,
// whatever engine runs it.
//
// An adapter (archeworld for arche) implements [World], [Chunk] and, where it
// can, [Restorer] and [Unlocker]. Their methods belong to the frame goroutine.
// A [Catalog] is an immutable picture of the world's types and counts: any
// goroutine checks names and paths against it. An adapter makes one with
// [NewCatalog], which gives every type the shortest name that no other has:
// Position, else game.Position, else the full import path.
//
//	comp, path, err := world.Catalog().ComponentPath("Inventory.Slots[2].Count")
//	for c := range world.Chunks(ecs.Filter{With: []ecs.TypeID{comp.ID}}) {
//		for row := range c.Len() {
//			fmt.Println(c.Entity(row), ecs.LabelOf(world.Catalog(), c, row), path)
//		}
//	}
//
// Everything structural goes through [World.Apply], as a list of [Change]:
// [ValidateChanges] refuses it whole before anything is touched. A whole world
// is an [Image]; [ValidateImage] says whether one can be put back.
//
// What a component is (its fields, its JSON, its copies) stands in package
// value, how a refusal is worded in package refusal.
package ecs
