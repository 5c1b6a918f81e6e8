package archeworld

import (
	"fmt"
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/mlange-42/arche/ecs"
)

// Entity gives arche's handle of an entity that a tool, an event or an action
// was given as Loupe's; false for the zero entity, which means none. It does not
// ask whether the entity lives: arche panics when it is asked about an id that
// it never gave out, so ask [World.Alive] about ids that Loupe has not checked.
// Any goroutine.
func Entity(e loupe.Entity) (ecs.Entity, bool) { return engineEntity(e), !e.IsZero() }

// EntityOf is the way back. Any goroutine.
func EntityOf(e ecs.Entity) loupe.Entity { return loupe.Entity{ID: e.ID(), Gen: e.Generation()} }

// engineEntity makes arche's handle; arche offers only UnmarshalJSON.
func engineEntity(e loupe.Entity) ecs.Entity {
	if layoutErr != nil {
		var out ecs.Entity
		_ = out.UnmarshalJSON(fmt.Appendf(nil, "[%d,%d]", e.ID, e.Gen)) // two numbers: cannot fail
		return out
	}
	return *(*ecs.Entity)(unsafe.Pointer(&e))
}

// typeOf gives the number of a component ID, for which arche has no accessor.
// Numbers are dense from 0 in order of registration.
func (w *World) typeOf(id ecs.ID) loupe.TypeID {
	if w.lay {
		return loupe.TypeID((*idLayout)(unsafe.Pointer(&id)).id)
	}
	for i, known := range w.ids {
		if known == id {
			return loupe.TypeID(i)
		}
	}
	return -1
}

func (w *World) typesOf(ids []ecs.ID) []loupe.TypeID {
	types := make([]loupe.TypeID, len(ids))
	for i, id := range ids {
		types[i] = w.typeOf(id)
	}
	return types
}

// engineID is arche's handle of component type number i. Only with a verified
// layout.
func engineID(i int) (id ecs.ID) {
	(*idLayout)(unsafe.Pointer(&id)).id = uint8(i)
	return id
}
