package structworld

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Slice makes the elements of a slice of structs a kind of entities. Embed [ID]
// in the struct if the game removes or sorts elements.
func Slice[T any](name string, s *[]T) Kind {
	return Kind{func(w *World) {
		id, ok := idIn(reflect.TypeFor[T]())
		w.join(name, reflect.TypeFor[T](), &sliceOf[T]{list: s, id: id, known: ok})
	}}
}

type sliceOf[T any] struct {
	list  *[]T
	id    uintptr
	known bool // the elements have an ID, at id
}

func (s *sliceOf[T]) idAt(row int) *ID {
	return (*ID)(unsafe.Add(unsafe.Pointer(&(*s.list)[row]), s.id))
}

func (s *sliceOf[T]) places() bool                     { return !s.known }
func (s *sliceOf[T]) capacity() int                    { return cap(*s.list) }
func (s *sliceOf[T]) room(int) *refusal.Error          { return nil }
func (s *sliceOf[T]) fits([]ecs.Entity) *refusal.Error { return nil }
func (s *sliceOf[T]) column() ecs.Column               { return value.ColumnOf(reflect.ValueOf(*s.list)) }
func (s *sliceOf[T]) remove(row int)                   { *s.list = slices.Delete(*s.list, row, row+1) }
func (s *sliceOf[T]) holds(row int, e ecs.Entity) bool {
	return row < len(*s.list) && (!s.known || s.idAt(row).entity == e)
}

func (s *sliceOf[T]) mark(row int, e ecs.Entity) {
	if s.known {
		s.idAt(row).entity = e
	}
}

func (s *sliceOf[T]) add(e ecs.Entity, v reflect.Value) {
	var element T
	reflect.ValueOf(&element).Elem().Set(v)
	*s.list = append(*s.list, element)
	s.mark(len(*s.list)-1, e)
}

func (s *sliceOf[T]) sync(p *pool, k *kind) {
	if s.known {
		s.follow(p, k)
		return
	}
	for len(k.Rows) > len(*s.list) {
		p.dies(k.Rows[len(k.Rows)-1])
		k.Rows = k.Rows[:len(k.Rows)-1]
	}
	for len(k.Rows) < len(*s.list) {
		k.Rows = append(k.Rows, p.born(k, len(k.Rows)))
	}
}

// follow finds out where the elements are by their IDs. One that was copied is
// known by the first of the two; the other is new.
func (s *sliceOf[T]) follow(p *pool, k *kind) {
	n := len(*s.list)
	row := 0
	for row < n && row < len(k.Rows) && s.idAt(row).entity == k.Rows[row] {
		row++
	}
	if row == n && n == len(k.Rows) {
		return
	}
	was := k.Rows[row:]
	gone := make(map[ecs.Entity]bool, len(was))
	for _, e := range was {
		gone[e] = true
	}
	rows := slices.Clone(k.Rows[:row])
	var strange []int
	for ; row < n; row++ {
		e := s.idAt(row).entity
		if !gone[e] {
			strange = append(strange, row)
			e = ecs.Entity{}
		}
		delete(gone, e)
		rows = append(rows, e)
	}
	for _, e := range was {
		if gone[e] {
			p.dies(e)
		}
	}
	for _, row := range strange {
		rows[row] = p.born(k, row)
		s.idAt(row).entity = rows[row]
	}
	p.changes++
	k.Rows = rows
	k.rowsFrom(0)
}

func (s *sliceOf[T]) replace(es []ecs.Entity, column reflect.Value) {
	from := column.Interface().([]T)
	clear((*s.list)[min(len(from), len(*s.list)):])
	*s.list = append((*s.list)[:0], from...)
	for row, e := range es {
		s.mark(row, e)
	}
}
