package worldtools

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/tools"
)

type archetypesArgs struct {
	With  []string `json:"with,omitempty" jsonschema:"only with these components"`
	Empty bool     `json:"empty,omitempty" jsonschema:"also those without entities"`
	Limit int      `json:"limit,omitempty" jsonschema:"rows" debug:"min=1,max=10000,default=50"`
	page.Args
	past.At
}

type archetypeRow struct {
	ID             int         `json:"id" jsonschema:"number of the archetype now; it may change when archetypes are added"`
	Components     []string    `json:"components" jsonschema:"its components"`
	Target         string      `json:"target,omitempty" jsonschema:"target of its entities' first relation that has one"`
	Targets        []targetRow `json:"targets,omitempty" jsonschema:"every relation of its entities"`
	Entities       int         `json:"entities" jsonschema:"how many entities it has"`
	Capacity       int         `json:"capacity" jsonschema:"how many it has room for"`
	Bytes          int64       `json:"bytes" jsonschema:"memory reserved for it, in bytes"`
	BytesPerEntity int         `json:"bytesPerEntity" jsonschema:"memory of one entity in it, in bytes"`
}

type targetRow struct {
	Relation string     `json:"relation" jsonschema:"the relation"`
	Target   ecs.Entity `json:"target" jsonschema:"the entity it points at; null for none"`
}

type archetypesResult struct {
	Archetypes []archetypeRow `json:"archetypes" jsonschema:"the archetypes, in the engine's order"`
	page.Info
	past.Tick
}

func archetypeOf(cat *ecs.Catalog, a *ecs.Archetype) archetypeRow {
	r := archetypeRow{ID: a.ID, Components: entities.Names(cat, a.Components), Entities: a.Entities, Capacity: a.Capacity,
		Bytes: a.Bytes, BytesPerEntity: a.BytesPerEntity}
	for _, t := range a.Targets {
		if !t.Entity.IsZero() {
			r.Target = cmp.Or(r.Target, t.Entity.String())
		}
		r.Targets = append(r.Targets, targetRow{Relation: cat.Components[t.Relation].Name, Target: t.Entity})
	}
	return r
}

func archetypesListTool(then *past.Past) *tools.Tool {
	type prep struct {
		in   archetypesArgs
		with entities.FromCatalog[[]ecs.TypeID]
	}
	type copied struct {
		in   archetypesArgs
		cat  *ecs.Catalog
		with []ecs.TypeID
	}
	return tools.NewPhased(tools.Spec{
		Name: "archetypes_list", Effect: tools.ReadOnly, Idempotent: true, OffFrameWith: past.With,
		Description: "Lists archetypes with entities and memory.",
		Example:     `{"with":["Health"]}`,
	}, tools.Phases[archetypesArgs, prep, copied, archetypesResult]{
		Instead: func(c *tools.Call, in archetypesArgs) (*tools.Frame, error) { return then.Frame(c, in.At) },
		Before: func(c *tools.Call, in archetypesArgs) (prep, error) {
			with, err := entities.Make(c, func(cat *ecs.Catalog) ([]ecs.TypeID, error) { return componentIDs(cat, "with", in.With) })
			return prep{in, with}, err
		},
		Frame: func(f *tools.Frame, p prep) (copied, error) {
			with, err := p.with.On(f)
			return copied{p.in, f.World.Catalog(), with}, err
		},
		After: func(_ *tools.Call, c copied) (archetypesResult, error) {
			var rows []archetypeRow
			for i := range c.cat.Archetypes {
				a := &c.cat.Archetypes[i]
				if a.Entities == 0 && !c.in.Empty || slices.ContainsFunc(c.with, func(id ecs.TypeID) bool { return !slices.Contains(a.Components, id) }) {
					continue
				}
				rows = append(rows, archetypeOf(c.cat, a))
			}
			page, info, err := page.Of("archetypes_list", rows, c.in.Limit, c.in.Args,
				func(r *archetypeRow) string { return strconv.Itoa(r.ID) }, "pass next as cursor, or narrow it with the argument with")
			return archetypesResult{Archetypes: page, Info: info}, err
		},
	})
}

type archetypeArgs struct {
	ID int `json:"id" jsonschema:"number, from archetypes_list" debug:"min=0"`
}

type archetypeResult struct {
	archetypeRow
	Sample []entityRow `json:"sample" jsonschema:"the first entities in it, at most 10"`
}

func archetypesInfoTool() *tools.Tool {
	type copied struct {
		row    archetypeRow
		sample []entityCopy
	}
	return tools.NewPhased(tools.Spec{
		Name: "archetypes_info", Effect: tools.ReadOnly, Idempotent: true,
		Description: "Shows one archetype with its first entities.",
		Example:     `{"id":0}`,
	}, tools.Phases[archetypeArgs, archetypeArgs, copied, archetypeResult]{
		Frame: func(f *tools.Frame, in archetypeArgs) (copied, error) {
			cat := f.World.Catalog()
			i := slices.IndexFunc(cat.Archetypes, func(a ecs.Archetype) bool { return a.ID == in.ID })
			if i < 0 {
				return copied{}, &refusal.Error{Code: refusal.NotFound, Message: "there is no archetype " + strconv.Itoa(in.ID), Got: in.ID,
					Want: "0 to " + strconv.Itoa(len(cat.Archetypes)-1), Next: "archetypes_list"}
			}
			a := &cat.Archetypes[i]
			out := copied{row: archetypeOf(cat, a)}
			for c := range f.World.Chunks(ecs.Filter{With: a.Components, Exclusive: true}) {
				if c.Archetype() != a.ID {
					continue
				}
				for row := range min(c.Len(), 10) {
					out.sample = append(out.sample, takeRow(cat, c, row, false, nil))
				}
			}
			return out, nil
		},
		After: func(_ *tools.Call, c copied) (archetypeResult, error) {
			out := archetypeResult{archetypeRow: c.row, Sample: make([]entityRow, len(c.sample))}
			for i := range c.sample {
				out.Sample[i] = c.sample[i].row(value.EncodeOptions{Bulk: true})
			}
			return out, nil
		},
	})
}
