package worldtools

import (
	"fmt"
	"maps"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
)

// targetsWriting refuses bare slots among the targets, and both forms at once.
func targetsWriting(target *entities.Arg, targets map[string]entities.Arg) error {
	if target != nil {
		if len(targets) > 0 {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: "target and targets: give one of the two", Options: []string{"target", "targets"}, Total: 2,
				Hint: "targets names the relation of each, such as {\"ChildOf\":\"42v3\"}"}
		}
		return target.Writing("target")
	}
	for _, name := range sortedKeys(targets) {
		if err := targets[name].Writing("targets." + name); err != nil {
			return err
		}
	}
	return nil
}

// relationTargets pairs target with the one relation that it can mean, and
// each of targets with the relation it is named for.
func relationTargets(w ecs.World, cat *ecs.Catalog, relations []ecs.TypeID, target *entities.Arg, targets map[string]entities.Arg) ([]ecs.Target, error) {
	var out []ecs.Target
	add := func(relation ecs.TypeID, e ecs.Entity) error {
		if !e.IsZero() {
			if err := ecs.CheckAlive(w, e); err != nil {
				return err
			}
		}
		out = append(out, ecs.Target{Relation: relation, Entity: e})
		return nil
	}
	for _, name := range sortedKeys(targets) {
		comp, err := cat.Component(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(relations, comp.ID) {
			e := &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("targets: the entity has no relation %s", comp.Name), Got: comp.Name,
				Options: entities.Names(cat, relations), Total: len(relations), Hint: "give the relation among the components too"}
			if !comp.Relation {
				e.Message = fmt.Sprintf("targets: %s is no relation", comp.Name)
				e.Options = relationNames(cat)
				e.Total, e.Hint = len(e.Options), ""
			}
			return nil, e
		}
		if slices.ContainsFunc(out, func(t ecs.Target) bool { return t.Relation == comp.ID }) {
			return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("targets: %s is given twice, under two of its names", comp.Name), Got: name}
		}
		if err := add(comp.ID, targets[name].Entity); err != nil {
			return nil, err
		}
	}
	if target == nil {
		return out, nil
	}
	switch len(relations) {
	case 1:
		err := add(relations[0], target.Entity)
		return out, err
	case 0:
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "target: none of the components is a relation", Got: target.Entity.String(),
			Options: relationNames(cat), Total: len(relationNames(cat)), Hint: "a target belongs to a relation component"}
	}
	return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "target: several of the components are relations, so it could mean any of them",
		Got: target.Entity.String(), Options: entities.Names(cat, relations), Total: len(relations),
		Hint: "say targets, by relation: {\"" + cat.Components[relations[0]].Name + "\":\"" + target.Entity.String() + "\"}"}
}

// sortedKeys makes the same refusal of the same call.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func relationNames(cat *ecs.Catalog) []string {
	var names []string
	for _, c := range cat.Components {
		if c.Relation && len(names) < 10 {
			names = append(names, c.Name)
		}
	}
	return names
}
