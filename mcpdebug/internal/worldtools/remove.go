package worldtools

import (
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/tools"
)

type removeArgs struct {
	Entity    entities.Arg `json:"entity" jsonschema:"full id, like 42v3"`
	Component string       `json:"component" jsonschema:"its name"`
}

type removeResult struct {
	Entity     string   `json:"entity" jsonschema:"the entity"`
	Removed    bool     `json:"removed" jsonschema:"whether the component was removed"`
	Skipped    bool     `json:"skipped,omitempty" jsonschema:"the entity had no such component"`
	Components []string `json:"components" jsonschema:"what it has now"`
}

type removePrep struct {
	in   removeArgs
	comp entities.FromCatalog[ecs.TypeID]
}

func removeTool() *tools.Tool {
	return entities.WithForms[removeArgs](tools.NewPhased(tools.Spec{
		Name: "remove", Idempotent: true,
		Description: "Takes a component from an entity; one that lacks it is skipped.",
		Example:     `{"entity":"42v3","component":"Velocity"}`,
	}, tools.Phases[removeArgs, removePrep, removeResult, removeResult]{
		Before: func(c *tools.Call, in removeArgs) (removePrep, error) {
			if err := in.Entity.Writing("entity"); err != nil {
				return removePrep{}, err
			}
			comp, err := entities.Make(c, func(cat *ecs.Catalog) (ecs.TypeID, error) {
				comp, err := cat.Component(in.Component)
				if err != nil {
					return 0, err
				}
				return comp.ID, nil
			})
			return removePrep{in, comp}, err
		},
		Frame: func(f *tools.Frame, p removePrep) (removeResult, error) {
			w, e := f.World, p.in.Entity.Entity
			id, err := p.comp.On(f)
			if err != nil {
				return removeResult{}, err
			}
			if err := ecs.CheckAlive(w, e); err != nil {
				return removeResult{}, err
			}
			out := removeResult{Entity: e.String()}
			c, _, ok := w.Row(e)
			if ok && slices.Contains(c.Components(), id) {
				if _, err := w.Apply([]ecs.Change{{Op: ecs.OpRemove, Entity: e, Types: []ecs.TypeID{id}}}); err != nil {
					return removeResult{}, err
				}
				out.Removed = true
			} else {
				out.Skipped = true
			}
			if c, _, ok := w.Row(e); ok {
				out.Components = entities.Names(w.Catalog(), c.Components())
			}
			return out, nil
		},
	}))
}
