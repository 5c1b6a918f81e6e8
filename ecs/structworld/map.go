package structworld

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Map makes the values of a map of pointers a kind of entities. They are shown in
// the order in which they came into the map. (A map of structs cannot be
// registered: its values have no place that a tool could write to.)
func Map[K comparable, T any](name string, m *map[K]*T) Kind {
	return Kind{func(w *World) {
		join(w, name, &mapOf[K, T]{m: m, keys: map[*T]K{}, past: map[ecs.Entity]K{}})
		w.maps = true
	}}
}

type mapOf[K comparable, T any] struct {
	m    *map[K]*T
	keys map[*T]K         // of the pointers that were seen last
	lost map[*T]K         // of those that are gone since
	past map[ecs.Entity]K // of entities that were here: a restore may bring them back
	in   []*T             // in order
}

func (m *mapOf[K, T]) each(visit func(*T)) {
	same := len(*m.m) == len(m.in)
	for k, p := range *m.m {
		if was, ok := m.keys[p]; !ok || was != k {
			same = false
			break
		}
	}
	if !same {
		m.order()
	}
	for _, p := range m.in {
		visit(p)
	}
}

// order brings in line with the map: who was there keeps the order, new ones
// follow by key.
func (m *mapOf[K, T]) order() {
	type entry struct {
		p    *T
		text string
		key  K
	}
	now := make(map[*T]K, len(*m.m))
	var fresh []entry
	for k, p := range *m.m {
		if p == nil {
			continue
		}
		if _, twice := now[p]; twice {
			continue
		}
		if _, was := m.keys[p]; !was {
			fresh = append(fresh, entry{p, fmt.Sprintf("%20v", k), k})
		}
		now[p] = k
	}
	slices.SortFunc(fresh, func(a, b entry) int { return cmp.Compare(a.text, b.text) })
	m.in = slices.DeleteFunc(m.in, func(p *T) bool { _, here := now[p]; return !here })
	for _, e := range fresh {
		m.in = append(m.in, e.p)
	}
	m.lost, m.keys = m.keys, now
}

func (m *mapOf[K, T]) at(row int) *T {
	if row >= len(m.in) {
		return nil
	}
	return (*m.m)[m.keys[m.in[row]]]
}

func (m *mapOf[K, T]) put(e ecs.Entity, p *T) {
	k := m.keyFor(e)
	if *m.m == nil {
		*m.m = map[K]*T{}
	}
	(*m.m)[k] = p
	m.keys[p], m.in, m.past[e] = k, append(m.in, p), k
}

func (m *mapOf[K, T]) take(p *T) {
	delete(*m.m, m.keys[p])
	delete(m.keys, p)
	m.in = slices.DeleteFunc(m.in, func(x *T) bool { return x == p })
	if len(*m.m) == len(m.in) {
		return
	}
	// It may be there under another key too, or under one that no look finds: a
	// NaN does not equal itself.
	rest := *m.m
	type entry struct {
		k K
		p *T
	}
	var stay []entry
	lost := false
	for k, x := range rest {
		switch {
		case x != p:
			stay = append(stay, entry{k, x})
		case k != k: // a NaN
			lost = true
		default:
			delete(rest, k)
		}
	}
	if lost {
		clear(rest)
		for _, e := range stay {
			rest[e.k] = e.p
		}
	}
}

func (m *mapOf[K, T]) gone(e ecs.Entity, p *T) {
	k, ok := m.lost[p]
	if !ok {
		return
	}
	if len(m.past) > 4096+4*len(*m.m) { // what comes and goes all the time is not worth it
		clear(m.past)
	}
	m.past[e] = k
}

func (m *mapOf[K, T]) leaves(e ecs.Entity, p *T) {
	if k, ok := m.keys[p]; ok {
		m.past[e] = k
	}
}

func (m *mapOf[K, T]) set(es []ecs.Entity, ps []*T) {
	clear(*m.m)
	clear(m.keys)
	m.in = m.in[:0]
	for i, p := range ps {
		m.put(es[i], p)
	}
}

// keyFor is the key that an entity had, or one that is free.
func (m *mapOf[K, T]) keyFor(e ecs.Entity) (k K) {
	if k, ok := m.past[e]; ok {
		if _, taken := (*m.m)[k]; !taken {
			return k
		}
	}
	v := reflect.ValueOf(&k).Elem()
	for n := int64(e.ID); ; n++ {
		switch {
		case v.CanInt():
			v.SetInt(n)
		case v.CanUint():
			v.SetUint(uint64(n))
		default:
			v.SetString(fmt.Sprint("entity", n))
		}
		if _, taken := (*m.m)[k]; !taken {
			return k
		}
	}
}

// makes is how many keys can be made; 0: none.
func (m *mapOf[K, T]) makes() uint64 {
	switch v := reflect.ValueOf(new(K)).Elem(); {
	case (v.CanInt() || v.CanUint()) && v.Type().Bits() < 64:
		return 1 << v.Type().Bits()
	case v.CanInt() || v.CanUint() || v.Kind() == reflect.String:
		return math.MaxUint64
	}
	return 0
}

func (m *mapOf[K, T]) noKey() *refusal.Error {
	return &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("elements of a map with keys of type %s cannot be made from outside: nothing says what their key is", reflect.TypeFor[K]()),
		Hint: "maps whose keys are numbers or texts take new elements"}
}

func (m *mapOf[K, T]) room(n int) *refusal.Error {
	most := m.makes()
	if most == 0 {
		return m.noKey()
	}
	others := max(len(*m.m)-len(m.in), 0) // keys of nil
	if uint64(n+others) <= most {
		return nil
	}
	return &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("there are not so many keys of type %s", reflect.TypeFor[K]()), Got: n, Want: int(most) - others,
		Hint: "despawn others first"}
}

// fits wants a key for each: the one that it has or had, or one that can be made.
func (m *mapOf[K, T]) fits(es []ecs.Entity, lives func(ecs.Entity) (*T, bool)) *refusal.Error {
	if m.makes() > 0 {
		return nil
	}
	taken := make(map[K]bool, len(es))
	for _, e := range es {
		k, known := m.past[e]
		if p, ok := lives(e); ok {
			k, known = m.keys[p]
		}
		if !known || taken[k] {
			return m.noKey()
		}
		taken[k] = true
	}
	return nil
}

func (m *mapOf[K, T]) capacity() int { return len(*m.m) }
