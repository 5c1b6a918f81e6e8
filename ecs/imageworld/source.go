package imageworld

import (
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
)

// Source is a world at one moment. What its methods return stays as it is while
// the world made of it is in use.
type Source interface {
	// Archetypes is how many there are, in iteration order.
	Archetypes() int
	// Archetype describes one; do not change the slices.
	Archetype(i int) (components []ecs.TypeID, targets []ecs.Target, rows int)
	// Entities are those of an archetype's rows.
	Entities(i int) []ecs.Entity
	// Column is where row 0 of an archetype's component number k is. Rows follow
	// each other at the type's size.
	Column(i, k int) unsafe.Pointer
	// Pool is the entity table.
	Pool() ecs.Pool
	// Resource is the value of a resource; false if it is absent.
	Resource(id ecs.TypeID) (reflect.Value, bool)
	// Locked reports whether the world was locked then.
	Locked() bool
}

// Foreseer is a Source that wants to know which columns will be asked for: it
// makes several at once for less than one after another.
type Foreseer interface {
	// Foresee tells that the columns of an archetype are wanted.
	Foresee(i int)
}

// imageSource is a whole image.
type imageSource struct{ img *ecs.Image }

func (s imageSource) Archetypes() int { return len(s.img.Archetypes) }

func (s imageSource) Archetype(i int) ([]ecs.TypeID, []ecs.Target, int) {
	a := &s.img.Archetypes[i]
	return a.Components, a.Targets, len(a.Entities)
}

func (s imageSource) Entities(i int) []ecs.Entity { return s.img.Archetypes[i].Entities }

func (s imageSource) Column(i, k int) unsafe.Pointer {
	return s.img.Archetypes[i].Columns[k].UnsafePointer()
}

func (s imageSource) Pool() ecs.Pool { return s.img.Pool }

func (s imageSource) Resource(id ecs.TypeID) (reflect.Value, bool) {
	for _, r := range s.img.Resources {
		if r.ID == id && r.Value.IsValid() {
			return r.Value, true
		}
	}
	return reflect.Value{}, false
}

func (s imageSource) Locked() bool { return false }
