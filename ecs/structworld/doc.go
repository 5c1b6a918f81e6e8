// Package structworld shows a game without an ECS to Loupe: slices, maps and
// pointers of the game's own structs are registered as kinds of entities.
//
//	world := structworld.New(
//		structworld.Slice("Enemy", &game.enemies),   // []Enemy
//		structworld.Pointers("Shot", &game.shots),   // []*Shot
//		structworld.Map("Chest", &game.chests),      // map[string]*Chest
//		structworld.Pointer("Player", &game.player), // *Player, nil: none
//		structworld.Resource(&game.rules),
//	)
//	dbg.Bind(world, &host.App{Name: "arena"})
//
// Every element is an entity with one component, which has the kind's name: two
// kinds may be of one Go type. Tools read and write the game's own values, where
// the game has them; spawn and despawn put elements in and take them out.
//
// # Which element is which entity
//
// The game goes on removing, inserting and sorting elements without telling
// anybody. Where elements are pointers, the pointer tells them apart. Elements of
// a slice of structs move when others are removed: embed an [ID] in the struct,
// which the adapter fills in and which moves along.
//
//	type Enemy struct {
//		structworld.ID
//		X, Y float64
//	}
//
// Without one an entity is a place in the slice: "3v0" is whatever is at that
// place now. Engine.Cannot says for which kinds that holds.
//
// # Pointers among elements
//
// A field that points at the struct of a kind of pointers, such as Target *Enemy,
// is shown and written as that entity, and a snapshot keeps it: when entities
// come back that have died meanwhile, they come back to where other values still
// point. Pointers into slices of structs are followed as all other pointers are:
// what they point at is copied.
//
// # What such a world cannot
//
// Elements neither get nor lose components, nothing locks and nothing announces
// changes. All methods belong to the frame goroutine.
package structworld
