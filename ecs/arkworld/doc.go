// Package arkworld shows a world of github.com/mlange-42/ark to Loupe. Nothing
// has to be registered: any *ecs.World will do, with all the types the game has
// or will have.
//
//	world := ark.NewWorld()
//	dbg.Bind(arkworld.New(world), &host.App{Name: "arena"})
//
// [World] implements ecs.World, ecs.Unlocker and ecs.Restorer of package
// github.com/loupe-ecs/loupe/ecs; its methods are called on the frame
// goroutine, which inside a debug server is where tools run. What Loupe calls
// an archetype is one of Ark's tables: a composition with one set of relation
// targets.
//
// # How it looks at Ark
//
// Ark shows little of itself: no way from an entity to its row, no address of
// a column, no way to release a lock, and its Reset unregisters observers and
// filters. The adapter therefore mirrors Ark's unexported types, compares every
// field's name, kind, size and offset with the real ones when the program
// starts, and looks through the mirror only if all agree. Otherwise it answers
// from the public interface, slowly, and refuses Unlock and Restore with a
// crash_layout error.
//
// # Traps it steps around
//
// Handles that were never given out (Ark's Alive reads beyond its table, which
// kills the process); Get and GetRelation of a component that is missing (nil
// pointer); relations without a target (Ark wants all of them); slot 1, which
// is Ark's wildcard; the 256th component type (every new archetype panics);
// observers that panic (they leave the world locked).
//
// One trap is left: when a relation target dies while a table of pointerful
// components is exactly full, Ark 0.8.1 steps a pointer past its memory. That
// is harmless, but under the race detector, which checks pointers, it ends the
// process. Build with -gcflags=github.com/mlange-42/ark/...=-d=checkptr=0 if
// your game meets it.
//
// # What it cannot do
//
// Engine.Cannot of the catalog lists it. An observer is told of a spawned
// entity or an added component before the value is set; Ark's untyped interface
// knows no other order. With two or more relations per entity, the order in
// which Ark moves rows when a target dies depends on its history, which a
// restore does not bring back.
package arkworld
