package query

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Query selects entities, as a client writes it. The zero Query matches all.
type Query struct {
	Name      string   // part of the entity's label, case does not matter
	With      []string // component names
	Without   []string // component names
	Exclusive bool     // no other components than With and those Where names
	Target    string   // relation target: "42v3", or "42" for who lives there now
	Relation  string   // with Target: the relation that points at it; "": any
	Where     string   // Go boolean expression over field paths
	LookBack  bool     `json:"-"` // Where may ask for prev(x)
}

// Plan is a checked and compiled Query. Any goroutine may compile; running it
// is for the frame goroutine. It may be kept and reused, also while the body
// of one of its own runs executes, and also after the world's types changed or
// another world was bound: [Plan.Bind] notices.
type Plan struct {
	query      Query
	cat        *ecs.Catalog
	with       []ecs.TypeID // With, then what Where names
	without    []ecs.TypeID
	target     ecs.Entity
	targetBare bool        // only the slot number was given
	relation   *ecs.TypeID // that points at target; nil: any
	name       string
	used       []usedType // every type the plan reads or filters by
	prog       program
	spare      atomic.Pointer[state]
}

// usedType remembers what a number meant when the plan was compiled.
type usedType struct {
	source
	was *value.Type
}

// Compile checks q against the catalog. Errors teach (unknown_component,
// unknown_field, invalid_arguments with the column of the fault).
func Compile(cat *ecs.Catalog, q Query) (*Plan, error) {
	if cat == nil {
		return nil, &refusal.Error{Code: refusal.NoWorld, Message: "no world is bound, so there is nothing to query"}
	}
	p := &Plan{query: q, cat: cat, name: strings.ToLower(q.Name)}
	var err error
	if p.with, err = p.types("with", q.With); err != nil {
		return nil, err
	}
	if p.without, err = p.types("without", q.Without); err != nil {
		return nil, err
	}
	if q.Target != "" {
		e, full, err := ecs.ParseEntity(q.Target)
		if err != nil {
			return nil, err
		}
		p.target, p.targetBare = e, !full
	}
	if err := p.relationOf(q); err != nil {
		return nil, err
	}
	if strings.TrimSpace(q.Where) != "" {
		if p.prog, err = compileWhere(cat, q.Where, p.with, q.LookBack); err != nil {
			return nil, err
		}
		for _, s := range p.prog.columns {
			p.use(s)
			if !s.resource && !s.before && p.prog.required(s.id) && !slices.Contains(p.with, s.id) {
				p.with = append(p.with, s.id)
			}
		}
	}
	for _, id := range p.with {
		if slices.Contains(p.without, id) {
			name := cat.Components[id].Name
			return nil, &refusal.Error{Code: refusal.InvalidArguments,
				Message: fmt.Sprintf("%s is asked for and excluded at once: no entity can match", name),
				Got:     name, Hint: "where requires the components it names; ask has(" + name + ") in it to make one optional"}
		}
	}
	return p, nil
}

func (p *Plan) relationOf(q Query) error {
	if q.Relation == "" {
		return nil
	}
	c, err := p.cat.Component(q.Relation)
	switch {
	case err != nil:
		return prefixed("relation", err)
	case !c.Relation:
		var names []string
		for _, c := range p.cat.Components {
			if c.Relation {
				names = append(names, c.Name)
			}
		}
		return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("relation: %s is a component, but no relation", c.Name), Got: c.Name,
			Options: refusal.Nearest(c.Name, names), Total: len(names)}
	case q.Target == "":
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "relation says which relation points at target, and there is no target", Got: c.Name,
			Hint: "with:[\"" + c.Name + "\"] finds entities that have the relation, whatever its target"}
	}
	p.relation = &c.ID
	p.use(source{id: c.ID})
	return nil
}

// types resolves component names; a name given twice counts once.
func (p *Plan) types(what string, names []string) ([]ecs.TypeID, error) {
	var ids []ecs.TypeID
	for _, name := range names {
		c, err := p.cat.Component(name)
		if err != nil {
			return nil, prefixed(what, err)
		}
		if !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
			p.use(source{id: c.ID})
		}
	}
	return ids, nil
}

func (p *Plan) use(s source) {
	p.used = append(p.used, usedType{s, s.typ(p.cat)})
}

func prefixed(what string, err error) error {
	if e, ok := err.(*refusal.Error); ok {
		c := *e
		c.Message = what + ": " + c.Message
		return &c
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Query returns what the plan was compiled from.
func (p *Plan) Query() Query { return p.query }

// Components returns the component types that every match has because the
// query names them, in the order they were named. Do not change the slice.
func (p *Plan) Components() []ecs.TypeID { return p.with }

// Bind returns a plan that fits w as it is now: p itself, or p compiled anew
// when another world was bound meanwhile. Its errors are those of Compile, and
// unknown_entity for a bare target slot where nobody lives. On the frame
// goroutine.
func (p *Plan) Bind(w ecs.World) (*Plan, error) {
	cat := w.Catalog()
	if cat != p.cat && !p.fits(cat) {
		fresh, err := Compile(cat, p.query)
		if err != nil {
			return nil, err
		}
		p = fresh
	}
	if p.targetBare {
		if _, ok := w.Holder(p.target.ID); !ok {
			return nil, &refusal.Error{Code: refusal.UnknownEntity,
				Message: fmt.Sprintf("target: no entity lives in slot %d now", p.target.ID), Got: p.query.Target,
				Hint: `give the whole entity ("42v3") to ask about one that has died`}
		}
	}
	return p, nil
}

// fits reports whether the numbers that p uses still mean the same types.
func (p *Plan) fits(cat *ecs.Catalog) bool { return fits(cat, p.used) }

func fits(cat *ecs.Catalog, used []usedType) bool {
	for _, u := range used {
		n := len(cat.Components)
		if u.resource {
			n = len(cat.Resources)
		}
		if int(u.id) >= n {
			return false
		}
		if now := u.typ(cat); now.Go != u.was.Go || now.ID != u.was.ID {
			return false
		}
	}
	return true
}

// Filter returns the part of the plan that the engine decides by archetype.
func (p *Plan) Filter(w ecs.World) ecs.Filter {
	f := ecs.Filter{With: p.with, Without: p.without, Exclusive: p.query.Exclusive}
	if p.query.Target != "" {
		t := p.target
		if p.targetBare {
			t, _ = w.Holder(t.ID)
		}
		f.Target, f.Relation = &t, p.relation
	}
	return f
}

// LooksBack reports whether the condition asks for prev(x).
func (p *Plan) LooksBack() bool { return p.prog.looksBack }

// Global reports whether the query is a condition on resources alone: it holds
// or does not, whatever the entities are.
func (p *Plan) Global() bool {
	q := &p.query
	return len(p.prog.conds) > 0 && !p.prog.entities && len(p.with)+len(p.without) == 0 && q.Target == "" && q.Name == "" && !q.Exclusive
}

// Holds reports whether a [Plan.Global] condition holds.
func (p *Plan) Holds(w, before ecs.World) bool {
	p, err := p.Bind(w)
	if err != nil || !p.Global() {
		return false
	}
	st := p.acquire(w, before)
	defer p.release(st)
	st.sel.fill(0, 1)
	for _, cond := range p.prog.order {
		if cond.pred(st, &st.sel); st.sel.n == 0 {
			return false
		}
	}
	return true
}

// Paths lists the fields that the condition reads, by component or resource, as
// they are written in it.
func (p *Plan) Paths() []string { return p.prog.paths }

// Conditions lists the operands of the condition's outermost &&, as written.
func (p *Plan) Conditions() []string {
	out := make([]string, len(p.prog.conds))
	for i, c := range p.prog.conds {
		out[i] = c.text
	}
	return out
}

// perRow reports whether matching needs a look at single rows.
func (p *Plan) perRow() bool { return len(p.prog.conds) > 0 || p.name != "" }

// Each calls f with the matching rows of every chunk, block by block: f may be
// called several times for one chunk, each time with higher rows, and never
// with none. rows are row numbers in ascending order, valid during the call
// only. f returns false to stop. Each allocates nothing per chunk. A plan that
// does not fit w (see [Plan.Bind]) visits nothing.
func (p *Plan) Each(w ecs.World, f func(c ecs.Chunk, rows []int32) bool) {
	p.each(w, nil, nil, f)
}

func (p *Plan) each(w, before ecs.World, ex *Explanation, f func(c ecs.Chunk, rows []int32) bool) {
	p, err := p.Bind(w)
	if err != nil {
		return
	}
	st := p.acquire(w, before)
	defer p.release(st)
	for c := range w.Chunks(p.Filter(w)) {
		st.enter(p, c)
		n := c.Len()
		for lo := 0; lo < n; lo += blockLen {
			st.sel.fill(lo, min(blockLen, n-lo))
			if ex == nil {
				for _, cond := range p.prog.order {
					if cond.pred(st, &st.sel); st.sel.n == 0 {
						break
					}
				}
			} else {
				p.explainBlock(st, ex)
			}
			if p.name != "" && st.sel.n > 0 {
				st.named(p)
			}
			if st.sel.n == 0 {
				continue
			}
			if !f(c, st.sel.rows()) {
				return
			}
		}
	}
}

// Rows is Each that goes on counting when f has returned false. It returns how
// many entities match.
func (p *Plan) Rows(w ecs.World, f func(c ecs.Chunk, rows []int32) bool) (matched int, err error) {
	return p.RowsSince(w, nil, f)
}

// RowsSince is Rows with the world as it was a moment before, for prev(x). nil:
// none is known, and what asks for it does not hold.
func (p *Plan) RowsSince(w, before ecs.World, f func(c ecs.Chunk, rows []int32) bool) (matched int, err error) {
	if p, err = p.Bind(w); err != nil {
		return 0, err
	}
	more := true
	if !p.perRow() { // the engine's own filter decides: count without looking
		block := make([]int32, blockLen)
		for c := range w.Chunks(p.Filter(w)) {
			n := c.Len()
			matched += n
			for lo := 0; more && lo < n; lo += blockLen {
				rows := block[:min(blockLen, n-lo)]
				for k := range rows {
					rows[k] = int32(lo + k)
				}
				more = f(c, rows)
			}
		}
		return matched, nil
	}
	p.each(w, before, nil, func(c ecs.Chunk, rows []int32) bool {
		matched += len(rows)
		if more {
			more = f(c, rows)
		}
		return true
	})
	return matched, nil
}

// Count returns how many entities match. On the frame goroutine.
func (p *Plan) Count(w ecs.World) int {
	p, err := p.Bind(w)
	if err != nil {
		return 0
	}
	total := 0
	if !p.perRow() {
		for c := range w.Chunks(p.Filter(w)) {
			total += c.Len()
		}
		return total
	}
	p.Each(w, func(_ ecs.Chunk, rows []int32) bool {
		total += len(rows)
		return true
	})
	return total
}
