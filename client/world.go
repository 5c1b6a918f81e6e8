package client

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Query asks for entities: the arguments of the tool query.
type Query struct {
	Name      string   `json:"name,omitempty"` // part of the label
	With      []string `json:"with,omitempty"`
	Without   []string `json:"without,omitempty"`
	Exclusive bool     `json:"exclusive,omitempty"`
	Target    string   `json:"target,omitempty"` // of a relation
	Where     string   `json:"where,omitempty"`  // a Go condition over field paths
	Select    []string `json:"select,omitempty"` // only these paths
	Sort      string   `json:"sort,omitempty"`   // a path; - before it: descending
	// NoValues leaves the components' values out.
	NoValues bool `json:"-"`
	// Page is how many entities a call brings. Default 50.
	Page int `json:"limit,omitempty"`
}

// Row is one entity that a query found.
type Row struct {
	Entity     string                     `json:"entity"`
	Name       string                     `json:"name"`
	Components []string                   `json:"components"`
	Values     map[string]json.RawMessage `json:"values"` // by component, or by selected path
}

// Query yields the entities that match, page by page as they are wanted: later
// pages are of later frames. An error ends it.
func (c *Client) Query(ctx context.Context, q Query) iter.Seq2[Row, error] {
	type paged struct {
		Query
		Values *bool  `json:"values,omitempty"`
		Cursor string `json:"cursor,omitempty"`
	}
	ask := paged{Query: q}
	if q.NoValues {
		ask.Values = new(bool)
	}
	return func(yield func(Row, error) bool) {
		for {
			var r struct {
				Entities []Row  `json:"entities"`
				Next     string `json:"next"`
			}
			if err := c.Into(ctx, "query", ask, &r); err != nil {
				yield(Row{}, err)
				return
			}
			for _, row := range r.Entities {
				if !yield(row, nil) {
					return
				}
			}
			if r.Next == "" {
				return
			}
			ask.Cursor = r.Next
		}
	}
}

// Count is how many entities match.
func (c *Client) Count(ctx context.Context, q Query) (int, error) {
	q.NoValues, q.Page = true, 1
	var r struct {
		Matched int `json:"matched"`
	}
	ask := struct {
		Query
		Values bool `json:"values"`
	}{Query: q}
	err := c.Into(ctx, "query", ask, &r)
	return r.Matched, err
}

// Spawn makes an entity of components by name.
func (c *Client) Spawn(ctx context.Context, components map[string]any) (*Entity, error) {
	var r struct {
		Entity string `json:"entity"`
	}
	if err := c.Into(ctx, "spawn", map[string]any{"components": components}, &r); err != nil {
		return nil, err
	}
	return c.Entity(r.Entity), nil
}

// Resource is a handle of a resource of the world.
type Resource struct {
	c    *Client
	name string
}

// Resource makes a handle of a resource, by any of its type's names.
func (c *Client) Resource(name string) *Resource { return &Resource{c, name} }

// Get reads a field ("" for the whole resource): its JSON.
func (r *Resource) Get(ctx context.Context, path string) (json.RawMessage, error) {
	ask := map[string]any{"name": r.name}
	if path != "" {
		ask["path"] = path
	}
	var a struct {
		Value json.RawMessage `json:"value"`
	}
	err := r.c.Into(ctx, "resources_info", ask, &a)
	return a.Value, err
}

// Set writes one field.
func (r *Resource) Set(ctx context.Context, path string, v any) error {
	_, err := r.c.Call(ctx, "resources_modify", map[string]any{"name": r.name, "values": map[string]any{path: v}})
	return err
}

// Stats is what the tool stats answers of what every engine has; Raw is all of
// it.
type Stats struct {
	Locked bool            `json:"locked"`
	Frame  uint64          `json:"frame"`
	Raw    json.RawMessage `json:"-"`
}

// Stats reads the world's figures.
func (c *Client) Stats(ctx context.Context) (*Stats, error) {
	a, err := c.Call(ctx, "stats", nil)
	if err != nil {
		return nil, err
	}
	s := &Stats{Raw: a.JSON}
	if err := json.Unmarshal(a.JSON, s); err != nil {
		return nil, &ConnectionError{c.url, err}
	}
	return s, nil
}

// Step is one call of [Client.CallAll].
type Step struct {
	Tool      string `json:"tool"`
	Arguments any    `json:"arguments,omitempty"`
}

// CallAll runs several calls: in one frame and all or nothing where the game has
// the tool batch, else one after the other up to the first refusal. It returns
// the answers of those that were carried out.
func (c *Client) CallAll(ctx context.Context, steps ...Step) ([]json.RawMessage, error) {
	var r struct {
		Results []json.RawMessage `json:"results"`
	}
	err := c.Into(ctx, "batch", map[string]any{"calls": steps}, &r)
	var e *refusal.Error
	if err == nil || !errors.As(err, &e) || e.Code != refusal.NotFound {
		return r.Results, err
	}
	for _, s := range steps {
		a, err := c.Call(ctx, s.Tool, s.Arguments)
		if err != nil {
			return r.Results, err
		}
		r.Results = append(r.Results, a.JSON)
	}
	return r.Results, nil
}
