package snapshot

import (
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
)

// leaveOut returns the archetypes without the dropped component types.
func leaveOut(list []ecs.ImageArchetype, dropped map[ecs.TypeID]bool) []ecs.ImageArchetype {
	if len(dropped) == 0 {
		return list
	}
	out := make([]ecs.ImageArchetype, len(list))
	for i, a := range list {
		b := ecs.ImageArchetype{Entities: a.Entities}
		for k, id := range a.Components {
			if !dropped[id] {
				b.Components = append(b.Components, id)
				b.Columns = append(b.Columns, a.Columns[k])
			}
		}
		for _, t := range a.Targets {
			if !dropped[t.Relation] {
				b.Targets = append(b.Targets, t)
			}
		}
		out[i] = b
	}
	return out
}

// archetypeKey is the same for archetypes with the same components and
// targets.
func archetypeKey(a *ecs.ImageArchetype) string {
	ids := slices.Clone(a.Components)
	slices.Sort(ids)
	key := make([]byte, 0, 4*len(ids)+16)
	for _, id := range ids {
		key = binary.AppendVarint(key, int64(id))
		for _, t := range a.Targets {
			if t.Relation == id && !t.Entity.IsZero() {
				key = append(key, 0xff)
				key = binary.AppendUvarint(key, uint64(t.Entity.ID))
				key = binary.AppendUvarint(key, uint64(t.Entity.Gen))
			}
		}
	}
	return string(key)
}

// merge joins archetypes that have become equal, in order. The input is left
// as it is.
func merge(list []ecs.ImageArchetype) []ecs.ImageArchetype {
	var out []ecs.ImageArchetype
	at := make(map[string]int, len(list))
	owned := map[int]bool{}
	for i := range list {
		a := &list[i]
		key := archetypeKey(a)
		k, ok := at[key]
		if !ok {
			at[key] = len(out)
			out = append(out, *a)
			continue
		}
		b := &out[k]
		if !owned[k] {
			owned[k] = true
			b.Entities = slices.Clone(b.Entities)
			b.Columns = slices.Clone(b.Columns)
			for c, col := range b.Columns {
				b.Columns[c] = reflect.AppendSlice(reflect.MakeSlice(col.Type(), 0, 2*col.Len()), col)
			}
		}
		b.Entities = append(b.Entities, a.Entities...)
		for c, id := range b.Components {
			b.Columns[c] = reflect.AppendSlice(b.Columns[c], a.Columns[slices.Index(a.Components, id)])
		}
	}
	return out
}
