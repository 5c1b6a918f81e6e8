package client

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Entity is a handle of one entity, by its id.
type Entity struct {
	c  *Client
	id string
}

// Entity makes a handle of an id, "42v3". Whether it lives, the game says when it
// is asked.
func (c *Client) Entity(id string) *Entity { return &Entity{c, id} }

// ID is the entity's id.
func (e *Entity) ID() string { return e.id }

// Find returns the one entity whose label is name, or has it in it. None and
// several are refusals; the options of several are their ids.
func (c *Client) Find(ctx context.Context, name string) (*Entity, error) {
	var found, same []string
	for row, err := range c.Query(ctx, Query{Name: name, NoValues: true}) {
		if err != nil {
			return nil, err
		}
		if found = append(found, row.Entity); row.Name == name {
			same = append(same, row.Entity)
		}
	}
	if len(same) > 0 {
		found = same
	}
	switch len(found) {
	case 0:
		return nil, &refusal.Error{Code: refusal.NotFound, Got: name, Message: fmt.Sprintf("no entity is called %q", name)}
	case 1:
		return c.Entity(found[0]), nil
	}
	return nil, &refusal.Error{Code: refusal.InvalidArguments, Got: name, Options: found[:min(len(found), 10)], Total: len(found),
		Message: fmt.Sprintf("%d entities are called %q", len(found), name)}
}

// Info is what the tool info answers.
type Info struct {
	Alive      bool                       `json:"alive"`
	Name       string                     `json:"name"`
	Components map[string]json.RawMessage `json:"components"`
	Relations  json.RawMessage            `json:"relations"`
	Errors     map[string]string          `json:"errors"`
	Frame      uint64                     `json:"frame"`
}

// Info reads the entity with all its components. A dead one is no error: Alive
// is false.
func (e *Entity) Info(ctx context.Context) (*Info, error) {
	r := &Info{}
	return r, e.c.Into(ctx, "info", map[string]any{"entity": e.id}, r)
}

// Despawn removes the entity from the world.
func (e *Entity) Despawn(ctx context.Context) error {
	_, err := e.c.Call(ctx, "despawn", map[string]any{"entity": e.id})
	return err
}

// Component is a handle of one component of one entity.
type Component struct {
	e    *Entity
	name string
}

// Component makes a handle of a component, by any of its type's names.
func (e *Entity) Component(name string) *Component { return &Component{e, name} }

// Get reads a field ("" for the whole component): its JSON.
func (p *Component) Get(ctx context.Context, path string) (json.RawMessage, error) {
	if path == "" {
		var r Info
		if err := p.e.c.Into(ctx, "info", map[string]any{"entity": p.e.id, "components": []string{p.name}}, &r); err != nil {
			return nil, err
		}
		if !r.Alive {
			return nil, &refusal.Error{Code: refusal.EntityDead, Got: p.e.id, Message: fmt.Sprintf("entity %s is dead", p.e.id)}
		}
		for _, v := range r.Components { // one was asked for, by any of its names
			return v, nil
		}
		return nil, p.missing()
	}
	whole, err := p.Get(ctx, "")
	if err != nil {
		return nil, err
	}
	if v, ok := follow(whole, path); ok {
		return v, nil
	}
	return p.computed(ctx, path)
}

// computed reads a value that is computed: info shows what is stored alone. A
// path that is neither is the game's to refuse.
func (p *Component) computed(ctx context.Context, path string) (json.RawMessage, error) {
	var r struct {
		Values []json.RawMessage `json:"values"`
	}
	if strings.ContainsAny(path, ".[") { // what is computed is a value of the component itself
		return nil, &refusal.Error{Code: refusal.UnknownField, Got: path, Message: fmt.Sprintf("%s of entity %s has no %s", p.name, p.e.id, path)}
	}
	code := fmt.Sprintf("return world.entity(%q)[%q].%s", p.e.id, p.name, path)
	if err := p.e.c.Into(ctx, "run_lua", map[string]any{"code": code}, &r); err != nil {
		return nil, err
	}
	if len(r.Values) == 0 {
		return nil, &refusal.Error{Code: refusal.UnknownField, Got: path, Message: fmt.Sprintf("%s has no %s", p.name, path)}
	}
	return r.Values[0], nil
}

func (p *Component) missing() error {
	return &refusal.Error{Code: refusal.ComponentMissing, Got: p.name, Message: fmt.Sprintf("entity %s has no %s", p.e.id, p.name)}
}

// Into reads a field ("" for the whole component) into a Go value.
func (p *Component) Into(ctx context.Context, path string, out any) error {
	v, err := p.Get(ctx, path)
	if err != nil {
		return err
	}
	return json.Unmarshal(v, out)
}

// Set writes one field.
func (p *Component) Set(ctx context.Context, path string, v any) error {
	_, err := p.Modify(ctx, map[string]any{path: v})
	return err
}

// Modified is what the tool modify answers.
type Modified struct {
	Changed int                        `json:"changed"`
	Skipped int                        `json:"skipped"`
	Before  map[string]json.RawMessage `json:"before"`
	After   map[string]json.RawMessage `json:"after"`
	Frame   uint64                     `json:"frame"`
}

// Modify writes several fields, by path: all of them or, refused, none.
func (p *Component) Modify(ctx context.Context, values map[string]any) (*Modified, error) {
	r := &Modified{}
	return r, p.e.c.Into(ctx, "modify", map[string]any{"entity": p.e.id, "component": p.name, "values": values}, r)
}

// Remove takes the component off the entity.
func (p *Component) Remove(ctx context.Context) error {
	_, err := p.e.c.Call(ctx, "remove", map[string]any{"entity": p.e.id, "component": p.name})
	return err
}

// Do runs an action of the component's type. arguments is what encodes as a JSON
// object, or nil. The answer is the action's own JSON.
func (p *Component) Do(ctx context.Context, action string, arguments any) (json.RawMessage, error) {
	args := map[string]any{}
	if arguments != nil {
		b, err := json.Marshal(arguments)
		if err == nil {
			err = json.Unmarshal(b, &args)
		}
		if err != nil {
			return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "the arguments are no JSON object: " + err.Error()}
		}
	}
	args["entity"] = p.e.id
	a, err := p.e.c.Call(ctx, p.name+"_"+action, args)
	if err != nil {
		return nil, err
	}
	return a.JSON, nil
}
