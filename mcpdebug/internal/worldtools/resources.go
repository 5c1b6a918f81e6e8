package worldtools

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/tools"
)

type resourcesArgs struct {
	Limit int `json:"limit,omitempty" jsonschema:"rows" debug:"min=1,max=1000,default=250"`
	page.Args
	past.At
}

type resourceRow struct {
	Name    string `json:"name" jsonschema:"the shortest name that is unique in the world"`
	Type    string `json:"type" jsonschema:"the full Go type"`
	Bytes   int    `json:"bytes" jsonschema:"size of the value itself, in bytes, without what it points at"`
	Present bool   `json:"present" jsonschema:"whether the world holds one now"`
	Doc     string `json:"doc,omitempty" jsonschema:"what it is for"`
}

type resourcesResult struct {
	Resources []resourceRow `json:"resources" jsonschema:"the resource types, in the order of their registration"`
	page.Info
	past.Tick
}

func resourcesListTool(then *past.Past) *tools.Tool {
	type copied struct {
		in  resourcesArgs
		cat *ecs.Catalog
	}
	return tools.NewPhased(tools.Spec{
		Name: "resources_list", Effect: tools.ReadOnly, Idempotent: true, OffFrameWith: past.With,
		Description: "Lists the world's resources.",
		Example:     `{}`,
	}, tools.Phases[resourcesArgs, resourcesArgs, copied, resourcesResult]{
		Instead: func(c *tools.Call, in resourcesArgs) (*tools.Frame, error) { return then.Frame(c, in.At) },
		Frame:   func(f *tools.Frame, in resourcesArgs) (copied, error) { return copied{in, f.World.Catalog()}, nil },
		After: func(_ *tools.Call, c copied) (resourcesResult, error) {
			rows := make([]resourceRow, len(c.cat.Resources))
			for i, r := range c.cat.Resources {
				rows[i] = resourceRow{Name: r.Name, Type: r.Type.ID, Bytes: int(r.Type.Size), Present: r.Present, Doc: r.Type.Doc}
			}
			page, info, err := page.Of("resources_list", rows, c.in.Limit, c.in.Args,
				func(r *resourceRow) string { return r.Type }, "pass next as cursor")
			return resourcesResult{Resources: page, Info: info}, err
		},
	})
}

type resourceArgs struct {
	Name     string `json:"name" jsonschema:"its name"`
	Path     string `json:"path,omitempty" jsonschema:"only this: Waves[2].Count"`
	MaxBytes int    `json:"maxBytes,omitempty" jsonschema:"bytes" debug:"min=1024,max=1048576,default=32768"`
	past.At
}

type resourceResult struct {
	Name    string          `json:"name" jsonschema:"the resource"`
	Type    string          `json:"type" jsonschema:"the full Go type"`
	Present bool            `json:"present" jsonschema:"whether the world holds one now"`
	Path    string          `json:"path,omitempty" jsonschema:"where in it the value is"`
	Value   json.RawMessage `json:"value,omitempty" jsonschema:"the value"`
	Omitted int             `json:"omittedBytes,omitempty" jsonschema:"the value was left out: so many bytes of JSON are more than maxBytes"`
	Parts   []string        `json:"parts,omitempty" jsonschema:"paths to ask for instead"`
	Hint    string          `json:"hint,omitempty" jsonschema:"how to ask for less"`
	past.Tick
}

// resourcePath is a resource and a place in it.
type resourcePath struct {
	res  *ecs.Resource
	path *value.Path
}

func resourcesInfoTool(then *past.Past) *tools.Tool {
	type prep struct {
		in resourceArgs
		at entities.FromCatalog[resourcePath]
	}
	type copied struct {
		in resourceArgs
		at resourcePath
		v  reflect.Value
	}
	return tools.NewPhased(tools.Spec{
		Name: "resources_info", Effect: tools.ReadOnly, Idempotent: true, OffFrameWith: past.With,
		Description: "Reads a resource, whole or at a path. resources_list names them.",
		Example:     `{"name":"Score"}`,
	}, tools.Phases[resourceArgs, prep, copied, resourceResult]{
		Instead: func(c *tools.Call, in resourceArgs) (*tools.Frame, error) { return then.Frame(c, in.At) },
		Before: func(c *tools.Call, in resourceArgs) (prep, error) {
			at, err := entities.Make(c, func(cat *ecs.Catalog) (resourcePath, error) {
				r, err := findResource(cat, in.Name)
				if err != nil {
					return resourcePath{}, err
				}
				p, err := r.Type.Path(in.Path)
				return resourcePath{r, p}, err
			})
			return prep{in, at}, err
		},
		Frame: func(f *tools.Frame, p prep) (copied, error) {
			at, err := p.at.On(f)
			if err != nil {
				return copied{}, err
			}
			out := copied{in: p.in, at: at}
			root, ok := f.World.Resource(at.res.ID)
			if !ok {
				return out, nil
			}
			err = safely(func() error {
				v, err := at.path.Get(root)
				if err == nil {
					out.v = value.Copy(v)
				}
				return err
			})
			return out, err
		},
		After: func(_ *tools.Call, c copied) (resourceResult, error) {
			out := resourceResult{Name: c.at.res.Name, Type: c.at.res.Type.ID, Present: c.v.IsValid(), Path: c.in.Path}
			if !c.v.IsValid() {
				out.Hint = "the type is registered, but the world holds none now"
				return out, nil
			}
			b, err := c.at.path.AppendJSON(nil, c.v, value.EncodeOptions{})
			if err != nil {
				return out, err
			}
			maxBytes := c.in.MaxBytes
			if maxBytes <= 0 {
				maxBytes = page.DefaultMaxBytes
			}
			if len(b) > maxBytes {
				out.Omitted, out.Parts = len(b), partsOf(c.in.Path, c.at.path)
				out.Hint = "ask for a part with path, or raise maxBytes"
				return out, nil
			}
			out.Value = b
			return out, nil
		},
	})
}

// partsOf names paths below a place.
func partsOf(prefix string, p *value.Path) []string {
	if p.Field == nil {
		return nil
	}
	var out []string
	f := p.Field
	for f.Kind == value.KindPointer && f.Elem != nil {
		f = f.Elem
	}
	switch f.Kind {
	case value.KindStruct:
		for _, c := range f.Fields {
			if !c.Hidden && len(out) < 20 {
				out = append(out, dotted(prefix, c.Name))
			}
		}
	case value.KindSlice, value.KindArray:
		out = append(out, prefix+"[0]")
	case value.KindMap:
		out = append(out, prefix+`["..."]`)
	}
	return out
}

func findResource(cat *ecs.Catalog, name string) (*ecs.Resource, error) {
	r, err := cat.Resource(name)
	if err == nil {
		return r, nil
	}
	if comp, cerr := cat.Component(name); cerr == nil {
		if e, ok := err.(*refusal.Error); ok {
			d := *e
			d.Message = comp.Name + " is a component, not a resource"
			d.Hint = "query, info and modify read and change components"
			err = &d
		}
	}
	return nil, err
}

type resourcesModifyArgs struct {
	Name   string                     `json:"name" jsonschema:"its name"`
	Values map[string]json.RawMessage `json:"values" jsonschema:"by path"`
}

type resourcesModifyResult struct {
	Changed int                        `json:"changed" jsonschema:"how many values were written"`
	Before  map[string]json.RawMessage `json:"before" jsonschema:"the old values by path"`
	After   map[string]json.RawMessage `json:"after" jsonschema:"the new values by path"`
}

func resourcesModifyTool() *tools.Tool {
	type target struct {
		res  *ecs.Resource
		list []edit
	}
	type copied struct {
		list          []edit
		before, after []reflect.Value
	}
	return tools.NewPhased(tools.Spec{
		Name: "resources_modify", Idempotent: true,
		Description: "Changes fields of a resource.",
		Example:     `{"name":"Score","values":{"Points":0}}`,
	}, tools.Phases[resourcesModifyArgs, entities.FromCatalog[target], copied, resourcesModifyResult]{
		Before: func(c *tools.Call, in resourcesModifyArgs) (entities.FromCatalog[target], error) {
			return entities.Make(c, func(cat *ecs.Catalog) (target, error) {
				r, err := findResource(cat, in.Name)
				if err != nil {
					return target{}, err
				}
				list, err := compileEdits(r.Type, r.Name, in.Values)
				return target{r, list}, err
			})
		},
		Frame: func(f *tools.Frame, p entities.FromCatalog[target]) (copied, error) {
			t, err := p.On(f)
			if err != nil {
				return copied{}, err
			}
			root, ok := f.World.Resource(t.res.ID)
			switch {
			case !ok:
				return copied{}, &refusal.Error{Code: refusal.NotFound, Message: t.res.Name + " is registered, but the world holds none now", Got: t.res.Name}
			case !root.CanAddr():
				return copied{}, &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("the game stores %s by value, not behind a pointer, so it cannot be changed from outside", t.res.Name)}
			}
			if err := checkEdits(f.World, t.res.Type, t.res.Name, t.list); err != nil {
				return copied{}, err
			}
			trial := value.Copy(root)
			for _, e := range t.list {
				if err := e.path.Set(trial, e.leaf); err != nil {
					return copied{}, refusedEdit(t.res.Type, t.res.Name, err)
				}
			}
			out := copied{list: t.list, before: readEdits(t.list, root)}
			for _, e := range t.list {
				if err := e.path.Set(root, value.Copy(e.leaf)); err != nil {
					return copied{}, err
				}
			}
			out.after = readEdits(t.list, root)
			return out, nil
		},
		After: func(_ *tools.Call, c copied) (resourcesModifyResult, error) {
			return resourcesModifyResult{Changed: len(c.list), Before: encodeEdits(c.list, c.before), After: encodeEdits(c.list, c.after)}, nil
		},
	})
}
