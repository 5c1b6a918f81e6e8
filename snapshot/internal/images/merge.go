package images

import (
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
)

// LeaveOut returns the archetypes without the dropped component types.
func LeaveOut(list []ecs.ImageArchetype, dropped map[ecs.TypeID]bool) []ecs.ImageArchetype {
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

// Merge joins archetypes that have become equal, in order. The input is left
// as it is.
func Merge(list []ecs.ImageArchetype) []ecs.ImageArchetype {
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

// Keep gives entities the excluded components they have in the live world.
// Rows of one archetype may part, each part keeping its order.
func Keep(list []ecs.ImageArchetype, live *ecs.Image, where Places, dropped map[ecs.TypeID]bool) []ecs.ImageArchetype {
	var out []ecs.ImageArchetype
	for i := range list {
		a := &list[i]
		parts := map[string]int{}
		for row, e := range a.Entities {
			var extra ecs.ImageArchetype
			var from *ecs.ImageArchetype
			at, ok := where.Find(e)
			if ok {
				from = &live.Archetypes[at.Archetype]
				for _, id := range from.Components {
					if dropped[id] {
						extra.Components = append(extra.Components, id)
					}
				}
				for _, t := range from.Targets {
					if dropped[t.Relation] {
						extra.Targets = append(extra.Targets, t)
					}
				}
			}
			key := extra.Key()
			k, ok := parts[key]
			if !ok {
				k = len(out)
				parts[key] = k
				b := ecs.ImageArchetype{Components: append(slices.Clone(a.Components), extra.Components...),
					Targets: append(slices.Clone(a.Targets), extra.Targets...)}
				for _, col := range a.Columns {
					b.Columns = append(b.Columns, reflect.MakeSlice(col.Type(), 0, 0))
				}
				for _, id := range extra.Components {
					b.Columns = append(b.Columns, reflect.MakeSlice(from.Columns[slices.Index(from.Components, id)].Type(), 0, 0))
				}
				out = append(out, b)
			}
			b := &out[k]
			b.Entities = append(b.Entities, e)
			for c, id := range b.Components {
				if c < len(a.Columns) {
					b.Columns[c] = reflect.Append(b.Columns[c], a.Columns[c].Index(row))
				} else {
					b.Columns[c] = reflect.Append(b.Columns[c], from.Columns[slices.Index(from.Components, id)].Index(int(at.Row)))
				}
			}
		}
	}
	out = Merge(out)
	for i := range out {
		SortColumns(&out[i])
	}
	return out
}

// SortColumns orders the columns by type.
func SortColumns(a *ecs.ImageArchetype) {
	order := slices.Clone(a.Components)
	slices.Sort(order)
	cols := make([]reflect.Value, len(order))
	for i, id := range order {
		cols[i] = a.Columns[slices.Index(a.Components, id)]
	}
	a.Components, a.Columns = order, cols
}
