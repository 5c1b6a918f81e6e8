package past

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
)

type findArgs struct {
	Where  string `json:"where" jsonschema:"as in query, with prev(x)"`
	Entity string `json:"entity,omitempty" jsonschema:"only this"`
	Edge   string `json:"edge,omitempty" jsonschema:"to hold" debug:"enum=begins|ends,default=begins"`
	Which  string `json:"which,omitempty" debug:"enum=last|first,default=last" jsonschema:"of several"`
	From   *int64 `json:"from,omitempty" jsonschema:"tick"`
	To     *int64 `json:"to,omitempty" jsonschema:"tick"`
}

type findResult struct {
	Found    bool                       `json:"found" jsonschema:"whether there is such a tick"`
	Tick     *uint64                    `json:"tick,omitempty" jsonschema:"the tick"`
	Cause    string                     `json:"cause,omitempty" jsonschema:"what changed the world there, if it was not the tick itself: a client's call, a level load, a crash"`
	Entities []seen                     `json:"entities,omitempty" jsonschema:"for whom it began or ended, at most 10"`
	Total    int                        `json:"total,omitempty" jsonschema:"for how many"`
	Before   map[string]json.RawMessage `json:"before,omitempty" jsonschema:"the values in the condition a sample before, of the first entity"`
	After    map[string]json.RawMessage `json:"after,omitempty" jsonschema:"the same at the tick"`
	Samples  int                        `json:"samples" jsonschema:"how many were read"`
	Near     []timeline.Near            `json:"near,omitempty" jsonschema:"how near it came, part by part"`
	Hint     string                     `json:"hint,omitempty" jsonschema:"what to do next"`
}

type seen struct {
	Entity ecs.Entity `json:"entity" jsonschema:"the entity"`
	Name   string     `json:"name,omitempty" jsonschema:"its label then"`
}

func (p *Past) findTool() *tools.Tool {
	return tools.NewOff(tools.Spec{Name: "find_tick", Lasts: tools.Lasts, Effect: tools.ReadOnly, Idempotent: true,
		Example:     `{"where":"Health.HP < prev(Health.HP)","entity":"2v0"}`,
		Description: "Finds the tick at which a condition began or ended."}, p.find)
}

func (p *Past) find(c *tools.Call, in findArgs) (r findResult, err error) {
	l, from, to, err := p.span(c, in.From, in.To)
	if err != nil {
		return r, err
	}
	types := l.World(to).Catalog()
	q := query.Query{Where: in.Where, LookBack: true}
	s := timeline.Search{Ends: in.Edge == "ends", First: in.Which == "first"}
	if s.Plan, err = query.Compile(types, q); err != nil {
		return r, err
	}
	if s.Entity, err = entityOf(l, to, in.Entity); err != nil {
		return r, err
	}
	f, found := l.Search(from, to, s)
	r.Found, r.Samples = found, f.Samples
	if !found {
		r.Near = l.HowNear(from, to, types, q)
		r.Hint = fmt.Sprintf("not once from tick %d to %d", from.Tick, to.Tick)
		if s.Ends {
			r.Hint += "; what began and still holds has not ended: ask for edge begins"
		}
		return r, nil
	}
	r.Tick, r.Cause, r.Total = &f.Tick, f.Cause, f.Total
	w := l.World(f.Ref)
	named := w
	if s.Ends && f.Before != nil {
		named = l.World(*f.Before)
	}
	var first ecs.Entity
	for i, e := range f.Entities {
		if e.IsZero() { // a condition on resources alone
			r.Total = 0
			continue
		}
		if i == 0 {
			first = e
		}
		r.Entities = append(r.Entities, seen{e, nameOf(named, e)})
	}
	r.After = valuesOf(w, types, first, s.Plan.Paths())
	switch {
	case f.Before != nil:
		r.Before = valuesOf(l.World(*f.Before), types, first, s.Plan.Paths())
	case !s.Ends:
		r.Hint = "it held already at the first sample that was read: when it began is not recorded"
	}
	return r, nil
}

func nameOf(w ecs.World, e ecs.Entity) string {
	c, row, ok := w.Row(e)
	if !ok {
		return ""
	}
	return ecs.LabelOf(w.Catalog(), c, row)
}

// valuesOf are the values at paths: of the entity, or of resources.
func valuesOf(w ecs.World, types *ecs.Catalog, e ecs.Entity, paths []string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, path := range paths {
		out[path] = json.RawMessage("null")
		root, at, ok := rootOf(w, types, e, path)
		if !ok {
			continue
		}
		if v, err := safeGet(at, root); err == nil {
			if b, err := value.AppendJSON(nil, v, value.EncodeOptions{Bulk: true}); err == nil && len(b) <= 1024 {
				out[path] = b
			}
		}
	}
	return out
}

func safeGet(p *value.Path, root reflect.Value) (v reflect.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return p.Get(root)
}

// rootOf is the component or the resource that a path begins in.
func rootOf(w ecs.World, types *ecs.Catalog, e ecs.Entity, path string) (root reflect.Value, p *value.Path, ok bool) {
	at := ecs.LocatorOf(w)
	if comp, p, err := types.ComponentPath(path); err == nil {
		if at := at.Locate(e, comp.ID); at != nil {
			return reflect.NewAt(comp.Type.Go, at).Elem(), p, true
		}
		return root, p, false
	}
	res, p, err := types.ResourcePath(path)
	if err != nil {
		return root, nil, false
	}
	if at := at.LocateResource(res.ID); at != nil {
		return reflect.NewAt(res.Type.Go, at).Elem(), p, true
	}
	return root, p, false
}
