package worldtools

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/tools"
)

type despawnArgs struct {
	Entity   *entities.Arg  `json:"entity,omitempty" jsonschema:"full id, like 42v3"`
	Entities []entities.Arg `json:"entities,omitempty" jsonschema:"or several"`
	Query    *selection     `json:"query,omitempty" jsonschema:"or all that match, as in query"`
}

type despawnResult struct {
	Despawned int      `json:"despawned" jsonschema:"how many entities are gone"`
	Skipped   int      `json:"skipped" jsonschema:"how many were dead already"`
	Reasons   []string `json:"reasons,omitempty" jsonschema:"why entities were skipped, at most 5"`
}

// despawning is what to remove: a list, or what a query finds on the frame.
type despawning struct {
	list  []ecs.Entity
	query bool
	plan  entities.FromCatalog[*query.Plan]
}

func despawnTool() *tools.Tool {
	return entities.WithForms[despawnArgs](tools.NewPhased(tools.Spec{
		Name: "despawn", Idempotent: true,
		Description: "Removes entities; dead ones count as skipped.",
		Example:     `{"entities":["42v3","43v1"]}`,
	}, tools.Phases[despawnArgs, despawning, despawnResult, despawnResult]{Before: despawnBefore, Frame: despawnFrame}),
		reflect.TypeFor[*selection]()) // as query lists it
}

func despawnBefore(c *tools.Call, in despawnArgs) (d despawning, err error) {
	list := in.Entities
	if in.Entity != nil {
		if err := in.Entity.Writing("entity"); err != nil {
			return d, err
		}
		list = append(slices.Clone(list), *in.Entity)
	}
	if d.query = in.Query != nil; d.query == (len(list) > 0) {
		return d, &refusal.Error{Code: refusal.InvalidArguments, Message: "say which entities to remove: by entity and entities, or by a query", Options: []string{"entity", "entities", "query"}, Total: 3}
	}
	if d.query {
		if reflect.ValueOf(*in.Query).IsZero() {
			return d, &refusal.Error{Code: refusal.InvalidArguments, Message: "query is empty: it would remove every entity", Options: []string{"with", "where", "name"}, Total: 3,
				Hint: `"where":"true" says that all are meant`}
		}
		d.plan, err = entities.Make(c, func(cat *ecs.Catalog) (*query.Plan, error) { return query.Compile(cat, in.Query.query()) })
		return d, err
	}
	seen := make(map[ecs.Entity]bool, len(list))
	for i, a := range list {
		if err := a.Writing(fmt.Sprintf("entities[%d]", i)); err != nil {
			return d, err
		}
		if !seen[a.Entity] {
			seen[a.Entity] = true
			d.list = append(d.list, a.Entity)
		}
	}
	return d, nil
}

func despawnFrame(f *tools.Frame, d despawning) (out despawnResult, err error) {
	list := d.list
	if d.query {
		if list, err = found(f, d.plan); err != nil {
			return out, err
		}
	}
	var changes []ecs.Change
	for _, e := range list {
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
}

// found lists the entities that a query finds now.
func found(f *tools.Frame, p entities.FromCatalog[*query.Plan]) (list []ecs.Entity, err error) {
	plan, err := p.On(f)
	if err != nil {
		return nil, err
	}
	_, err = plan.Rows(f.World, func(c ecs.Chunk, rows []int32) bool {
		for _, row := range rows {
			list = append(list, c.Entity(int(row)))
		}
		return true
	})
	return list, err
}
