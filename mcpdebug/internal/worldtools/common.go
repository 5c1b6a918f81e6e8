package worldtools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/tools"
)

// Tools are the tools that read and change the ECS world.
func Tools(then *past.Past) []*tools.Tool {
	return tools.Family(tools.Spec{Group: "world", NeedsWorld: true},
		statsTool(then), worldCheckTool(then), componentsInfoTool(),
		queryTool(then), infoTool(then),
		spawnTool(), setTool(), modifyTool(), removeTool(), despawnTool(),
		archetypesListTool(then), archetypesInfoTool(),
		resourcesListTool(then), resourcesInfoTool(then), resourcesModifyTool(),
	)
}

// entityCopy is an entity taken out of the world on the frame.
type entityCopy struct {
	entity  ecs.Entity
	name    string
	cat     *ecs.Catalog
	comps   []ecs.TypeID
	targets []ecs.Target
	values  []reflect.Value // by comps; empty if no values are wanted
}

// takeRow copies a row out. want limits the values to some components; nil
// takes all.
func takeRow(cat *ecs.Catalog, c ecs.Chunk, row int, values bool, want []ecs.TypeID) entityCopy {
	out := entityCopy{entity: c.Entity(row), name: ecs.LabelOf(cat, c, row), cat: cat, comps: slices.Clone(c.Components()), targets: slices.Clone(c.Targets())}
	if !values {
		return out
	}
	out.values = make([]reflect.Value, len(out.comps))
	for i, id := range out.comps {
		if want != nil && !slices.Contains(want, id) {
			continue
		}
		if v, ok := entities.RowValue(c, row, cat.Components[id]); ok {
			out.values[i] = value.Copy(v)
		}
	}
	return out
}

// entityRow is an entity in an answer.
type entityRow struct {
	Entity     string                     `json:"entity" jsonschema:"the entity: id v generation"`
	Name       string                     `json:"name,omitempty" jsonschema:"its label, where one of its components gives one"`
	Components []string                   `json:"components,omitzero" jsonschema:"names of all its components; absent with select"`
	Relations  map[string]ecs.Entity      `json:"relations,omitempty" jsonschema:"relation targets by relation; null for none"`
	Values     map[string]json.RawMessage `json:"values,omitempty" jsonschema:"component values, or with select the values at the selected paths"`
	Errors     map[string]string          `json:"errors,omitempty" jsonschema:"why a value is missing, by component or path"`
}

// row encodes the copy; off the frame.
func (e *entityCopy) row(o value.EncodeOptions) entityRow {
	r := entityRow{Entity: e.entity.String(), Name: e.name, Components: entities.Names(e.cat, e.comps), Relations: relationsOf(e.cat, e.targets)}
	for i, v := range e.values {
		if v.IsValid() {
			r.put(e.cat.Components[e.comps[i]].Name, v, o)
		}
	}
	return r
}

// relationsOf names the relations and their targets; nil without.
func relationsOf(cat *ecs.Catalog, targets []ecs.Target) map[string]ecs.Entity {
	if len(targets) == 0 {
		return nil
	}
	m := make(map[string]ecs.Entity, len(targets))
	for _, t := range targets {
		m[cat.Components[t.Relation].Name] = t.Entity
	}
	return m
}

// put encodes one value; a value that cannot be encoded costs no other one.
func (r *entityRow) put(key string, v reflect.Value, o value.EncodeOptions) {
	b, err := value.AppendJSON(nil, v, o)
	r.keep(key, b, err)
}

// putAt is put for the value at a path, whose labels it shows.
func (r *entityRow) putAt(key string, p *value.Path, v reflect.Value, o value.EncodeOptions) {
	b, err := p.AppendJSON(nil, v, o)
	r.keep(key, b, err)
}

func (r *entityRow) keep(key string, b []byte, err error) {
	if err != nil {
		r.fail(key, err.Error())
		return
	}
	if r.Values == nil {
		r.Values = map[string]json.RawMessage{}
	}
	r.Values[key] = b
}

func (r *entityRow) fail(key, why string) {
	if r.Errors == nil {
		r.Errors = map[string]string{}
	}
	r.Errors[key] = why
}

// shrink drops the largest values of a row until it fits: the one row that a
// page must hold however large the game's data are.
func (r *entityRow) shrink(maxBytes int) {
	size := 200
	for k, v := range r.Values {
		size += len(k) + len(v) + 4
	}
	for size > maxBytes && len(r.Values) > 0 {
		largest := ""
		for k, v := range r.Values {
			if largest == "" || len(v) > len(r.Values[largest]) || len(v) == len(r.Values[largest]) && k < largest {
				largest = k
			}
		}
		size -= len(r.Values[largest])
		r.fail(largest, tooLargeText(largest, len(r.Values[largest])))
		delete(r.Values, largest)
	}
}

func tooLargeText(name string, n int) string {
	return fmt.Sprintf("left out: %d bytes of JSON; ask for a part of %s with a path, or raise maxBytes", n, name)
}

// safely runs code of the game (labels, computed values) that may panic.
func safely(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}
