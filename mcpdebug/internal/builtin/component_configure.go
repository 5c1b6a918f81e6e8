package builtin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/schema"
	"github.com/loupe-ecs/loupe/tools"
)

// configureTool makes <Component>_configure: the writable properties of a
// component as arguments. It is modify under another calling convention and
// runs modify's own checks and frame part. Nil: nothing is writable.
func configureTool(registry *tools.Registry, comp *ecs.Component, name string) *tools.Tool {
	c := &configure{typ: comp.Type, component: comp.Type.ID, paths: map[string]string{}}
	props := []*value.Field{entityArgument(comp.Type.Name)}
	switch {
	case comp.Tag:
		return nil
	case comp.Type.Root.Kind != value.KindStruct:
		if comp.Type.Root.Kind == value.KindOpaque || comp.Type.Root.ReadOnly {
			return nil
		}
		f := *comp.Type.Root
		f.Name, f.Optional = "value", true
		props = append(props, &f)
		c.paths["value"] = ""
	default:
		for _, f := range comp.Type.Fields {
			if f.Hidden || f.ReadOnly || f.Kind == value.KindOpaque {
				continue
			}
			g := *f
			g.Optional = true
			if f.Name == "entity" { // the entity to change has that name
				g.Name = "entity_"
			}
			props = append(props, &g)
			c.paths[g.Name] = f.Name
		}
	}
	if len(props) == 1 {
		return nil
	}
	c.args = props
	return &tools.Tool{
		Spec: tools.Spec{
			Name:        name,
			Description: fmt.Sprintf("Changes an entity's %s: name at least one property.", comp.Name),
			Idempotent:  true, NeedsWorld: true,
		},
		InputSchema:  schema.AtLeast(schema.Object(props), 2),
		Fields:       props,
		OutputSchema: outputOf(registry, "modify"),
		Handler:      c,
	}
}

type configure struct {
	typ       *value.Type
	component string
	args      []*value.Field
	paths     map[string]string // argument name -> field path
}

// Prepare implements [tools.Handler].
func (c *configure) Prepare(call *tools.Call, raw json.RawMessage) (tools.Job, error) {
	args, entity, err := splitEntity(raw, c.args)
	if err != nil {
		return tools.Job{}, err
	}
	values := make(map[string]json.RawMessage, len(args))
	for name, v := range args {
		path, ok := c.paths[name]
		if !ok && slices.Contains(c.typ.Promoted(), name) {
			path, ok = name, true
		}
		if !ok {
			return tools.Job{}, c.unknown(name)
		}
		values[path] = v
	}
	if len(values) == 0 {
		return tools.Job{}, &refusal.Error{Code: refusal.InvalidArguments,
			Message: fmt.Sprintf("name at least one property of %s to change", c.typ.Name), Options: argNames(c.args[1:]), Total: len(c.args) - 1}
	}
	b, err := json.Marshal(map[string]any{"entity": entity, "component": c.component, "values": values})
	if err != nil {
		return tools.Job{}, err
	}
	job, err := prepareWith(call, "modify", b)
	if e, ok := err.(*refusal.Error); ok && e.Code == refusal.UnknownField {
		d := *e
		d.Code = refusal.InvalidArguments
		err = &d
	}
	return job, err
}

// unknown explains why a property is no argument: read-only and computed ones
// are refused by name.
func (c *configure) unknown(name string) error {
	e := &refusal.Error{Code: refusal.InvalidArguments, Got: name, Options: refusal.Nearest(name, argNames(c.args)), Total: len(c.args),
		Message: fmt.Sprintf("unknown argument %q; %s has %s", name, c.typ.Name, strings.Join(argNames(c.args[1:]), ", "))}
	for _, f := range c.typ.Fields {
		if f.Name == name && (f.ReadOnly || f.Kind == value.KindOpaque) {
			e.Message = fmt.Sprintf("%s.%s is read-only; the writable properties are %s", c.typ.Name, name, strings.Join(argNames(c.args[1:]), ", "))
		}
	}
	for _, v := range c.typ.Computed {
		if v.Name == name {
			e.Message = fmt.Sprintf("%s.%s is computed from the other properties and cannot be set; the writable ones are %s", c.typ.Name, name, strings.Join(argNames(c.args[1:]), ", "))
		}
	}
	return e
}

func entityArgument(component string) *value.Field {
	return &value.Field{Name: "entity", Kind: value.KindEntity, Doc: "full id, like 42v3"}
}

func argNames(fields []*value.Field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// splitEntity takes the entity argument, as it came, out of an arguments object.
func splitEntity(raw json.RawMessage, fields []*value.Field) (args map[string]json.RawMessage, entity json.RawMessage, err error) {
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "the arguments must be a JSON object", Got: string(raw[:min(len(raw), 80)])}
		}
	}
	entity, ok := args["entity"]
	if !ok {
		return nil, nil, &refusal.Error{Code: refusal.InvalidArguments, Message: `missing argument "entity": ` + fields[0].Doc, Want: "entity",
			Options: argNames(fields)[:min(len(fields), 10)], Total: len(fields), Next: "query"}
	}
	delete(args, "entity")
	return args, entity, nil
}

// prepareWith hands a call on to another registered tool's handler.
func prepareWith(call *tools.Call, name string, raw json.RawMessage) (tools.Job, error) {
	p, ok := listing.Of(call.Registry).Lookup(name)
	if !ok {
		return tools.Job{}, &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("%s works through the tool %s, which this host has removed", call.Request.Name, name)}
	}
	return p.Handler.Prepare(call, raw)
}

// outputOf is the output schema of another registered tool.
func outputOf(registry *tools.Registry, name string) *tools.Schema {
	if p, ok := listing.Of(registry).Lookup(name); ok {
		return p.Tool.OutputSchema
	}
	return nil
}
