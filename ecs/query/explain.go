package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
)

// Explanation says how a plan's matches came about.
type Explanation struct {
	Matched    int              `json:"matched" jsonschema:"entities that match"`
	Filters    []FilterCount    `json:"filters,omitempty" jsonschema:"what is decided by archetype, step by step"`
	Archetypes []ArchetypeCount `json:"archetypes" jsonschema:"archetypes that all filters leave, the largest first, at most 20"`
	More       int              `json:"moreArchetypes,omitempty" jsonschema:"archetypes that are not listed"`
	Conditions []ConditionCount `json:"conditions,omitempty" jsonschema:"the conditions of where, as written"`
	Why        string           `json:"why,omitempty" jsonschema:"why nothing matches"`
}

// FilterCount is what is left after one filter and those before it.
type FilterCount struct {
	Filter     string `json:"filter" jsonschema:"the filter"`
	Archetypes int    `json:"archetypes" jsonschema:"archetypes with entities that are left after it"`
	Entities   int    `json:"entities" jsonschema:"entities that are left after it"`
	Alone      int    `json:"alone" jsonschema:"entities that it would leave alone"`
}

// ArchetypeCount is an archetype that the filters leave.
type ArchetypeCount struct {
	ID         int      `json:"id" jsonschema:"number of the archetype, for archetypes_info"`
	Components []string `json:"components" jsonschema:"its components"`
	Entities   int      `json:"entities" jsonschema:"its entities"`
	Matched    int      `json:"matched" jsonschema:"those of them that match"`
}

// ConditionCount is how one condition of where fared among the rows that
// with, without, exclusive and target leave.
type ConditionCount struct {
	Condition string `json:"condition" jsonschema:"the condition"`
	Rows      int    `json:"rows" jsonschema:"entities asked: those that passed the conditions before it"`
	Passed    int    `json:"passed" jsonschema:"entities that passed it too"`
	Alone     int    `json:"alone" jsonschema:"entities that would pass it without the other conditions"`
}

const maxExplained = 20

// Explain runs the plan and tells which archetypes match, how many rows each
// condition passed, and why nothing matches. On the frame goroutine.
func (p *Plan) Explain(w ecs.World) (*Explanation, error) {
	p, err := p.Bind(w)
	if err != nil {
		return nil, err
	}
	ex := &Explanation{Archetypes: []ArchetypeCount{}}
	for _, c := range p.prog.conds {
		ex.Conditions = append(ex.Conditions, ConditionCount{Condition: c.text})
	}
	cat := w.Catalog()
	p.explainFilters(w, cat, ex)
	matched := map[int]int{}
	p.each(w, nil, ex, func(c ecs.Chunk, rows []int32) bool {
		ex.Matched += len(rows)
		matched[c.Archetype()] += len(rows)
		return true
	})
	for c := range w.Chunks(p.Filter(w)) {
		row := ArchetypeCount{ID: c.Archetype(), Entities: c.Len(), Matched: matched[c.Archetype()]}
		for _, id := range c.Components() {
			row.Components = append(row.Components, cat.Components[id].Name)
		}
		ex.Archetypes = append(ex.Archetypes, row)
	}
	slices.SortStableFunc(ex.Archetypes, func(a, b ArchetypeCount) int { return b.Entities - a.Entities })
	if len(ex.Archetypes) > maxExplained {
		ex.More = len(ex.Archetypes) - maxExplained
		ex.Archetypes = ex.Archetypes[:maxExplained]
	}
	if ex.Matched == 0 {
		ex.Why = p.why(cat, ex)
	}
	return ex, nil
}

func (p *Plan) explainFilters(w ecs.World, cat *ecs.Catalog, ex *Explanation) {
	var f ecs.Filter
	step := func(text string, alone ecs.Filter) {
		archetypes, entities := count(w, f)
		_, only := count(w, alone)
		ex.Filters = append(ex.Filters, FilterCount{Filter: text, Archetypes: archetypes, Entities: entities, Alone: only})
	}
	for _, id := range p.with {
		f.With = append(f.With, id)
		text := "with " + cat.Components[id].Name
		if !slices.ContainsFunc(p.query.With, func(n string) bool { c, err := cat.Component(n); return err == nil && c.ID == id }) {
			text += " (named in where)"
		}
		step(text, ecs.Filter{With: []ecs.TypeID{id}})
	}
	for _, id := range p.without {
		f.Without = append(f.Without, id)
		step("without "+cat.Components[id].Name, ecs.Filter{Without: []ecs.TypeID{id}})
	}
	if p.query.Exclusive {
		f.Exclusive = true
		step("exclusive", ecs.Filter{With: p.with, Exclusive: true})
	}
	if p.query.Target != "" {
		f.Target, f.Relation = p.Filter(w).Target, p.relation
		text := "target " + f.Target.String()
		if p.relation != nil {
			text = cat.Components[*p.relation].Name + " " + text
		}
		step(text, ecs.Filter{Target: f.Target, Relation: f.Relation})
	}
}

func count(w ecs.World, f ecs.Filter) (archetypes, entities int) {
	for c := range w.Chunks(f) {
		archetypes++
		entities += c.Len()
	}
	return archetypes, entities
}

// why names the first filter or condition that left nothing.
func (p *Plan) why(cat *ecs.Catalog, ex *Explanation) string {
	if cat.Entities.Alive == 0 {
		return "the world has no entities"
	}
	for _, f := range ex.Filters {
		switch {
		case f.Entities > 0:
		case f.Alone == 0:
			return fmt.Sprintf("no entity at all passes %q", f.Filter)
		default:
			return fmt.Sprintf("%d entities pass %q, none of them also what comes before it", f.Alone, f.Filter)
		}
	}
	for _, c := range ex.Conditions {
		switch {
		case c.Passed > 0:
		case c.Alone == 0:
			return fmt.Sprintf("none of the %d entities with these components passes %s", p.rowsAsked(ex), c.Condition)
		default:
			return fmt.Sprintf("%d entities pass %s, none of them also the conditions before it", c.Alone, c.Condition)
		}
	}
	if p.name != "" {
		return fmt.Sprintf("no label of what is left contains %q", strings.ToLower(p.query.Name))
	}
	return "the world has changed meanwhile"
}

func (p *Plan) rowsAsked(ex *Explanation) int { return ex.Conditions[0].Rows }

// explainBlock runs the conditions as written and counts.
func (p *Plan) explainBlock(st *state, ex *Explanation) {
	all := st.sel
	for i := range p.prog.conds {
		cond, count := &p.prog.conds[i], &ex.Conditions[i]
		alone := all
		cond.pred(st, &alone)
		count.Alone += alone.n
		count.Rows += st.sel.n
		if st.sel.n > 0 {
			cond.pred(st, &st.sel)
		}
		count.Passed += st.sel.n
	}
}
