package engine

import (
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Last is the catalog that an adapter made last and what it was made from: a
// row of numbers, the signature, which costs little to gather and changes
// whenever the catalog would.
type Last struct {
	Catalog       *ecs.Catalog // nil: none
	sig, sigSpare []uint64
}

// Blank is where the signature of now is to be appended.
func (l *Last) Blank() []uint64 { return l.sigSpare[:0] }

// Holds reports whether the last catalog still describes a world with this
// signature, which was appended to [Last.Blank]. If not, a new one is to be
// made of types, in which descriptions declared after a type was met are taken
// up.
func (l *Last) Holds(sig []uint64, types []*value.Type) bool {
	described := false
	for i, t := range types {
		if now := t.Current(); now != t {
			types[i], described = now, true
		}
	}
	if l.Catalog != nil && !described && slices.Equal(sig, l.sig) {
		l.sigSpare = sig
		return true
	}
	l.sig, l.sigSpare = sig, l.sig
	return false
}

// SignEntity is an entity in a signature.
func SignEntity(e ecs.Entity) uint64 { return uint64(e.ID)<<32 | uint64(e.Gen) }

// SignChunk appends a chunk's number, length and targets to a signature.
func SignChunk(sig []uint64, c ecs.Chunk) []uint64 {
	sig = append(sig, uint64(c.Archetype()), uint64(c.Len()))
	for _, t := range c.Targets() {
		sig = append(sig, SignEntity(t.Entity))
	}
	return sig
}

// SignPresent appends which of the values there are, one bit each.
func SignPresent(sig []uint64, values []any) []uint64 {
	bits := uint64(0)
	for i, v := range values {
		if v != nil {
			bits |= 1 << (i % 64)
		}
		if i%64 == 63 {
			sig = append(sig, bits)
			bits = 0
		}
	}
	return append(sig, bits)
}

// Measured is a with the bytes that its rows take. types are by TypeID.
func Measured(a ecs.Archetype, types []*value.Type) ecs.Archetype {
	a.BytesPerEntity = 8
	for _, id := range a.Components {
		a.BytesPerEntity += int(types[id].Size)
	}
	a.Bytes = int64(a.BytesPerEntity) * int64(a.Capacity)
	return a
}

// AddComponents describes the types in cat, whose archetypes are complete.
func AddComponents(cat *ecs.Catalog, types []*value.Type, relation []bool) {
	slab := make([]ecs.Component, len(types))
	cat.Components = make([]*ecs.Component, len(types))
	for i, t := range types {
		slab[i] = ecs.Component{ID: ecs.TypeID(i), Type: t, Relation: relation[i], Tag: t.Size == 0}
		cat.Components[i] = &slab[i]
	}
	for i := range cat.Archetypes {
		a := &cat.Archetypes[i]
		for _, id := range a.Components {
			c := &slab[id]
			c.Bytes += int64(a.Capacity) * int64(c.Type.Size)
			c.Entities += a.Entities
			if a.Entities > 0 {
				c.Archetypes++
			}
		}
	}
}
