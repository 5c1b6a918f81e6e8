package causes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
)

// A kind is the entities of one archetype, if there are many; one that lacks
// something of it is in an archetype of few entities with the same components
// but for one or two.
const (
	kindEntities = 10 // at least
	kindShare    = 10 // the few are at most a tenth of it
	kindLacks    = 2
)

// kindsThen looks at a recorded moment for what is over now: an entity that
// lacked something may not have lived long.
func (l *look) kindsThen(cat *ecs.Catalog, tick uint64) {
	then := &look{}
	then.kinds(cat)
	for _, f := range then.found {
		known := slices.ContainsFunc(l.found, func(x finding) bool {
			return x.Code == f.Code && afterCount(x.Text) == afterCount(f.Text)
		})
		if !known {
			f.Severity, f.Evidence = "info", fmt.Sprintf("tick %d, %s", tick, f.Evidence)
			f.Text = "then, " + f.Text
			f.Next = nextCall{"archetypes_list", json.RawMessage(fmt.Sprintf(`{"at":%d}`, tick))}
			l.found = append(l.found, f)
		}
	}
}

// afterCount is what a finding of kinds says without how many there are.
func afterCount(text string) string {
	_, lacks, _ := strings.Cut(text, " lack ")
	name, _, _ := strings.Cut(lacks, ",")
	return name
}

// kinds finds entities that lack a component which all others of their kind
// have. It reads counts of archetypes alone.
func (l *look) kinds(cat *ecs.Catalog) {
	if cat == nil {
		return
	}
	sets := map[string]*kindSet{}
	var order []*kindSet
	for i := range cat.Archetypes {
		a := &cat.Archetypes[i]
		if a.Entities == 0 || len(a.Components) == 0 {
			continue
		}
		key := fmt.Sprint(a.Components)
		s := sets[key]
		if s == nil { // archetypes that differ in a relation's target are one kind
			s = &kindSet{components: a.Components, id: a.ID}
			sets[key] = s
			order = append(order, s)
		}
		s.entities += a.Entities
	}
	for _, few := range order {
		var kind *kindSet
		for _, many := range order {
			if many.entities >= kindEntities && many.entities >= few.entities*kindShare && few.within(many) && (kind == nil || many.entities > kind.entities) {
				kind = many
			}
		}
		if kind == nil {
			continue
		}
		for _, id := range kind.components {
			if slices.Contains(few.components, id) {
				continue
			}
			c := cat.Components[id]
			severity := "warning"
			if c.Type.Size == 0 {
				severity = "info" // a tag comes and goes with what an entity does
			}
			l.add(severity, "lacks", "archetypes_info", fmt.Sprintf(`{"id":%d}`, few.id), fmt.Sprintf("archetypes %d and %d: %d and %d entities", few.id, kind.id, few.entities, kind.entities),
				"%d entities lack %s, which %d others that have all the same other components have (%s)", few.entities, c.Name, kind.entities, namesOf(cat, few.components))
		}
	}
}

type kindSet struct {
	components []ecs.TypeID
	entities   int
	id         int // of one archetype
}

// within tells whether all that s has is in many, which has a little more.
func (s *kindSet) within(many *kindSet) bool {
	more := len(many.components) - len(s.components)
	if more < 1 || more > kindLacks || len(s.components) < 2*more {
		return false
	}
	for _, id := range s.components {
		if !slices.Contains(many.components, id) {
			return false
		}
	}
	return true
}

func namesOf(cat *ecs.Catalog, ids []ecs.TypeID) (names string) {
	for i, id := range ids {
		if i > 0 {
			names += ", "
		}
		names += cat.Components[id].Name
	}
	return names
}
