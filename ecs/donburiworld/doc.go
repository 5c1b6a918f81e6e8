// Package donburiworld shows a world of github.com/yohamta/donburi to Loupe. It
// is a module of its own, so that only games on donburi download donburi.
//
//	world := donburi.NewWorld()
//	dbg.Bind(donburiworld.New(world), &host.App{Name: "arena"})
//
// Component types need no registration: all that donburi knows are there, under
// donburi's own names (SetName), tags included, with their default values.
// donburi has no resources; what a game has once is given to New:
//
//	donburiworld.New(world, &game.settings, &game.score)
//
// # What it looks at
//
// donburi keeps one pointer for each value, and games keep such pointers. Values
// are read and written where they are and never move: setting a component writes
// into its value, and a snapshot that comes back fills the values that the living
// entities have. An [donburi.Entry] stays good, too.
//
// donburi.Entity and *donburi.Entry inside values are shown and accepted as
// "42v3". The adapter mirrors donburi's unexported types and compares every field
// with the real ones at start; if they differ it looks by the public interface,
// slower, and refuses snapshots with a crash_layout error.
//
// # donburi's counter
//
// donburi 1.15.7 counts the rows of a composition one too high when its first
// entity came by Add instead of by Create: the next Create of that composition
// panics with an index out of range. What Loupe changes is right: it mends the
// counters of the compositions that it touches. A game that meets the fault itself
// calls [MendCounters] before it creates.
//
// # Event buses
//
// Package features/events keeps its bus in a component whose declared type is the
// event's, and whose value is something else. The adapter shows such a component
// as what it is, with subscribers and queue, under the event's name and "Bus".
//
// # What it cannot
//
// Engine.Cannot lists it: no relations (features/hierarchy keeps entries in
// ordinary components), no locks, no entities without components, and OnCreate is
// told of an entity before its values are set.
package donburiworld
