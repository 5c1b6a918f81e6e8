package ecstest

import (
	"math"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
)

// Hash digests everything a world shows: entity counts, archetypes with rows
// in iteration order, their rows in order, entities, component types, relation
// targets, every value behind every pointer, and the resources. Equal worlds
// have equal hashes, in other processes too; NaNs are compared bit by bit, map
// entries in any order, functions and channels by whether they are nil. It
// changes nothing. Frame goroutine.
func Hash(w ecs.World) uint64 {
	h := hasher{sum: offset}
	cat := w.Catalog()
	h.int(cat.Entities.Alive)
	h.int(cat.Entities.Recycled)
	h.int(cat.Entities.Total)
	var entities []ecs.Entity
	for c := range w.Chunks(ecs.Filter{}) {
		h.int(c.Len())
		entities = c.AppendEntities(entities[:0], 0, c.Len())
		for _, e := range entities {
			h.entity(e)
		}
		for _, t := range c.Targets() {
			h.str(cat.Components[t.Relation].Type.ID)
			h.entity(t.Entity)
		}
		for _, id := range c.Components() {
			t := cat.Components[id].Type
			h.str(t.ID)
			col, ok := c.Column(id)
			if !ok {
				h.str("no column")
				continue
			}
			if t.Size == 0 {
				continue
			}
			for row := range c.Len() {
				h.value(col.Value(t.Go, row), 0)
			}
		}
	}
	for _, r := range cat.Resources {
		h.str(r.Type.ID)
		if v, ok := w.Resource(r.ID); ok {
			h.value(v, 0)
		}
	}
	return h.sum
}

const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

// hasher is FNV-1a over words instead of bytes, with a rotation so that high
// bits reach low ones.
type hasher struct {
	sum  uint64
	seen map[uintptr]bool
}

func (h *hasher) word(x uint64) {
	h.sum = (h.sum ^ x) * prime
	h.sum ^= h.sum >> 29
}

func (h *hasher) int(n int) { h.word(uint64(n)) }

func (h *hasher) entity(e ecs.Entity) { h.word(uint64(e.ID)<<32 | uint64(e.Gen)) }

func (h *hasher) str(s string) {
	h.int(len(s))
	for i := range len(s) {
		h.word(uint64(s[i]))
	}
}

const maxDepth = 64

func (h *hasher) value(v reflect.Value, depth int) {
	if depth > maxDepth {
		h.str("deep")
		return
	}
	depth++
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			h.word(1)
		} else {
			h.word(0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		h.word(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		h.word(v.Uint())
	case reflect.Float32, reflect.Float64:
		h.word(math.Float64bits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		h.word(math.Float64bits(real(v.Complex())))
		h.word(math.Float64bits(imag(v.Complex())))
	case reflect.String:
		h.str(v.String())
	case reflect.Struct:
		for i := range v.NumField() {
			h.value(v.Field(i), depth)
		}
	case reflect.Array:
		for i := range v.Len() {
			h.value(v.Index(i), depth)
		}
	case reflect.Slice:
		if v.IsNil() {
			h.str("nil")
			return
		}
		h.int(v.Len())
		for i := range v.Len() {
			h.value(v.Index(i), depth)
		}
	case reflect.Map:
		h.mapping(v, depth)
	case reflect.Pointer:
		h.pointer(v, depth)
	case reflect.Interface:
		if v.IsNil() {
			h.str("nil")
			return
		}
		h.str(v.Elem().Type().String())
		h.value(v.Elem(), depth)
	default:
		h.str(v.Type().String())
		if v.IsNil() {
			h.str("nil")
		}
	}
}

// mapping adds up the hashes of the entries: their order does not matter.
func (h *hasher) mapping(v reflect.Value, depth int) {
	if v.IsNil() {
		h.str("nil")
		return
	}
	h.int(v.Len())
	var sum uint64
	for it := v.MapRange(); it.Next(); {
		entry := hasher{sum: offset, seen: h.seen}
		entry.value(it.Key(), depth)
		entry.value(it.Value(), depth)
		sum += entry.sum
	}
	h.word(sum)
}

func (h *hasher) pointer(v reflect.Value, depth int) {
	if v.IsNil() {
		h.str("nil")
		return
	}
	if h.seen == nil {
		h.seen = map[uintptr]bool{}
	}
	p := v.Pointer()
	if h.seen[p] {
		h.str("cycle")
		return
	}
	h.seen[p] = true
	h.value(v.Elem(), depth)
	delete(h.seen, p)
}
