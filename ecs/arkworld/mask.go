package arkworld

import loupe "github.com/loupe-ecs/loupe/ecs"

// mask is a set of component types; Ark has no public one.
type mask [4]uint64

func (m *mask) set(id loupe.TypeID) {
	if id >= 0 && id < 256 {
		m[id>>6] |= 1 << (id & 63)
	}
}

func (m *mask) contains(o *mask) bool {
	return m[0]&o[0] == o[0] && m[1]&o[1] == o[1] && m[2]&o[2] == o[2] && m[3]&o[3] == o[3]
}

func (m *mask) overlaps(o *mask) bool {
	return m[0]&o[0]|m[1]&o[1]|m[2]&o[2]|m[3]&o[3] != 0
}

// matcher is a Filter over masks.
type matcher struct {
	with, without mask
	exclusive     bool
	target        *loupe.Entity
	relation      *loupe.TypeID // with target; nil: any
}

// match translates f; false when a type it wants is not in this world, so that
// nothing can match.
func (w *World) match(f loupe.Filter) (m matcher, ok bool) {
	for _, id := range f.With {
		if id < 0 || int(id) >= len(w.types) {
			return m, false
		}
		m.with.set(id)
	}
	for _, id := range f.Without {
		m.without.set(id)
	}
	m.exclusive, m.target, m.relation = f.Exclusive, f.Target, f.Relation
	return m, true
}

func (m *matcher) composition(have *mask) bool {
	if m.exclusive && *have != m.with {
		return false
	}
	return have.contains(&m.with) && !have.overlaps(&m.without)
}

func (m *matcher) targets(ts []loupe.Target) bool {
	if m.target == nil {
		return true
	}
	for _, t := range ts {
		if t.Entity == *m.target && (m.relation == nil || t.Relation == *m.relation) {
			return true
		}
	}
	return false
}
