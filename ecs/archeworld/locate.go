package archeworld

import (
	"reflect"
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
)

// Locate implements [loupe.Locator].
func (w *World) Locate(e loupe.Entity, id loupe.TypeID) unsafe.Pointer {
	if !w.lay {
		return loupe.RowLocator{World: w}.Locate(e, id)
	}
	in := w.inner()
	if uint64(e.ID) >= uint64(len(in.entityPool.entities)) || uint64(e.ID) >= uint64(len(in.entities)) || EntityOf(in.entityPool.entities[e.ID]) != e {
		return nil
	}
	at := &in.entities[e.ID]
	// A forged handle of slot 0 or of a free slot has no archetype.
	if at.arch == nil || uint64(id) >= uint64(len(at.arch.layouts)) {
		return nil
	}
	l := &at.arch.layouts[id]
	if l.pointer == nil {
		return nil
	}
	return unsafe.Add(l.pointer, uintptr(at.index)*uintptr(l.itemSize))
}

// LocateResource implements [loupe.Locator].
func (w *World) LocateResource(id loupe.TypeID) unsafe.Pointer {
	if w.lay {
		// What the game added through arche's own generic call is a pointer to the
		// registered type: no more need be known.
		all := w.inner().resources.resources
		types := w.inner().resources.registry.Types
		if uint64(id) < uint64(len(all)) && uint64(id) < uint64(len(types)) {
			v := reflect.ValueOf(all[id])
			if v.Kind() == reflect.Pointer && v.Type().Elem() == types[id] {
				return v.UnsafePointer()
			}
		}
	}
	return loupe.RowLocator{World: w}.LocateResource(id)
}
