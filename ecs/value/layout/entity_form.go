package layout

import (
	"reflect"
	"unsafe"
)

// entityForm converts between an engine's entity in memory and ours.
type entityForm struct {
	load  func(unsafe.Pointer) Entity
	store func(unsafe.Pointer, Entity) // nil: nobody can make one
}

// entityType reports whether t is an entity type, and its form if it is not laid
// out as Entity.
func entityType(t reflect.Type) (*entityForm, bool) {
	reg.mu.RLock()
	defer reg.mu.RUnlock()
	f, ok := reg.entities[t]
	return f, ok
}

// LoadEntity reads the entity at p; l is of KindEntity.
func (l *Layout) LoadEntity(p unsafe.Pointer) Entity {
	if l.entity == nil {
		return *(*Entity)(p)
	}
	return l.entity.load(p)
}

// StoreEntity writes an entity at p; l is of KindEntity. False: values of this
// type cannot be made, and nothing was written.
func (l *Layout) StoreEntity(p unsafe.Pointer, e Entity) bool {
	switch {
	case l.entity == nil:
		*(*Entity)(p) = e
	case l.entity.store == nil:
		return false
	default:
		l.entity.store(p, e)
	}
	return true
}

// Converted reports whether entities of this type are laid out otherwise than
// Entity.
func (l *Layout) Converted() bool { return l.entity != nil }

// EntityIn reads an engine's entity, addressable or not, exported or not; false
// if v is none, or cannot be read.
func EntityIn(v reflect.Value) (Entity, bool) {
	l := Of(v.Type())
	if l.Kind != KindEntity {
		return Entity{}, false
	}
	p, err := AddressOf(v)
	if err != nil {
		return Entity{}, false
	}
	return l.LoadEntity(p), true
}
