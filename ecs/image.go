package ecs

import (
	"reflect"
	"slices"
	"strconv"
)

// Image is a copy of a whole world, detached from it. TypeIDs are those of
// the world it was taken from or made for.
type Image struct {
	Pool       Pool
	Archetypes []ImageArchetype // in iteration order; those without rows may be among them, to keep the order
	Resources  []ImageResource  // a resource that is not listed is left as it is
	// Hints are the adapter's own notes on the order in which the engine will
	// hand out archetypes later. They refer to Archetypes by index. An image
	// without them restores the same world but for that order.
	Hints []uint32
}

// Pool is the exact state of the entity table. Slots[i] of a living entity is
// {i, generation}; of a free slot {next free slot, generation}. The first
// Reserved slots are the engine's own.
type Pool struct {
	Slots     []Entity
	Next      uint32 // first free slot, if Available > 0
	Available uint32 // length of the free list
	Reserved  uint32
}

// ImageArchetype is the rows of one archetype. Columns are in the order of
// Components; each is a slice []T of the component's Go type, one element a
// row (for a tag too), deeply copied.
type ImageArchetype struct {
	Components []TypeID
	Targets    []Target
	Entities   []Entity
	Columns    []reflect.Value
}

// ImageResource is the content of one resource; Value is invalid if absent.
type ImageResource struct {
	ID    TypeID
	Value reflect.Value
}

// Key is the same for archetypes with the same components and targets, which
// an engine would hold as one.
func (a *ImageArchetype) Key() string {
	ids := slices.Clone(a.Components)
	slices.Sort(ids)
	var b []byte
	for _, id := range ids {
		b = strconv.AppendInt(b, int64(id), 10)
		b = append(b, ' ')
		for _, t := range a.Targets {
			if t.Relation == id && !t.Entity.IsZero() {
				b = t.Entity.AppendTo(b)
			}
		}
	}
	return string(b)
}
