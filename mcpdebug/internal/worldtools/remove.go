package worldtools

import (
	"fmt"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/tools"
)

type removeArgs struct {
	Entity    entities.Arg `json:"entity" jsonschema:"full id, like 42v3"`
	Component string       `json:"component" jsonschema:"name of the component"`
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

type despawnArgs struct {
	Entity   *entities.Arg  `json:"entity,omitempty" jsonschema:"full id, like 42v3"`
	Entities []entities.Arg `json:"entities,omitempty" jsonschema:"or several of them"`
}

type despawnResult struct {
	Despawned int      `json:"despawned" jsonschema:"how many entities are gone"`
	Skipped   int      `json:"skipped" jsonschema:"how many were dead already"`
	Reasons   []string `json:"reasons,omitempty" jsonschema:"why entities were skipped, at most 5"`
}

func despawnTool() *tools.Tool {
	return entities.WithForms[despawnArgs](tools.NewPhased(tools.Spec{
		Name: "despawn", Idempotent: true,
		Description: "Removes entities; dead ones count as skipped.",
		Example:     `{"entities":["42v3","43v1"]}`,
	}, tools.Phases[despawnArgs, []ecs.Entity, despawnResult, despawnResult]{
		Before: func(_ *tools.Call, in despawnArgs) ([]ecs.Entity, error) {
			list := in.Entities
			if in.Entity != nil {
				if err := in.Entity.Writing("entity"); err != nil {
					return nil, err
				}
				list = append(slices.Clone(list), *in.Entity)
			}
			if len(list) == 0 {
				return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "say which entities to remove", Options: []string{"entity", "entities"}, Total: 2}
			}
			es := make([]ecs.Entity, 0, len(list))
			seen := make(map[ecs.Entity]bool, len(list))
			for i, a := range list {
				if err := a.Writing(fmt.Sprintf("entities[%d]", i)); err != nil {
					return nil, err
				}
				if !seen[a.Entity] {
					seen[a.Entity] = true
					es = append(es, a.Entity)
				}
			}
			return es, nil
		},
		Frame: func(f *tools.Frame, es []ecs.Entity) (despawnResult, error) {
			var out despawnResult
			var changes []ecs.Change
			for _, e := range es {
				err := ecs.CheckAlive(f.World, e)
				if err == nil {
					changes = append(changes, ecs.Change{Op: ecs.OpDespawn, Entity: e})
					continue
				}
				out.Skipped++
				if len(out.Reasons) < 5 {
					out.Reasons = append(out.Reasons, err.Error())
				}
			}
			if len(changes) > 0 {
				if _, err := f.World.Apply(changes); err != nil {
					return despawnResult{}, err
				}
			}
			out.Despawned = len(changes)
			return out, nil
		},
	}))
}
