package snapshot

import (
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

// merge joins archetypes that have become equal, in order. The input is left
// as it is.
func merge(list []ecs.ImageArchetype) []ecs.ImageArchetype {
	var out []ecs.ImageArchetype
	at := make(map[string]int, len(list))
	owned := map[int]bool{}
	for i := range list {
		a := &list[i]
		key := a.Key()
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
