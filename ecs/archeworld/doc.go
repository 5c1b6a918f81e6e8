// Package archeworld shows a world of github.com/mlange-42/arche to Loupe.
// Nothing has to be registered: any *ecs.World will do, with all the types the
// game has or will have.
//
//	world := arche.NewWorld()
//	dbg.Bind(archeworld.New(&world), &host.App{Name: "arena"})
//
// [World] implements ecs.World, ecs.Unlocker and ecs.Restorer of package
// github.com/loupe-ecs/loupe/ecs; its methods are called on the frame
// goroutine, which inside a debug server is where tools run.
//
// # How it looks at arche
//
// arche shows little of itself: no way from an entity to its row, no getter
// for the listener, no way to release a lock. The adapter therefore mirrors
// arche's unexported types, compares every field's name, kind, size and offset
// with the real ones when the program starts, and looks through the mirror
// only if all agree. Otherwise it answers from the public interface, slowly,
// and refuses Unlock and Restore with a crash_layout error.
//
// # Component types that hold pointers
//
// arche 0.15.3 moves and clears rows without telling the garbage collector.
// A component with a slice, string, map, pointer or interface in it can lose
// what it points at when its row moves while the collector marks. The changes
// made through this package are safe: before each, the values that can move
// are copied by typed assignment, which marks what they point at. The game's
// own calls of Add, Remove, RemoveEntity, relation changes and batches are
// exposed as ever; Engine.PointerHazard says so and world_check lists the
// types. Restoring is safe as well.
//
// # Other traps it steps around
//
// Handles beyond the entity table, the zero entity under another generation
// and handles of free slots (arche's Alive panics or says yes); component
// identifiers that are not registered (arche reads out of bounds); the 241st
// component type (every new archetype panics); an entity that is its own
// relation target (removing it panics); Set with a value of another type
// (arche overwrites memory); listeners that panic (they leave the world
// locked).
package archeworld
