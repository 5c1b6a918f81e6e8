package snapshot

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/snapshot/internal/images"
)

// DiffOptions are the choices of a Diff. The zero value counts everything and
// returns no rows.
type DiffOptions struct {
	// Component limits the diff to one component or resource type, in any form
	// ecs.Catalog accepts. Default all.
	Component string
	// Entity limits it to one entity. Default all.
	Entity ecs.Entity
	// AnyGeneration makes Entity stand for whoever has the slot, in either
	// image. Default false.
	AnyGeneration bool
	// Epsilon is the largest difference between two floats that still counts
	// as none, absolute. With 0 floats are compared bit for bit. Default 0.
	Epsilon float64
	// Limit is the most rows that are returned. Default 0: the counts alone.
	Limit int
	// Ranked puts rows in an order to be read in: what is rare and exact before a
	// thousand floats that moved. Default: as they are found.
	Ranked bool
	// Resources compares resources alone. Default: entities too.
	Resources bool
	// Exclude names types that are not compared, as in Options.
	Exclude []string
}

// The kinds of DiffRow.
const (
	RowSpawned   = "spawned"
	RowDespawned = "despawned"
	RowAdded     = "added"
	RowRemoved   = "removed"
	RowChanged   = "changed"
	RowResource  = "resource"
)

// DiffRow is one difference.
type DiffRow struct {
	Kind      string          `json:"kind" jsonschema:"spawned, despawned, added, removed, changed or resource"`
	Entity    string          `json:"entity,omitempty"`
	Component string          `json:"component,omitempty" jsonschema:"component or resource"`
	Path      string          `json:"path,omitempty" jsonschema:"field path inside the component; empty for the whole value"`
	From      json.RawMessage `json:"from,omitempty" jsonschema:"value in the first; of a despawned entity its component names"`
	To        json.RawMessage `json:"to,omitempty" jsonschema:"value in the second; of a spawned entity its component names"`
}

// DiffResult is what a Diff found.
type DiffResult struct {
	Spawned          int `json:"spawned" jsonschema:"entities only in the second"`
	Despawned        int `json:"despawned" jsonschema:"entities only in the first"`
	Added            int `json:"added" jsonschema:"components that entities of both gained"`
	Removed          int `json:"removed" jsonschema:"components that entities of both lost"`
	Changed          int `json:"changed" jsonschema:"component values that differ: one for each entity and component"`
	ResourcesChanged int `json:"resourcesChanged"`
	// Total counts the rows there are, Rows holds the first Limit of them.
	Total int       `json:"total"`
	Rows  []DiffRow `json:"rows"`
}

// Same reports whether nothing differs.
func (r *DiffResult) Same() bool {
	return r.Spawned+r.Despawned+r.Added+r.Removed+r.Changed+r.ResourcesChanged == 0
}

// Diff compares two images of worlds with the same catalog: two captures, two
// decoded files, or one of each. Entities are matched by identifier and
// generation. The images are not changed; any goroutine may call it while no
// one writes to them. Neither row order nor the free list is compared.
func Diff(cat *ecs.Catalog, from, to *ecs.Image, o DiffOptions) (res *DiffResult, err error) {
	defer recovered(&err, "comparing")
	d := &differ{cat: cat, o: o, res: &DiffResult{Rows: []DiffRow{}}, from: from, to: to, skip: map[ecs.TypeID]bool{}, skipResource: map[ecs.TypeID]bool{}}
	d.skip, d.skipResource = (&Options{Exclude: o.Exclude}).excluded(cat)
	d.only, d.onlyResource = -1, -1
	if o.Component != "" {
		d.narrow = true
		c, errC := cat.Component(o.Component)
		r, errR := cat.Resource(o.Component)
		if errC != nil && errR != nil {
			return nil, errC
		}
		if errC == nil {
			d.only = c.ID
		}
		if errR == nil {
			d.onlyResource = r.ID
		}
	}
	if o.Ranked {
		d.fields = map[field]*tally{}
	}
	if !o.Resources {
		d.entities()
	}
	if o.Entity.IsZero() {
		d.resources()
	}
	if o.Ranked {
		d.rank()
	}
	return d.res, nil
}

type differ struct {
	cat                *ecs.Catalog
	o                  DiffOptions
	res                *DiffResult
	from, to           *ecs.Image
	skip, skipResource map[ecs.TypeID]bool
	narrow             bool
	only, onlyResource ecs.TypeID
	value              valueDiff
	fields             map[field]*tally // nil: rows are not ranked
}

func (d *differ) wants(e ecs.Entity) bool {
	want := d.o.Entity
	return want.IsZero() || e.ID == want.ID && (d.o.AnyGeneration || e.Gen == want.Gen)
}

func (d *differ) compares(id ecs.TypeID) bool {
	return !d.skip[id] && (!d.narrow || d.only == id)
}

// room reports whether the row that is being counted is to be returned. Of rows
// that will be ranked there are as many as the limit of each field: a field that
// differs everywhere does not push out what comes after it.
func (d *differ) room(kind, component, path string) bool {
	d.res.Total++
	if d.fields == nil {
		return len(d.res.Rows) < d.o.Limit
	}
	f := fieldOf(kind, component, path)
	t := d.fields[f]
	if t == nil {
		t = &tally{}
		d.fields[f] = t
	}
	t.total++
	if t.kept == d.o.Limit {
		return false
	}
	t.kept++
	return true
}

func (d *differ) entities() {
	there, here := images.Locate(d.to), images.Locate(d.from)
	for i := range d.from.Archetypes {
		a := &d.from.Archetypes[i]
		for row, e := range a.Entities {
			if !d.wants(e) {
				continue
			}
			at, ok := there.Find(e)
			if !ok {
				d.whole(RowDespawned, &d.res.Despawned, a, e)
				continue
			}
			d.components(e, a, row, &d.to.Archetypes[at.Archetype], int(at.Row))
		}
	}
	for i := range d.to.Archetypes {
		a := &d.to.Archetypes[i]
		for _, e := range a.Entities {
			if !d.wants(e) {
				continue
			}
			if _, ok := here.Find(e); !ok {
				d.whole(RowSpawned, &d.res.Spawned, a, e)
			}
		}
	}
}

// whole counts an entity that only one side has. With a component filter it
// counts if it has the component.
func (d *differ) whole(kind string, count *int, a *ecs.ImageArchetype, e ecs.Entity) {
	if d.narrow && !slices.Contains(a.Components, d.only) {
		return
	}
	*count++
	if !d.room(kind, "", "") {
		return
	}
	names := make([]string, 0, len(a.Components))
	for _, id := range a.Components {
		names = append(names, d.cat.Components[id].Name)
	}
	list, _ := json.Marshal(names)
	r := DiffRow{Kind: kind, Entity: e.String()}
	if kind == RowSpawned {
		r.To = list
	} else {
		r.From = list
	}
	d.res.Rows = append(d.res.Rows, r)
}

func (d *differ) components(e ecs.Entity, a *ecs.ImageArchetype, row int, b *ecs.ImageArchetype, other int) {
	for k, id := range a.Components {
		if !d.compares(id) {
			continue
		}
		name := d.cat.Components[id].Name
		j := slices.Index(b.Components, id)
		if j < 0 {
			d.res.Removed++
			if d.room(RowRemoved, name, "") {
				d.res.Rows = append(d.res.Rows, DiffRow{Kind: RowRemoved, Entity: e.String(), Component: name, From: render(a.Columns[k].Index(row))})
			}
			continue
		}
		t := d.cat.Components[id].Type
		x, y := a.Columns[k].Index(row), b.Columns[j].Index(other)
		v := d.compare(t, x, y)
		ta, tb := targetOf(a, id), targetOf(b, id)
		if len(v.rows) == 0 && ta == tb {
			continue
		}
		d.res.Changed++
		if ta != tb && d.room(RowChanged, name, "target") {
			d.res.Rows = append(d.res.Rows, DiffRow{Kind: RowChanged, Entity: e.String(), Component: name, Path: "target",
				From: entityJSON(ta), To: entityJSON(tb)})
		}
		d.emit(DiffRow{Kind: RowChanged, Entity: e.String(), Component: name}, v)
	}
	for k, id := range b.Components {
		if d.compares(id) && !slices.Contains(a.Components, id) {
			d.res.Added++
			name := d.cat.Components[id].Name
			if d.room(RowAdded, name, "") {
				d.res.Rows = append(d.res.Rows, DiffRow{Kind: RowAdded, Entity: e.String(), Component: name, To: render(b.Columns[k].Index(other))})
			}
		}
	}
}

func (d *differ) emit(base DiffRow, v *valueDiff) {
	for _, r := range v.rows {
		if d.room(base.Kind, base.Component, r.path) {
			row := base
			row.Path, row.From, row.To = r.path, r.from(), r.to()
			d.res.Rows = append(d.res.Rows, row)
		}
	}
}

// compare finds the fields that differ; at least one row if the values do.
func (d *differ) compare(t *value.Type, a, b reflect.Value) *valueDiff {
	v := &d.value
	v.epsilon, v.rows, v.visits = d.o.Epsilon, v.rows[:0], nil
	n := nodeOf(t.Go)
	v.walk(n, "", a, b)
	return v
}

func targetOf(a *ecs.ImageArchetype, id ecs.TypeID) ecs.Entity {
	for _, t := range a.Targets {
		if t.Relation == id {
			return t.Entity
		}
	}
	return ecs.Entity{}
}

func entityJSON(e ecs.Entity) json.RawMessage {
	if e.IsZero() {
		return json.RawMessage("null")
	}
	return json.RawMessage(`"` + e.String() + `"`)
}

func (d *differ) resources() {
	for _, r := range d.from.Resources {
		if d.skipResource[r.ID] || d.narrow && d.onlyResource != r.ID {
			continue
		}
		i := slices.IndexFunc(d.to.Resources, func(x ecs.ImageResource) bool { return x.ID == r.ID })
		var other reflect.Value
		if i >= 0 {
			other = d.to.Resources[i].Value
		}
		d.resource(r.ID, r.Value, other)
	}
	for _, r := range d.to.Resources {
		if d.skipResource[r.ID] || d.narrow && d.onlyResource != r.ID {
			continue
		}
		if !slices.ContainsFunc(d.from.Resources, func(x ecs.ImageResource) bool { return x.ID == r.ID }) {
			d.resource(r.ID, reflect.Value{}, r.Value)
		}
	}
}

func (d *differ) resource(id ecs.TypeID, a, b reflect.Value) {
	res := d.cat.Resources[id]
	base := DiffRow{Kind: RowResource, Component: res.Name}
	switch {
	case !a.IsValid() && !b.IsValid():
	case !a.IsValid():
		d.res.ResourcesChanged++
		if d.room(base.Kind, base.Component, "") {
			base.To = render(b)
			d.res.Rows = append(d.res.Rows, base)
		}
	case !b.IsValid():
		d.res.ResourcesChanged++
		if d.room(base.Kind, base.Component, "") {
			base.From = render(a)
			d.res.Rows = append(d.res.Rows, base)
		}
	default:
		if v := d.compare(res.Type, value.Addressable(a), value.Addressable(b)); len(v.rows) > 0 {
			d.res.ResourcesChanged++
			d.emit(base, v)
		}
	}
}

// render encodes a value for people, cut like a bulk read.
func render(v reflect.Value) json.RawMessage {
	if !v.IsValid() {
		return json.RawMessage("null")
	}
	out, err := value.AppendJSON(nil, v, value.EncodeOptions{Bulk: true})
	if err != nil {
		out, _ = json.Marshal(map[string]string{"$error": err.Error()})
	}
	return out
}
