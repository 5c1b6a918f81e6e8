package ecs

import (
	"reflect"
	"unsafe"
)

// Locator is implemented by a World that finds single values faster than
// [World.Row] does: what looks at a few values between all systems needs it.
// Frame goroutine.
type Locator interface {
	// Locate is the address of an entity's component; nil if the entity does not
	// live or does not have it. It holds until the next structural change.
	Locate(e Entity, id TypeID) unsafe.Pointer
	// LocateResource is the address of a resource's value; nil if it is absent.
	// It holds until the game puts another object in its place.
	LocateResource(id TypeID) unsafe.Pointer
}

// LocatorOf gives the world's own Locator, or one that works by the rest of its
// methods.
func LocatorOf(w World) Locator {
	if l, ok := w.(Locator); ok {
		return l
	}
	return RowLocator{w}
}

// RowLocator is a Locator by the methods that every World has.
type RowLocator struct{ World World }

// Locate implements [Locator].
func (l RowLocator) Locate(e Entity, id TypeID) unsafe.Pointer {
	c, row, ok := l.World.Row(e)
	if !ok {
		return nil
	}
	col, ok := c.Column(id)
	if !ok {
		return nil
	}
	return col.At(row)
}

// LocateResource implements [Locator].
func (l RowLocator) LocateResource(id TypeID) unsafe.Pointer {
	v, ok := l.World.Resource(id)
	if !ok {
		return nil
	}
	if v.CanAddr() {
		return v.Addr().UnsafePointer()
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.UnsafePointer()
}
