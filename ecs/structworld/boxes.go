package structworld

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Pointers makes the elements of a slice of pointers a kind of entities. Nil
// pointers are none.
func Pointers[T any](name string, s *[]*T) Kind {
	return Kind{func(w *World) { join(w, name, &pointerSlice[T]{s}) }}
}

// Pointer makes what a variable points at a kind with one entity, or none while
// it is nil.
func Pointer[T any](name string, p **T) Kind {
	return Kind{func(w *World) { join(w, name, &single[T]{p}) }}
}

func join[T any](w *World, name string, c container[T]) {
	if reflect.TypeFor[T]().Size() == 0 {
		panic("structworld: " + name + ": values of " + reflect.TypeFor[T]().String() + " take no memory, so that pointers do not tell them apart; register a slice of them")
	}
	l := linksOf[T](w)
	w.join(name, reflect.TypeFor[T](), &boxes[T]{in: c, links: l, kind: l.join(), names: map[*T]ecs.Entity{}})
}

// container is where the game has its pointers.
type container[T any] interface {
	// each gives the pointers that are there, in an order that changes with the
	// game's own changes alone.
	each(visit func(*T))
	// at is the pointer in a row, as far as a look tells; nil: look at all.
	at(row int) *T
	put(e ecs.Entity, p *T)
	take(p *T)
	// gone tells that the game has taken an entity's pointer out.
	gone(e ecs.Entity, p *T)
	// leaves tells that a restore is about to take an entity's pointer out.
	leaves(e ecs.Entity, p *T)
	// set makes the pointers these.
	set(es []ecs.Entity, ps []*T)
	room(n int) *refusal.Error
	// fits refuses entities that cannot come back, which who lives can for sure.
	fits(es []ecs.Entity, lives func(ecs.Entity) (*T, bool)) *refusal.Error
	capacity() int
}

// boxes is a store of elements that are known by their addresses.
type boxes[T any] struct {
	in    container[T]
	list  []*T // by row
	spare []*T
	names map[*T]ecs.Entity
	links *links[T]
	kind  int // among those of the links
}

func (b *boxes[T]) mark(int, ecs.Entity)      {}
func (b *boxes[T]) places() bool              { return false }
func (b *boxes[T]) capacity() int             { return b.in.capacity() }
func (b *boxes[T]) room(n int) *refusal.Error { return b.in.room(n) }

func (b *boxes[T]) holds(row int, e ecs.Entity) bool {
	p := b.in.at(row)
	return p != nil && row < len(b.list) && b.list[row] == p && b.names[p] == e
}

func (b *boxes[T]) column() ecs.Column {
	return ecs.Column{Base: unsafe.Pointer(unsafe.SliceData(b.list)), Stride: unsafe.Sizeof(uintptr(0)), Boxed: true}
}

func (b *boxes[T]) sync(p *pool, k *kind) {
	now := b.spare[:0]
	twice := map[*T]bool(nil)
	b.in.each(func(box *T) {
		if row := len(now); row < len(b.list) && b.list[row] == box && twice == nil {
			now = append(now, box)
			return
		}
		if twice == nil { // from here on the game has changed something
			twice = make(map[*T]bool, len(b.list))
			for _, before := range now {
				twice[before] = true
			}
		}
		if box != nil && !twice[box] {
			twice[box] = true
			now = append(now, box)
		}
	})
	if slices.Equal(now, b.list) { // who visits the elements may be at them
		b.spare = now
		return
	}
	here := make(map[*T]bool, len(now))
	for _, box := range now {
		here[box] = true
	}
	for _, box := range b.list {
		if !here[box] {
			p.dies(b.names[box])
			b.in.gone(b.names[box], box)
			b.forget(box)
		}
	}
	rows := make([]ecs.Entity, len(now))
	for row, box := range now {
		e, known := b.names[box]
		if !known {
			e = p.born(k, row)
			b.learn(box, e)
		}
		rows[row] = e
	}
	p.changes++
	b.spare, b.list, k.Rows = b.list, now, rows
	clear(b.spare)
	k.rowsFrom(0)
}

func (b *boxes[T]) learn(box *T, e ecs.Entity) {
	b.names[box] = e
	b.links.learn(b.kind, box, e)
}

func (b *boxes[T]) forget(box *T) {
	delete(b.names, box)
	b.links.forget(b.kind, box)
}

func (b *boxes[T]) add(e ecs.Entity, v reflect.Value) {
	box := new(T)
	reflect.ValueOf(box).Elem().Set(v)
	b.in.put(e, box)
	b.list = append(b.list, box)
	b.learn(box, e)
}

func (b *boxes[T]) remove(row int) {
	box := b.list[row]
	b.in.take(box)
	b.list = slices.Delete(b.list, row, row+1)
	b.forget(box)
}

// replace gives every entity of the image its own box: the one it has, the one
// that it had and that somebody still points at, or a new one.
func (b *boxes[T]) replace(es []ecs.Entity, column reflect.Value) {
	from := column.Interface().([]T)
	now := make([]*T, len(es))
	taken := make(map[*T]bool, len(es))
	for row, e := range es {
		box := b.links.box(e)
		if taken[box] { // the game has used it for both, one after the other
			box = new(T)
		}
		now[row], taken[box] = box, true
	}
	for _, box := range b.list {
		b.in.leaves(b.names[box], box)
		b.forget(box)
	}
	for row, box := range now {
		*box = from[row]
		b.learn(box, es[row])
	}
	b.list = now
	b.in.set(es, slices.Clone(now))
}

func (b *boxes[T]) fits(es []ecs.Entity) *refusal.Error {
	living := make(map[ecs.Entity]*T, len(b.names))
	for box, e := range b.names {
		living[e] = box
	}
	return b.in.fits(es, func(e ecs.Entity) (*T, bool) { box, ok := living[e]; return box, ok })
}

// pointerSlice is a slice of pointers.
type pointerSlice[T any] struct{ list *[]*T }

func (s *pointerSlice[T]) each(visit func(*T)) {
	for _, p := range *s.list {
		visit(p)
	}
}
func (s *pointerSlice[T]) at(row int) *T {
	if row >= len(*s.list) {
		return nil
	}
	return (*s.list)[row]
}
func (s *pointerSlice[T]) put(_ ecs.Entity, p *T) { *s.list = append(*s.list, p) }
func (s *pointerSlice[T]) take(p *T) {
	*s.list = slices.DeleteFunc(*s.list, func(x *T) bool { return x == p })
}
func (s *pointerSlice[T]) set(_ []ecs.Entity, ps []*T) {
	clear(*s.list)
	*s.list = append((*s.list)[:0], ps...)
}
func (s *pointerSlice[T]) gone(ecs.Entity, *T)     {}
func (s *pointerSlice[T]) leaves(ecs.Entity, *T)   {}
func (s *pointerSlice[T]) room(int) *refusal.Error { return nil }
func (s *pointerSlice[T]) fits([]ecs.Entity, func(ecs.Entity) (*T, bool)) *refusal.Error {
	return nil
}
func (s *pointerSlice[T]) capacity() int { return cap(*s.list) }

// single is a variable.
type single[T any] struct{ p **T }

func (s *single[T]) each(visit func(*T)) {
	if *s.p != nil {
		visit(*s.p)
	}
}
func (s *single[T]) at(int) *T              { return *s.p }
func (s *single[T]) put(_ ecs.Entity, p *T) { *s.p = p }
func (s *single[T]) take(*T)                { *s.p = nil }
func (s *single[T]) set(_ []ecs.Entity, ps []*T) {
	if *s.p = nil; len(ps) > 0 {
		*s.p = ps[0]
	}
}
func (s *single[T]) gone(ecs.Entity, *T)   {}
func (s *single[T]) leaves(ecs.Entity, *T) {}
func (s *single[T]) fits(es []ecs.Entity, _ func(ecs.Entity) (*T, bool)) *refusal.Error {
	return s.room(len(es))
}
func (s *single[T]) room(n int) *refusal.Error {
	if n > 1 {
		return &refusal.Error{Code: refusal.NotSupported, Message: "the game has one variable for entities of this kind, and it would hold more", Got: n, Want: "one at most",
			Hint: "despawn the one that is there first"}
	}
	return nil
}
func (s *single[T]) capacity() int { return 1 }
