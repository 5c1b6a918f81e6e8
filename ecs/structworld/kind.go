package structworld

import (
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Kind is a part of a game that is given to [New].
type Kind struct{ join func(*World) }

// kind is a container of elements: an archetype of one component, and its only
// chunk.
type kind struct {
	engine.Chunk
	typ   *value.Type
	store store
	world *World
}

// store is what the game keeps the elements of a kind in.
type store interface {
	// holds reports whether row is still e's, as far as a look at that row tells.
	holds(row int, e ecs.Entity) bool
	// sync brings rows in line with what the game has done since, and column with
	// where the values are now.
	sync(p *pool, k *kind)
	// room refuses a number of elements that the container cannot hold.
	room(n int) *refusal.Error
	// fits refuses entities of an image that the container cannot take back.
	fits(es []ecs.Entity) *refusal.Error
	// add appends an element; rows are appended by the caller.
	add(e ecs.Entity, v reflect.Value)
	// remove takes the element of a row out; those behind it move up.
	remove(row int)
	// replace makes the elements those of an image.
	replace(es []ecs.Entity, column reflect.Value)
	// column is where the values are.
	column() ecs.Column
	// places: an entity is a place, not an element.
	places() bool
	// mark writes into the element of a row what the adapter keeps there.
	mark(row int, e ecs.Entity)
	capacity() int
}

func (w *World) join(name string, t reflect.Type, s store) {
	k := &kind{typ: value.ComponentOf(t, name, reflect.Value{}), store: s, world: w}
	k.ID = len(w.kinds)
	k.Types = []ecs.TypeID{ecs.TypeID(k.ID)}
	k.Cols = make([]ecs.Column, 1)
	w.kinds = append(w.kinds, k)
	w.types = append(w.types, k.typ)
}

// look brings the kind up to date.
func (k *kind) look() {
	k.store.sync(&k.world.pool, k)
	k.place()
}

// place notes where the values are.
func (k *kind) place() {
	if k.Cols[0] = k.store.column(); k.Cols[0].Base == nil {
		k.Cols[0].Base = noMemory
	}
}

// rowsFrom tells the pool that rows from row on have moved.
func (k *kind) rowsFrom(row int) {
	for ; row < len(k.Rows); row++ {
		k.world.pool.slots[k.Rows[row].ID].row = row
	}
}
