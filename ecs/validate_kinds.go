package ecs

import (
	"fmt"
	"slices"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// composition refuses to make entities that the engine has no place for.
func (p *validation) composition(types []TypeID) *refusal.Error {
	switch e := &p.cat.Engine; {
	case e.FixedArchetypes && !p.cat.Has(types):
		return &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("%s makes no entity of %s", e.Name, p.names(types)),
			Got: p.names(types), Options: p.kinds(), Hint: "every entity is of one of the kinds that the game registered"}
	case e.NeedsComponent && len(types) == 0:
		return &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("an entity of %s has at least one component", e.Name), Hint: "name the components of the new entity"}
	}
	return nil
}

// fixed refuses to change what an entity consists of where no engine can.
func (p *validation) fixed(e Entity, s *planned) *refusal.Error {
	if !p.cat.Engine.FixedArchetypes {
		return nil
	}
	return &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("%s is %s for good: entities of %s neither get nor lose components", e, p.names(s.types), p.cat.Engine.Name),
		Got: p.names(s.types), Hint: "set or modify changes its values; spawn makes another entity"}
}

// Has reports whether an archetype consists of exactly these types. Any
// goroutine.
func (c *Catalog) Has(types []TypeID) bool {
	return slices.ContainsFunc(c.Archetypes, func(a Archetype) bool {
		return len(a.Components) == len(types) && !slices.ContainsFunc(types, func(id TypeID) bool { return !slices.Contains(a.Components, id) })
	})
}

func (p *validation) names(types []TypeID) string {
	if len(types) == 0 {
		return "no component"
	}
	text := ""
	for i, id := range types {
		if i > 0 {
			text += ", "
		}
		text += p.name(id)
	}
	return text
}

// kinds lists what entities there can be, at most ten.
func (p *validation) kinds() []string {
	var kinds []string
	for _, a := range p.cat.Archetypes {
		if len(kinds) < 10 {
			kinds = append(kinds, p.names(a.Components))
		}
	}
	return kinds
}
