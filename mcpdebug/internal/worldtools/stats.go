package worldtools

import (
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/tools"
)

type statsArgs struct{ past.At }

type statsResult struct {
	Entities      ecs.EntityCounts `json:"entities" jsonschema:"the entity pool"`
	MemoryBytes   int64            `json:"memoryBytes" jsonschema:"what the engine has reserved for entities and components, in bytes"`
	Archetypes    archetypeCounts  `json:"archetypes" jsonschema:"archetypes"`
	Components    typeCounts       `json:"components" jsonschema:"component types"`
	Resources     typeCounts       `json:"resources" jsonschema:"resource types"`
	CachedFilters *int             `json:"cachedFilters,omitempty" jsonschema:"filters that the game registered with the engine"`
	Locked        bool             `json:"locked" jsonschema:"whether a query is open, so that nothing can be spawned, removed or despawned"`
	Engine        EngineFacts      `json:"engine" jsonschema:"the ECS engine"`
	past.Tick
}

type archetypeCounts struct {
	Total int   `json:"total" jsonschema:"how many there are"`
	Empty int   `json:"empty" jsonschema:"how many have no entities"`
	Idle  int64 `json:"idleBytes" jsonschema:"memory reserved by those without entities, in bytes"`
}

type typeCounts struct {
	Registered int `json:"registered" jsonschema:"how many the world knows"`
	InUse      int `json:"inUse" jsonschema:"how many an entity has, or are present"`
	Limit      int `json:"limit,omitempty" jsonschema:"how many the engine can take"`
}

// engineFacts is an engine as stats and capabilities tell of it.
type EngineFacts struct {
	Name               string   `json:"name" jsonschema:"name of the engine"`
	Version            string   `json:"version,omitempty" jsonschema:"version of its module"`
	MaxTypes           int      `json:"maxTypes,omitempty" jsonschema:"component types that work"`
	RelationsPerEntity int      `json:"relationsPerEntity,omitempty" jsonschema:"relations an entity may have; absent: no limit"`
	DanglingTargets    bool     `json:"danglingTargets" jsonschema:"a relation keeps its target after the target's death"`
	PointerHazard      bool     `json:"pointerHazard" jsonschema:"the engine moves rows without write barriers: components with pointers can be corrupted by the game's own moves"`
	NeedsComponent     bool     `json:"needsComponent,omitempty" jsonschema:"an entity has at least one component"`
	FixedArchetypes    bool     `json:"fixedArchetypes,omitempty" jsonschema:"entities keep the components they were made with"`
	Cannot             []string `json:"cannot,omitempty" jsonschema:"what the engine or its adapter cannot do"`
}

func EngineFactsOf(e ecs.Engine) EngineFacts {
	return EngineFacts{e.Name, e.Version, e.MaxTypes, e.RelationsPerEntity, e.DanglingTargets, e.PointerHazard, e.NeedsComponent, e.FixedArchetypes, e.Cannot}
}

func statsTool(then *past.Past) *tools.Tool {
	return tools.NewPhased(tools.Spec{
		Name: "stats", Effect: tools.ReadOnly, Idempotent: true, OffFrameWith: past.With,
		Description: "How large the world is: entity pool, memory, archetypes, types, lock, engine.",
		Example:     `{}`,
	}, tools.Phases[statsArgs, statsArgs, *ecs.Catalog, statsResult]{
		Instead: func(c *tools.Call, in statsArgs) (*tools.Frame, error) { return then.Frame(c, in.At) },
		Frame:   func(f *tools.Frame, _ statsArgs) (*ecs.Catalog, error) { return f.World.Catalog(), nil },
		After: func(_ *tools.Call, cat *ecs.Catalog) (statsResult, error) {
			out := statsResult{Entities: cat.Entities, MemoryBytes: cat.MemoryBytes, Locked: cat.Locked,
				Engine: EngineFactsOf(cat.Engine)}
			if cat.CachedFilters >= 0 {
				out.CachedFilters = &cat.CachedFilters
			}
			for i := range cat.Archetypes {
				out.Archetypes.Total++
				if cat.Archetypes[i].Entities == 0 {
					out.Archetypes.Empty++
					out.Archetypes.Idle += cat.Archetypes[i].Bytes
				}
			}
			out.Components = typeCounts{Registered: len(cat.Components), Limit: cat.Engine.MaxTypes}
			for _, c := range cat.Components {
				if c.Entities > 0 {
					out.Components.InUse++
				}
			}
			out.Resources.Registered = len(cat.Resources)
			for _, r := range cat.Resources {
				if r.Present {
					out.Resources.InUse++
				}
			}
			return out, nil
		},
	})
}

type componentsArgs struct {
	Names  []string `json:"names,omitempty" jsonschema:"only these, with fields"`
	Detail bool     `json:"detail,omitempty" jsonschema:"with fields"`
	Limit  int      `json:"limit,omitempty" jsonschema:"rows" debug:"min=1,max=1000,default=250"`
	page.Args
}

type componentRow struct {
	Name     string             `json:"name" jsonschema:"the shortest name that is unique in the world"`
	Type     string             `json:"type" jsonschema:"the full Go type"`
	ID       int                `json:"id" jsonschema:"number of the type in this world"`
	Entities int                `json:"entities" jsonschema:"how many entities have it"`
	Bytes    int64              `json:"bytes" jsonschema:"memory of its values, in bytes"`
	Tag      bool               `json:"tag" jsonschema:"whether it has no data"`
	Relation bool               `json:"relation" jsonschema:"whether it points at a target entity"`
	Doc      string             `json:"doc,omitempty" jsonschema:"what it is for"`
	Fields   []value.GuideField `json:"fields,omitempty" jsonschema:"its fields and computed values"`
}

type componentsResult struct {
	Components []componentRow `json:"components" jsonschema:"the component types, in the order of their registration"`
	page.Info
}

func componentsInfoTool() *tools.Tool {
	type prep struct {
		in   componentsArgs
		want entities.FromCatalog[[]ecs.TypeID]
	}
	type copied struct {
		in   componentsArgs
		cat  *ecs.Catalog
		want []ecs.TypeID
	}
	return tools.NewPhased(tools.Spec{
		Name: "components_info", Effect: tools.ReadOnly, Idempotent: true,
		Description: "Lists component types; names or detail: with fields.",
		Example:     `{"names":["Health"]}`,
	}, tools.Phases[componentsArgs, prep, copied, componentsResult]{
		Before: func(c *tools.Call, in componentsArgs) (prep, error) {
			want, err := entities.Make(c, func(cat *ecs.Catalog) ([]ecs.TypeID, error) { return componentIDs(cat, "names", in.Names) })
			return prep{in, want}, err
		},
		Frame: func(f *tools.Frame, p prep) (copied, error) {
			want, err := p.want.On(f)
			return copied{p.in, f.World.Catalog(), want}, err
		},
		After: func(_ *tools.Call, c copied) (componentsResult, error) {
			comps := c.cat.Components
			if len(c.want) > 0 {
				comps = make([]*ecs.Component, len(c.want))
				for i, id := range c.want {
					comps[i] = c.cat.Components[id]
				}
			}
			rows := make([]componentRow, len(comps))
			for i, comp := range comps {
				rows[i] = componentRow{Name: comp.Name, Type: comp.Type.ID, ID: int(comp.ID), Entities: comp.Entities, Bytes: comp.Bytes,
					Tag: comp.Tag, Relation: comp.Relation, Doc: comp.Type.Doc}
				if c.in.Detail || len(c.want) > 0 {
					rows[i].Fields = comp.Type.Guide().Fields
				}
			}
			page, info, err := page.Of("components_info", rows, c.in.Limit, c.in.Args,
				func(r *componentRow) string { return r.Type }, "pass next as cursor, or give names")
			return componentsResult{page, info}, err
		},
	})
}
