package worldtools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/tools"
)

// maxDescribed is how many entities an answer of a tool that changes many shows.
const maxDescribed = 20

type spawnArgs struct {
	Components map[string]json.RawMessage `json:"components" jsonschema:"values by component name"`
	Count      int                        `json:"count,omitempty" jsonschema:"how many" debug:"min=1,max=10000,default=1"`
	Target     *entities.Arg              `json:"target,omitempty" jsonschema:"relation target"`
	Targets    map[string]entities.Arg    `json:"targets,omitempty" jsonschema:"several: by relation"`
}

type spawnResult struct {
	Entity   string      `json:"entity" jsonschema:"the new entity, the first of several"`
	Entities []entityRow `json:"entities" jsonschema:"the new entities, at most 20 of them"`
	Count    int         `json:"count" jsonschema:"how many there are"`
}

// newValues are decoded component values and the relation among them.
type newValues struct {
	values    []ecs.Value
	relations []ecs.TypeID
}

type spawnPrep struct {
	in     spawnArgs
	values entities.FromCatalog[newValues]
}

type rowsCopy struct {
	rows  []entityCopy
	first ecs.Entity
	count int
	added bool
}

func spawnTool() *tools.Tool {
	return entities.WithForms[spawnArgs](tools.NewPhased(tools.Spec{
		Name:        "spawn",
		Description: "Creates entities. describe shows a component's fields and an example.",
		Example:     `{"components":{"Position":{"X":10,"Y":20}}}`,
	}, tools.Phases[spawnArgs, spawnPrep, *rowsCopy, spawnResult]{
		Before: func(c *tools.Call, in spawnArgs) (spawnPrep, error) {
			if err := targetsWriting(in.Target, in.Targets); err != nil {
				return spawnPrep{}, err
			}
			values, err := entities.Make(c, func(cat *ecs.Catalog) (newValues, error) { return decodeValues(cat, in.Components) })
			return spawnPrep{in, values}, err
		},
		Frame: func(f *tools.Frame, p spawnPrep) (*rowsCopy, error) {
			values, err := p.values.On(f)
			if err != nil {
				return nil, err
			}
			cat := f.World.Catalog()
			targets, err := relationTargets(f.World, cat, values.relations, p.in.Target, p.in.Targets)
			if err != nil {
				return nil, err
			}
			es, err := f.World.Apply([]ecs.Change{{Op: ecs.OpSpawn, Count: p.in.Count, Values: values.values, Targets: targets}})
			if err != nil {
				return nil, err
			}
			out := &rowsCopy{count: len(es)}
			if len(es) > 0 {
				out.first = es[0]
			}
			out.describe(f.World, es)
			return out, nil
		},
		After: func(_ *tools.Call, c *rowsCopy) (spawnResult, error) {
			return spawnResult{Entity: c.first.String(), Entities: c.encode(), Count: c.count}, nil
		},
	}))
}

// describe copies the first entities out.
func (r *rowsCopy) describe(w ecs.World, es []ecs.Entity) {
	cat := w.Catalog()
	for _, e := range es[:min(len(es), maxDescribed)] {
		if c, row, ok := w.Row(e); ok {
			r.rows = append(r.rows, takeRow(cat, c, row, true, nil))
		}
	}
}

// encode makes rows of the copies, as many as fit.
func (r *rowsCopy) encode() []entityRow {
	rows := make([]entityRow, len(r.rows))
	for i := range r.rows {
		rows[i] = r.rows[i].row(value.EncodeOptions{Bulk: true})
		rows[i].shrink(page.DefaultMaxBytes)
	}
	if n := page.Cut(rows, page.DefaultMaxBytes); n < len(rows) {
		rows = rows[:max(n, 1)]
	}
	return rows
}

// decodeValues decodes components given by name.
func decodeValues(cat *ecs.Catalog, components map[string]json.RawMessage) (newValues, error) {
	var out newValues
	names := make([]string, 0, len(components))
	for name := range components {
		names = append(names, name)
	}
	slices.Sort(names) // the same refusal for the same call
	for _, name := range names {
		comp, err := cat.Component(name)
		if err != nil {
			return out, err
		}
		if slices.ContainsFunc(out.values, func(v ecs.Value) bool { return v.Type == comp.ID }) {
			return out, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%s is given twice, under two of its names", comp.Name), Got: name}
		}
		v, err := decodeComponent(comp, components[name])
		if err != nil {
			return out, err
		}
		out.values = append(out.values, ecs.Value{Type: comp.ID, Value: v})
		if comp.Relation {
			out.relations = append(out.relations, comp.ID)
		}
	}
	return out, nil
}

// decodeComponent decodes a whole value on top of the type's defaults; null
// and an absent value are the default itself.
func decodeComponent(comp *ecs.Component, raw json.RawMessage) (reflect.Value, error) {
	if len(raw) == 0 || string(raw) == "null" && comp.Type.Root.Kind == value.KindStruct || comp.Tag && string(raw) == "true" {
		return comp.Type.New(), nil
	}
	v, err := comp.Type.DecodeJSON(raw, reflect.Value{})
	if err != nil {
		return v, prefixComponent(comp.Name, err)
	}
	return v, nil
}

func prefixComponent(name string, err error) error {
	e, ok := err.(*refusal.Error)
	if !ok || len(e.Message) >= len(name) && e.Message[:len(name)] == name {
		return err
	}
	d := *e
	d.Message = name + ": " + e.Message
	return &d
}

type setArgs struct {
	Entity    entities.Arg            `json:"entity" jsonschema:"full id, like 42v3"`
	Component string                  `json:"component" jsonschema:"its name"`
	Value     json.RawMessage         `json:"value,omitempty" jsonschema:"the whole new value"`
	Target    *entities.Arg           `json:"target,omitempty" jsonschema:"relation target"`
	Targets   map[string]entities.Arg `json:"targets,omitempty" jsonschema:"several: by relation"`
}

type setResult struct {
	Added      bool                       `json:"added" jsonschema:"whether the entity had no such component before"`
	Entity     string                     `json:"entity" jsonschema:"the entity"`
	Name       string                     `json:"name,omitempty" jsonschema:"its label"`
	Components []string                   `json:"components" jsonschema:"names of all its components"`
	Relations  map[string]ecs.Entity      `json:"relations,omitempty" jsonschema:"relation targets by relation; null for none"`
	Values     map[string]json.RawMessage `json:"values,omitempty" jsonschema:"the component's value now"`
	Errors     map[string]string          `json:"errors,omitempty" jsonschema:"why the value is missing"`
}

type setPrep struct {
	in    setArgs
	value entities.FromCatalog[newValues]
}

func setTool() *tools.Tool {
	return entities.WithForms[setArgs](tools.NewPhased(tools.Spec{
		Name: "set", Idempotent: true,
		Description: "Replaces a component's whole value, or adds it. modify changes single fields.",
		Example:     `{"entity":"42v3","component":"Position","value":{"X":1,"Y":2}}`,
	}, tools.Phases[setArgs, setPrep, *rowsCopy, setResult]{
		Before: func(c *tools.Call, in setArgs) (setPrep, error) {
			if err := in.Entity.Writing("entity"); err != nil {
				return setPrep{}, err
			}
			if err := targetsWriting(in.Target, in.Targets); err != nil {
				return setPrep{}, err
			}
			val, err := entities.Make(c, func(cat *ecs.Catalog) (newValues, error) {
				return decodeValues(cat, map[string]json.RawMessage{in.Component: in.Value})
			})
			return setPrep{in, val}, err
		},
		Frame: setFrame,
		After: func(_ *tools.Call, c *rowsCopy) (setResult, error) {
			r := c.encode()[0]
			return setResult{Added: c.added, Entity: r.Entity, Name: r.Name, Components: r.Components, Relations: r.Relations, Values: r.Values, Errors: r.Errors}, nil
		},
	}))
}

func setFrame(f *tools.Frame, p setPrep) (*rowsCopy, error) {
	w, e := f.World, p.in.Entity.Entity
	val, err := p.value.On(f)
	if err != nil {
		return nil, err
	}
	if err := ecs.CheckAlive(w, e); err != nil {
		return nil, err
	}
	cat := w.Catalog()
	c, _, ok := w.Row(e)
	if !ok {
		return nil, ecs.CheckAlive(w, e)
	}
	id := val.values[0].Type
	added := !slices.Contains(c.Components(), id)
	relations := val.relations
	if len(p.in.Targets) > 0 {
		for _, t := range c.Targets() {
			if !slices.Contains(relations, t.Relation) {
				relations = append(relations, t.Relation)
			}
		}
	}
	targets, err := relationTargets(w, cat, relations, p.in.Target, p.in.Targets)
	if err != nil {
		return nil, err
	}
	var changes []ecs.Change
	if added {
		own := slices.DeleteFunc(slices.Clone(targets), func(t ecs.Target) bool { return t.Relation != id })
		changes = append(changes, ecs.Change{Op: ecs.OpAdd, Entity: e, Values: val.values, Targets: own})
		targets = slices.DeleteFunc(targets, func(t ecs.Target) bool { return t.Relation == id })
	} else if len(targets) == 0 || len(p.in.Value) > 0 {
		// A call that only moves targets leaves the value alone.
		changes = append(changes, ecs.Change{Op: ecs.OpSet, Entity: e, Values: val.values})
	}
	if len(targets) > 0 {
		changes = append(changes, ecs.Change{Op: ecs.OpRetarget, Entity: e, Targets: targets})
	}
	if _, err := w.Apply(changes); err != nil {
		return nil, err
	}
	out := &rowsCopy{added: added, first: e, count: 1}
	cat = w.Catalog()
	c, row, ok := w.Row(e)
	if !ok {
		return nil, ecs.CheckAlive(w, e)
	}
	out.rows = []entityCopy{takeRow(cat, c, row, true, []ecs.TypeID{id})}
	return out, nil
}
