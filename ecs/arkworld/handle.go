package arkworld

import (
	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/mlange-42/ark/ecs"
)

// Entity gives Ark's handle of an entity that a tool, an event or an action was
// given as Loupe's; false for the zero entity, which means none. It does not ask
// whether the entity lives: Ark reads beyond its tables when it is asked about
// an id that it never gave out, so ask [World.Alive] about ids that Loupe has
// not checked. Any goroutine.
func Entity(e loupe.Entity) (ecs.Entity, bool) { return engineEntity(e), !e.IsZero() }

// EntityOf is the way back. Any goroutine.
func EntityOf(e ecs.Entity) loupe.Entity { return loupe.Entity{ID: e.ID(), Gen: e.Gen()} }

// engineEntity makes Ark's handle; Ark offers only UnmarshalBinary.
func engineEntity(e loupe.Entity) (out ecs.Entity) {
	b := [8]byte{byte(e.ID >> 24), byte(e.ID >> 16), byte(e.ID >> 8), byte(e.ID), byte(e.Gen >> 24), byte(e.Gen >> 16), byte(e.Gen >> 8), byte(e.Gen)}
	_ = out.UnmarshalBinary(b[:]) // eight bytes: cannot fail
	return out
}
