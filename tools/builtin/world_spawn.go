package builtin

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/tools"
)

// maxDescribed is how many entities an answer of a tool that changes many shows.
const maxDescribed = 20

type spawnArgs struct {
	Components map[string]json.RawMessage `json:"components" jsonschema:"values by component name; other fields get defaults"`
	Count      int                        `json:"count,omitempty" jsonschema:"how many equal entities" debug:"min=1,max=10000,default=1"`
	Target     *entityArg                 `json:"target,omitempty" jsonschema:"target of the relation"`
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
	values late[newValues]
}

type rowsCopy struct {
	rows  []entityCopy
	first ecs.Entity
	count int
	added bool
}

func spawnTool() *tools.Tool {
	return withEntities[spawnArgs](tools.NewPhased(tools.Spec{
		Name: "spawn", Destructive: true,
		Description: "Creates entities with the given components; a refusal creates nothing. describe shows a component's fields and an example.",
		Example:     `{"components":{"Position":{"X":10,"Y":20}}}`,
	}, tools.Phases[spawnArgs, spawnPrep, *rowsCopy, spawnResult]{
		Before: func(c *tools.Call, in spawnArgs) (spawnPrep, error) {
			if in.Target != nil {
				if err := in.Target.writing("target"); err != nil {
					return spawnPrep{}, err
				}
			}
			values, err := early(c, func(cat *ecs.Catalog) (newValues, error) { return decodeValues(cat, in.Components) })
			return spawnPrep{in, values}, err
		},
		Frame: func(f *tools.Frame, p spawnPrep) (*rowsCopy, error) {
			values, err := p.values.on(f)
			if err != nil {
				return nil, err
			}
			cat := f.World.Catalog()
			targets, err := relationTargets(f.World, cat, values.relations, p.in.Target)
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
		rows[i] = r.rows[i].row(ecs.EncodeOptions{Bulk: true})
		rows[i].shrink(defaultMaxBytes)
	}
	if n := cut(rows, defaultMaxBytes); n < len(rows) {
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
			return out, notAComponent(cat, name, err)
		}
		if slices.ContainsFunc(out.values, func(v ecs.Value) bool { return v.Type == comp.ID }) {
			return out, &ecs.Error{Code: ecs.InvalidArguments, Message: fmt.Sprintf("%s is given twice, under two of its names", comp.Name), Got: name}
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

// notAComponent says so if the name is a resource's.
func notAComponent(cat *ecs.Catalog, name string, err error) error {
	e, ok := err.(*ecs.Error)
	if _, rerr := cat.Resource(name); !ok || rerr != nil {
		return err
	}
	d := *e
	d.Message = fmt.Sprintf("%s is a resource, not a component; entities cannot have it", name)
	d.Hint = "resources_info and resources_modify read and change resources"
	return &d
}

// decodeComponent decodes a whole value on top of the type's defaults; null
// and an absent value are the default itself.
func decodeComponent(comp *ecs.Component, raw json.RawMessage) (reflect.Value, error) {
	if len(raw) == 0 || string(raw) == "null" && comp.Type.Root.Kind == ecs.KindStruct || comp.Tag && string(raw) == "true" {
		return comp.Type.New(), nil
	}
	v, err := comp.Type.DecodeJSON(raw, reflect.Value{})
	if err != nil {
		return v, prefixComponent(comp.Name, err)
	}
	return v, nil
}

func prefixComponent(name string, err error) error {
	e, ok := err.(*ecs.Error)
	if !ok || len(e.Message) >= len(name) && e.Message[:len(name)] == name {
		return err
	}
	d := *e
	d.Message = name + ": " + e.Message
	return &d
}

// relationTargets pairs the target argument with the one relation it can mean.
func relationTargets(w ecs.World, cat *ecs.Catalog, relations []ecs.TypeID, target *entityArg) ([]ecs.Target, error) {
	if target == nil {
		return nil, nil
	}
	switch len(relations) {
	case 1:
	case 0:
		return nil, &ecs.Error{Code: ecs.InvalidArguments, Message: "target: none of the components is a relation", Got: target.entity.String(),
			Options: relationNames(cat), Total: len(relationNames(cat)), Hint: "a target belongs to a relation component"}
	default:
		return nil, &ecs.Error{Code: ecs.InvalidArguments, Message: "target: several of the components are relations, so it could mean any of them",
			Got: target.entity.String(), Options: componentNames(cat, relations), Total: len(relations),
			Hint: "give one relation here and set the others afterwards"}
	}
	if !target.entity.IsZero() {
		if err := requireAlive(w, target.entity); err != nil {
			return nil, err
		}
	}
	return []ecs.Target{{Relation: relations[0], Entity: target.entity}}, nil
}

func relationNames(cat *ecs.Catalog) []string {
	var names []string
	for _, c := range cat.Components {
		if c.Relation && len(names) < 10 {
			names = append(names, c.Name)
		}
	}
	return names
}

type setArgs struct {
	Entity    entityArg       `json:"entity" jsonschema:"full id, like 42v3"`
	Component string          `json:"component" jsonschema:"name of the component"`
	Value     json.RawMessage `json:"value,omitempty" jsonschema:"the whole new value"`
	Target    *entityArg      `json:"target,omitempty" jsonschema:"target, if the component is a relation"`
}

type setResult struct {
	Added      bool                       `json:"added" jsonschema:"whether the entity had no such component before"`
	Entity     string                     `json:"entity" jsonschema:"the entity"`
	Name       string                     `json:"name,omitempty" jsonschema:"its label"`
	Components []string                   `json:"components" jsonschema:"names of all its components"`
	Values     map[string]json.RawMessage `json:"values,omitempty" jsonschema:"the component's value now"`
	Errors     map[string]string          `json:"errors,omitempty" jsonschema:"why the value is missing"`
}

type setPrep struct {
	in    setArgs
	value late[newValues]
}

func setTool() *tools.Tool {
	return withEntities[setArgs](tools.NewPhased(tools.Spec{
		Name: "set", Destructive: true, Idempotent: true,
		Description: "Replaces a component's whole value, or adds the component. Fields not named get defaults; modify changes single fields.",
		Example:     `{"entity":"42v3","component":"Position","value":{"X":1,"Y":2}}`,
	}, tools.Phases[setArgs, setPrep, *rowsCopy, setResult]{
		Before: func(c *tools.Call, in setArgs) (setPrep, error) {
			if err := in.Entity.writing("entity"); err != nil {
				return setPrep{}, err
			}
			if in.Target != nil {
				if err := in.Target.writing("target"); err != nil {
					return setPrep{}, err
				}
			}
			value, err := early(c, func(cat *ecs.Catalog) (newValues, error) {
				return decodeValues(cat, map[string]json.RawMessage{in.Component: in.Value})
			})
			return setPrep{in, value}, err
		},
		Frame: setFrame,
		After: func(_ *tools.Call, c *rowsCopy) (setResult, error) {
			r := c.encode()[0]
			return setResult{Added: c.added, Entity: r.Entity, Name: r.Name, Components: r.Components, Values: r.Values, Errors: r.Errors}, nil
		},
	}))
}

func setFrame(f *tools.Frame, p setPrep) (*rowsCopy, error) {
	w, e := f.World, p.in.Entity.entity
	value, err := p.value.on(f)
	if err != nil {
		return nil, err
	}
	if err := requireAlive(w, e); err != nil {
		return nil, err
	}
	cat := w.Catalog()
	targets, err := relationTargets(w, cat, value.relations, p.in.Target)
	if err != nil {
		return nil, err
	}
	c, _, ok := w.Row(e)
	if !ok {
		return nil, requireAlive(w, e)
	}
	id := value.values[0].Type
	var changes []ecs.Change
	added := !slices.Contains(c.Components(), id)
	if added {
		changes = append(changes, ecs.Change{Op: ecs.OpAdd, Entity: e, Values: value.values, Targets: targets})
	} else {
		// A call that only moves the target leaves the value alone.
		if len(targets) == 0 || len(p.in.Value) > 0 {
			changes = append(changes, ecs.Change{Op: ecs.OpSet, Entity: e, Values: value.values})
		}
		if len(targets) > 0 {
			changes = append(changes, ecs.Change{Op: ecs.OpRetarget, Entity: e, Targets: targets})
		}
	}
	if _, err := w.Apply(changes); err != nil {
		return nil, err
	}
	out := &rowsCopy{added: added, first: e, count: 1}
	cat = w.Catalog()
	c, row, ok := w.Row(e)
	if !ok {
		return nil, requireAlive(w, e)
	}
	out.rows = []entityCopy{takeRow(cat, c, row, true, []ecs.TypeID{id})}
	return out, nil
}
