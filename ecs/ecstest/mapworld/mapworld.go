// Package mapworld is a small ECS over Go maps and its adapter in one: the
// shortest complete example of an ecs.World, which passes the conformance kit,
// and a world for tests that need no engine.
//
//	w := mapworld.New(reflect.TypeFor[Position](), reflect.TypeFor[Health]())
//	w.AddResource(&Score{})
//	es, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Values: ...}})
//
// It is not fast, and one goroutine may use it at a time.
package mapworld

import (
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Relation marks a component type as a relation when it is its first field.
type Relation struct{}

func init() { value.RegisterMarkerType(reflect.TypeFor[Relation]()) }

// World implements ecs.World and ecs.Restorer.
type World struct {
	types     []*value.Type
	relation  []bool
	resources []resource
	slots     []ecs.Entity // by identifier - 1; the generation moves on at death
	free      []uint32
	at        map[ecs.Entity]place // the living
	tables    []*table
	byKey     map[string]*table
	locks     int
	catalog   *ecs.Catalog // nil when something changed
}

type resource struct {
	typ *value.Type
	ptr reflect.Value // invalid if absent
}

type place struct {
	table *table
	row   int
}

// table holds the rows of one composition and one set of targets.
type table struct {
	id       int
	types    []ecs.TypeID
	targets  []ecs.Target
	entities []ecs.Entity
	columns  []reflect.Value // addressable slices, one a type
}

// New makes a world with these component types.
func New(components ...reflect.Type) *World {
	w := &World{at: map[ecs.Entity]place{}, byKey: map[string]*table{}}
	for _, t := range components {
		w.types = append(w.types, value.TypeOf(t))
		w.relation = append(w.relation, t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Type == reflect.TypeFor[Relation]())
	}
	return w
}

// AddResource registers the type of *ptr and stores the pointer; RegisterResource
// registers a type without a value.
func (w *World) AddResource(ptr any) {
	v := reflect.ValueOf(ptr)
	w.resources, w.catalog = append(w.resources, resource{value.TypeOf(v.Type().Elem()), v}), nil
}

// RegisterResource registers a resource type without a value.
func (w *World) RegisterResource(t reflect.Type) {
	w.resources, w.catalog = append(w.resources, resource{typ: value.TypeOf(t)}), nil
}

// Lock refuses structural changes until release is called.
func (w *World) Lock() (release func()) {
	w.locks, w.catalog = w.locks+1, nil
	return func() { w.locks, w.catalog = w.locks-1, nil }
}

// Locked implements ecs.World.
func (w *World) Locked() bool { return w.locks > 0 }

// Alive implements ecs.World.
func (w *World) Alive(e ecs.Entity) bool { _, ok := w.at[e]; return ok }

// Holder implements ecs.World.
func (w *World) Holder(id uint32) (ecs.Entity, bool) {
	if id == 0 || int64(id) > int64(len(w.slots)) {
		return ecs.Entity{}, false
	}
	e := w.slots[id-1]
	return e, w.Alive(e)
}

// Row implements ecs.World.
func (w *World) Row(e ecs.Entity) (ecs.Chunk, int, bool) {
	p, ok := w.at[e]
	if !ok {
		return nil, 0, false
	}
	return p.table, p.row, true
}

// Chunks implements ecs.World.
func (w *World) Chunks(f ecs.Filter) iter.Seq[ecs.Chunk] {
	return func(yield func(ecs.Chunk) bool) {
		for _, t := range w.tables {
			if len(t.entities) > 0 && t.matches(f) && !yield(t) {
				return
			}
		}
	}
}

func (t *table) matches(f ecs.Filter) bool {
	for _, id := range f.With {
		if !slices.Contains(t.types, id) {
			return false
		}
	}
	for _, id := range t.types {
		if slices.Contains(f.Without, id) || f.Exclusive && !slices.Contains(f.With, id) {
			return false
		}
	}
	return f.Target == nil || slices.ContainsFunc(t.targets, func(x ecs.Target) bool {
		return x.Entity == *f.Target && (f.Relation == nil || x.Relation == *f.Relation)
	})
}

// Value points at an entity's component of Go type t; nil if it has none. It is
// what the engine's own interface would be.
func (w *World) Value(e ecs.Entity, t reflect.Type) any {
	p, ok := w.at[e]
	if !ok {
		return nil
	}
	for i, id := range p.table.types {
		if w.types[id].Go == t {
			return p.table.columns[i].Index(p.row).Addr().Interface()
		}
	}
	return nil
}

// Resource implements ecs.World.
func (w *World) Resource(id ecs.TypeID) (reflect.Value, bool) {
	if id < 0 || int(id) >= len(w.resources) || !w.resources[id].ptr.IsValid() {
		return reflect.Value{}, false
	}
	return w.resources[id].ptr.Elem(), true
}

// Catalog implements ecs.World: it is made anew after a change.
func (w *World) Catalog() *ecs.Catalog {
	if w.catalog != nil {
		return w.catalog
	}
	c := ecs.Catalog{
		Engine: ecs.Engine{Name: "map", Cannot: []string{
			"releasing locks", "events", "dead targets: a relation is reset when its target dies"}},
		Entities: ecs.EntityCounts{Alive: len(w.at), Recycled: len(w.free), Total: len(w.slots), Capacity: cap(w.slots)},
		Locked:   w.Locked(), CachedFilters: -1,
	}
	for i, t := range w.types {
		c.Components = append(c.Components, &ecs.Component{ID: ecs.TypeID(i), Type: t, Relation: w.relation[i], Tag: t.Size == 0})
	}
	for i, r := range w.resources {
		c.Resources = append(c.Resources, &ecs.Resource{ID: ecs.TypeID(i), Type: r.typ, Present: r.ptr.IsValid()})
	}
	for _, t := range w.tables {
		a := ecs.Archetype{ID: t.id, Components: t.types, Targets: slices.Clone(t.targets), Entities: len(t.entities), Capacity: cap(t.entities), BytesPerEntity: 8}
		for _, id := range t.types {
			a.BytesPerEntity += int(w.types[id].Size)
			comp := c.Components[id]
			comp.Entities += a.Entities
			comp.Bytes += int64(a.Capacity) * int64(w.types[id].Size)
			if a.Entities > 0 {
				comp.Archetypes++
			}
		}
		a.Bytes = int64(a.BytesPerEntity) * int64(a.Capacity)
		c.MemoryBytes += a.Bytes
		c.Archetypes = append(c.Archetypes, a)
	}
	w.catalog = ecs.NewCatalog(c)
	return w.catalog
}

// Apply implements ecs.World. ValidateChanges has judged everything before the
// first change is made.
func (w *World) Apply(changes []ecs.Change) (spawned []ecs.Entity, err error) {
	if err := ecs.ValidateChanges(w, changes); err != nil {
		return nil, err
	}
	for _, c := range changes {
		p := w.at[c.Entity]
		switch c.Op {
		case ecs.OpSpawn:
			for range max(c.Count, 1) {
				e := w.newEntity()
				w.move(e, place{}, typesOf(c.Values), c.Targets)
				w.set(e, c.Values)
				spawned = append(spawned, e)
			}
		case ecs.OpDespawn:
			w.remove(p)
			delete(w.at, c.Entity)
			w.slots[c.Entity.ID-1].Gen++
			w.free = append(w.free, c.Entity.ID)
			w.clearTarget(c.Entity)
		case ecs.OpAdd:
			w.move(c.Entity, p, slices.Concat(p.table.types, typesOf(c.Values)), slices.Concat(p.table.targets, c.Targets))
			w.set(c.Entity, c.Values)
		case ecs.OpRemove:
			types := slices.DeleteFunc(slices.Clone(p.table.types), func(id ecs.TypeID) bool { return slices.Contains(c.Types, id) })
			w.move(c.Entity, p, types, p.table.targets)
		case ecs.OpSet:
			w.set(c.Entity, c.Values)
		case ecs.OpRetarget:
			w.move(c.Entity, p, p.table.types, slices.Concat(p.table.targets, c.Targets))
		}
		if c.Op != ecs.OpSet {
			w.catalog = nil
		}
	}
	return spawned, nil
}

func (w *World) newEntity() ecs.Entity {
	if n := len(w.free); n > 0 {
		id := w.free[n-1]
		w.free = w.free[:n-1]
		return w.slots[id-1]
	}
	w.slots = append(w.slots, ecs.Entity{ID: uint32(len(w.slots) + 1)})
	return w.slots[len(w.slots)-1]
}

// move puts e into the table of a composition; values it had there move along.
// Of several targets for one relation the last counts.
func (w *World) move(e ecs.Entity, from place, types []ecs.TypeID, targets []ecs.Target) {
	to := w.tableFor(types, targets)
	if to == from.table {
		return
	}
	row := len(to.entities)
	to.entities = append(to.entities, e)
	for i, id := range to.types {
		v := reflect.Zero(w.types[id].Go)
		if from.table != nil {
			if k := slices.Index(from.table.types, id); k >= 0 {
				v = from.table.columns[k].Index(from.row)
			}
		}
		to.columns[i].Set(reflect.Append(to.columns[i], v))
	}
	if from.table != nil {
		w.remove(from)
	}
	w.at[e] = place{to, row}
}

// remove fills the row's gap with the last row.
func (w *World) remove(p place) {
	t, last := p.table, len(p.table.entities)-1
	for _, c := range t.columns {
		c.Index(p.row).Set(c.Index(last))
		c.Index(last).SetZero()
		c.SetLen(last)
	}
	t.entities[p.row] = t.entities[last]
	t.entities = t.entities[:last]
	if p.row < last {
		w.at[t.entities[p.row]] = p
	}
}

func (w *World) tableFor(types []ecs.TypeID, targets []ecs.Target) *table {
	types = slices.Sorted(slices.Values(types))
	var full []ecs.Target
	for _, id := range types {
		if w.relation[id] {
			target := ecs.Target{Relation: id}
			for _, t := range targets {
				if t.Relation == id {
					target = t
				}
			}
			full = append(full, target)
		}
	}
	key := fmt.Sprint(types, full)
	t := w.byKey[key]
	if t == nil {
		t = &table{id: len(w.tables), types: types, targets: full}
		for _, id := range types {
			t.columns = append(t.columns, reflect.New(reflect.SliceOf(w.types[id].Go)).Elem())
		}
		w.byKey[key], w.tables = t, append(w.tables, t)
	}
	return t
}

func (w *World) set(e ecs.Entity, values []ecs.Value) {
	p := w.at[e]
	for _, v := range values {
		p.table.columns[slices.Index(p.table.types, v.Type)].Index(p.row).Set(value.Copy(v.Value))
	}
}

// clearTarget resets the relations to an entity that died.
func (w *World) clearTarget(dead ecs.Entity) {
	for _, t := range w.tables {
		targets := slices.Clone(t.targets)
		for i := range targets {
			if targets[i].Entity == dead {
				targets[i].Entity = ecs.Entity{}
			}
		}
		for !slices.Equal(targets, t.targets) && len(t.entities) > 0 {
			e := t.entities[0]
			w.move(e, w.at[e], t.types, targets)
		}
	}
}

func typesOf(values []ecs.Value) (ids []ecs.TypeID) {
	for _, v := range values {
		ids = append(ids, v.Type)
	}
	return ids
}

func (t *table) Archetype() int            { return t.id }
func (t *table) Len() int                  { return len(t.entities) }
func (t *table) Entity(row int) ecs.Entity { return t.entities[row] }
func (t *table) AppendEntities(dst []ecs.Entity, from, to int) []ecs.Entity {
	return append(dst, t.entities[from:to]...)
}
func (t *table) Components() []ecs.TypeID { return t.types }
func (t *table) Targets() []ecs.Target    { return t.targets }
func (t *table) Column(id ecs.TypeID) (ecs.Column, bool) {
	i := slices.Index(t.types, id)
	if i < 0 {
		return ecs.Column{}, false
	}
	return value.ColumnOf(t.columns[i]), true
}
