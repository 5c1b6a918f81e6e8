package surprise

import (
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/tools"
)

// Args are what a tool that runs ticks takes for its differences. Embed it.
type Args struct {
	Diff   bool     `json:"diff,omitempty" jsonschema:"tell what changed"`
	Select []string `json:"select,omitempty" jsonschema:"values to answer; of diff only these"`
}

// Told is what it answers. Embed it.
type Told struct {
	Diff     *Differences `json:"diff,omitempty" jsonschema:"what changed from the first to the last of the ticks"`
	Selected *Values      `json:"selected,omitempty" jsonschema:"the values of select at the end"`
}

// Asked is a request for differences and values on its way. The zero value asks
// for none.
type Asked struct {
	span   span
	in     Args
	paths  entities.FromCatalog[[]place]
	chosen []place   // as of the beginning
	world  ecs.World // that they belong to
	values *Reading
}

// place is one path of select.
type place struct {
	text string // as it was written
	name string // as a diff calls it
	comp *ecs.Component
	res  *ecs.Resource
	path *value.Path
}

// Ask checks what a call asks for, before it is queued.
func Ask(c *tools.Call, in Args) (a Asked, err error) {
	if a.in = in; a.wanted() {
		a.paths, err = entities.Make(c, func(cat *ecs.Catalog) ([]place, error) { return resolve(cat, in.Select) })
	}
	return a, err
}

func (a *Asked) wanted() bool { return a.in.Diff || len(a.in.Select) > 0 }

func resolve(cat *ecs.Catalog, paths []string) ([]place, error) {
	out := make([]place, len(paths))
	for i, text := range paths {
		p := place{text: text}
		comp, path, err := cat.ComponentPath(text)
		if err == nil {
			p.comp, p.path, p.name = comp, path, join(comp.Name, path.Text)
		} else {
			res, path, errR := cat.ResourcePath(text)
			if errR != nil {
				return nil, unknown(err, errR)
			}
			p.res, p.path, p.name = res, path, join(res.Name, path.Text)
		}
		out[i] = p
	}
	return out, nil
}

// unknown is the refusal that helps more: a resource that exists and has no such
// field, or what the component's name may have been.
func unknown(component, resource error) error {
	e, ok := component.(*refusal.Error)
	if r, is := resource.(*refusal.Error); is && r.Code != refusal.NotFound {
		e, ok = r, true
	}
	if !ok {
		return component
	}
	c := *e
	c.Message = "select: " + c.Message
	return &c
}

func join(name, path string) string {
	if path == "" || path[0] == '[' {
		return name + path
	}
	return name + "." + path
}

// Start takes the beginning, if differences are wanted. Frame goroutine.
func (a *Asked) Start(f *tools.Frame) (err error) {
	switch {
	case !a.wanted():
		return nil
	case f.World == nil:
		return entities.NoWorld()
	}
	a.world = f.World
	if a.chosen, err = a.paths.On(f); err != nil || !a.in.Diff {
		return err
	}
	return a.span.begin(f.World, f.App)
}

// Stop takes the end. match, where it is not nil, tells whose values are
// selected: the first few for which it is called back. Of another world than that
// of the beginning nothing is. Frame goroutine.
func (a *Asked) Stop(f *tools.Frame, match func(visit func(ecs.Chunk, int) bool)) (err error) {
	if a.span.begun() {
		if err = a.span.end(f.World); err != nil {
			return err
		}
	}
	if len(a.in.Select) > 0 && f.World != nil && f.World == a.world {
		a.values = read(f.World, a.chosen, match)
	}
	return nil
}

// Tell is the answer. Off the frame.
func (a *Asked) Tell() (t Told, err error) {
	var only []string
	for _, p := range a.chosen {
		only = append(only, p.name)
	}
	if t.Diff, err = a.span.differences(only); err == nil {
		t.Selected = a.values.Told()
	}
	return t, err
}
