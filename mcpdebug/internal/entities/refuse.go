package entities

import (
	"fmt"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// CheckComponent refuses an entity that lacks a component, and says what it has.
func CheckComponent(cat *ecs.Catalog, c ecs.Chunk, e ecs.Entity, comp *ecs.Component) error {
	if slices.Contains(c.Components(), comp.ID) {
		return nil
	}
	names := Names(cat, c.Components())
	has := "no components at all"
	if len(names) > 0 {
		has = JoinLimited(names, 20)
	}
	return &refusal.Error{Code: refusal.ComponentMissing, Message: fmt.Sprintf("entity %v has no %s; it has %s", e, comp.Name, has),
		Got: comp.Name, Options: refusal.Nearest(comp.Name, names), Total: len(names), Hint: "set adds a component that is absent", Next: "set"}
}

func JoinLimited(names []string, n int) string {
	s := ""
	for i, name := range names {
		if i == n {
			return s + fmt.Sprintf(" and %d more", len(names)-n)
		}
		if i > 0 {
			s += ", "
		}
		s += name
	}
	return s
}

func NoWorld() error {
	return &refusal.Error{Code: refusal.NoWorld, Message: "no world is bound: the game has not called Bind yet"}
}

// Names names component types by their numbers.
func Names(cat *ecs.Catalog, ids []ecs.TypeID) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = cat.Components[id].Name
	}
	return names
}
