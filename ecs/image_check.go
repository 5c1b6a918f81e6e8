package ecs

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// ValidateImage says whether img is a sound image for a world with this
// catalog: known types, columns of the right Go type and length, an entity
// table in which every slot is either one row or one link of the free list,
// relations within the engine's limits with targets that the entity table
// knows. What only an engine can know its adapter checks besides. It reads
// nothing but its arguments.
func ValidateImage(cat *Catalog, img *Image) error {
	if img == nil {
		return bad("there is no image")
	}
	v := imageCheck{cat: cat, img: img, seen: make([]bool, len(img.Pool.Slots))}
	for _, f := range []func() error{v.pool, v.archetypes, v.complete, v.resources} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func bad(format string, args ...any) error {
	return &refusal.Error{Code: refusal.BadSnapshot, Message: "the image cannot be restored: " + fmt.Sprintf(format, args...)}
}

type imageCheck struct {
	cat  *Catalog
	img  *Image
	seen []bool // slots accounted for
	rows int
}

// pool walks the free list: as long as it says, no slot twice, none reserved.
func (v *imageCheck) pool() error {
	p := &v.img.Pool
	if int64(p.Reserved) > int64(len(p.Slots)) {
		return bad("%d entity slots are reserved, but there are only %d", p.Reserved, len(p.Slots))
	}
	if int64(p.Available) > int64(len(p.Slots))-int64(p.Reserved) {
		return bad("%d free entity slots are claimed, but there are only %d slots", p.Available, len(p.Slots))
	}
	next := p.Next
	for i := range p.Available {
		if int64(next) >= int64(len(p.Slots)) || next < p.Reserved {
			return bad("link %d of the free list is slot %d, which does not exist", i, next)
		}
		if v.seen[next] {
			return bad("the free list runs in a circle at slot %d", next)
		}
		v.seen[next] = true
		next = p.Slots[next].ID
	}
	return nil
}

func (v *imageCheck) archetypes() error {
	keys := make(map[string]bool, len(v.img.Archetypes))
	for i := range v.img.Archetypes {
		a := &v.img.Archetypes[i]
		if err := v.composition(i, a); err != nil {
			return err
		}
		key := a.Key()
		if keys[key] {
			return bad("archetype %d is there twice", i)
		}
		keys[key] = true
		for row, e := range a.Entities {
			if int64(e.ID) >= int64(len(v.seen)) || e.ID < v.img.Pool.Reserved || v.img.Pool.Slots[e.ID] != e {
				return bad("row %d of archetype %d is entity %s, which the entity table does not know", row, i, e)
			}
			if v.seen[e.ID] {
				return bad("entity %s is there twice, or free", e)
			}
			v.seen[e.ID] = true
		}
		v.rows += len(a.Entities)
	}
	return nil
}

func (v *imageCheck) composition(i int, a *ImageArchetype) error {
	relations := 0
	if len(a.Columns) != len(a.Components) {
		return bad("archetype %d has %d components and %d columns", i, len(a.Components), len(a.Columns))
	}
	for k, id := range a.Components {
		if id < 0 || int(id) >= len(v.cat.Components) {
			return bad("archetype %d has component type %d, which this world does not know", i, id)
		}
		if limit := v.cat.Engine.MaxTypes; limit > 0 && int(id) >= limit {
			return bad("component type %d is beyond the %d types of %s", id, limit, v.cat.Engine.Name)
		}
		if slices.Contains(a.Components[:k], id) {
			return bad("archetype %d has component type %d twice", i, id)
		}
		c := v.cat.Components[id]
		col := a.Columns[k]
		if !col.IsValid() || col.Kind() != reflect.Slice || col.Type().Elem() != c.Type.Go {
			return bad("the column of %s in archetype %d is not a slice of %s", c.Type.Go, i, c.Type.Go)
		}
		if col.Len() != len(a.Entities) {
			return bad("the column of %s in archetype %d has %d rows for %d entities", c.Type.Go, i, col.Len(), len(a.Entities))
		}
		if c.Relation {
			relations++
		}
	}
	if limit := v.cat.Engine.RelationsPerEntity; limit > 0 && relations > limit {
		return bad("archetype %d has %d relations, %s allows %d", i, relations, v.cat.Engine.Name, limit)
	}
	switch e := &v.cat.Engine; {
	case e.FixedArchetypes && !v.cat.Has(a.Components):
		return bad("archetype %d has components that no kind of entity has in this world", i)
	case e.NeedsComponent && len(a.Components) == 0 && len(a.Entities) > 0:
		return bad("archetype %d has entities without components, which %s does not have", i, v.cat.Engine.Name)
	}
	for k, t := range a.Targets {
		if !slices.Contains(a.Components, t.Relation) || !v.cat.Components[t.Relation].Relation {
			return bad("archetype %d has a target for type %d, which is no relation of it", i, t.Relation)
		}
		for _, before := range a.Targets[:k] {
			if before.Relation == t.Relation {
				return bad("archetype %d has two targets for one relation", i)
			}
		}
		if !t.Entity.IsZero() && (int64(t.Entity.ID) >= int64(len(v.seen)) || t.Entity.ID < v.img.Pool.Reserved) {
			return bad("archetype %d has target %s, which the entity table does not know", i, t.Entity)
		}
		if !t.Entity.IsZero() && !v.cat.Engine.DanglingTargets && v.img.Pool.Slots[t.Entity.ID] != t.Entity {
			return bad("archetype %d has the dead target %s, which %s does not keep", i, t.Entity, v.cat.Engine.Name)
		}
	}
	return nil
}

// complete: a slot that is neither a row nor free would be lost.
func (v *imageCheck) complete() error {
	p := &v.img.Pool
	if got, want := v.rows+int(p.Available), len(p.Slots)-int(p.Reserved); got != want {
		return bad("the entity table has %d slots, of which rows and free list account for %d", want, got)
	}
	return nil
}

func (v *imageCheck) resources() error {
	seen := make(map[TypeID]bool, len(v.img.Resources))
	for _, r := range v.img.Resources {
		if r.ID < 0 || int(r.ID) >= len(v.cat.Resources) {
			return bad("resource type %d is not known to this world", r.ID)
		}
		if seen[r.ID] {
			return bad("resource type %d is there twice", r.ID)
		}
		seen[r.ID] = true
		if want := v.cat.Resources[r.ID].Type.Go; r.Value.IsValid() && r.Value.Type() != want {
			return bad("the value of resource %s is a %s", want, r.Value.Type())
		}
	}
	return nil
}
