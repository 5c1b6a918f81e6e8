package surprise

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
)

// Values are those of select.
type Values struct {
	Resources map[string]json.RawMessage `json:"resources,omitempty" jsonschema:"of resources, by the path as it was written"`
	Entities  []EntityValues             `json:"entities,omitempty" jsonschema:"of entities, at most 20"`
	More      bool                       `json:"more,omitempty" jsonschema:"others have these components too: query reads them"`
}

// EntityValues are those of one entity.
type EntityValues struct {
	Entity string                     `json:"entity" jsonschema:"id v generation"`
	Name   string                     `json:"name,omitempty" jsonschema:"its label"`
	Values map[string]json.RawMessage `json:"values" jsonschema:"by the path as it was written"`
}

// Reading is values as the frame has copied them.
type Reading struct {
	resources []leaf
	rows      []readRow
	more      bool
}

type readRow struct {
	entity ecs.Entity
	name   string
	leaves []leaf
}

type leaf struct {
	at   *place
	v    reflect.Value
	fail error
}

// Read copies the values at paths: of resources, and of the entities that match
// visits. Paths that mean nothing are left out; nil: nothing was read. Frame goroutine.
func Read(w ecs.World, paths []string, match func(visit func(ecs.Chunk, int) bool)) *Reading {
	var places []place
	for _, path := range paths {
		if p, err := resolve(w.Catalog(), []string{path}); err == nil {
			places = append(places, p...)
		}
	}
	r := read(w, places, match)
	if len(places) == 0 || len(r.resources)+len(r.rows) == 0 {
		return nil
	}
	return r
}

// read copies the values of the places: of resources, and of the first entities
// that have one of the components and that match visits.
func read(w ecs.World, places []place, match func(visit func(ecs.Chunk, int) bool)) *Reading {
	r := new(Reading)
	var comps []*place
	for i := range places {
		p := &places[i]
		if p.comp != nil {
			comps = append(comps, p)
			continue
		}
		if v, ok := w.Resource(p.res.ID); ok {
			r.resources = append(r.resources, p.leaf(value.Addressable(v)))
		}
	}
	if len(comps) == 0 {
		return r
	}
	if match == nil {
		match = func(visit func(ecs.Chunk, int) bool) { having(w, comps, visit) }
	}
	cat := w.Catalog()
	match(func(c ecs.Chunk, row int) bool {
		if len(r.rows) == Shown {
			r.more = true
			return false
		}
		e := readRow{entity: c.Entity(row), name: ecs.LabelOf(cat, c, row)}
		for _, p := range comps {
			if root, ok := entities.RowValue(c, row, p.comp); ok {
				e.leaves = append(e.leaves, p.leaf(root))
			}
		}
		r.rows = append(r.rows, e)
		return true
	})
	return r
}

// having visits the entities that have one of the components.
func having(w ecs.World, comps []*place, visit func(ecs.Chunk, int) bool) {
	for c := range w.Chunks(ecs.Filter{}) {
		for _, p := range comps {
			if !slices.Contains(c.Components(), p.comp.ID) {
				continue
			}
			for row := range c.Len() {
				if !visit(c, row) {
					return
				}
			}
			break
		}
	}
}

// leaf copies a value out of the world; one that cannot be read is told by why.
func (p *place) leaf(root reflect.Value) (l leaf) {
	l.at = p
	defer func() {
		if x := recover(); x != nil {
			l.fail = fmt.Errorf("panic: %v", x)
		}
	}()
	v, err := p.path.Get(root)
	if err != nil {
		l.fail = err
		return l
	}
	l.v = value.Copy(v)
	return l
}

// Told is what an answer says of them; nil of none. Off the frame.
func (r *Reading) Told() *Values {
	if r == nil {
		return nil
	}
	out := &Values{More: r.more}
	if len(r.resources) > 0 {
		out.Resources = encoded(r.resources)
	}
	for _, row := range r.rows {
		out.Entities = append(out.Entities, EntityValues{row.entity.String(), row.name, encoded(row.leaves)})
	}
	return out
}

func encoded(leaves []leaf) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(leaves))
	for _, l := range leaves {
		err := l.fail
		if err == nil {
			var b []byte
			if b, err = l.at.path.AppendJSON(nil, l.v, value.EncodeOptions{Bulk: true}); err == nil {
				out[l.at.text] = b
				continue
			}
		}
		out[l.at.text], _ = json.Marshal(map[string]string{"$error": err.Error()})
	}
	return out
}
