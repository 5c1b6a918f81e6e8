package sandbox

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/sandbox/internal/boundlua"
	"github.com/loupe-ecs/loupe/sandbox/internal/source"
)

// siteTable is the sites of one chunk: the places that read or write
// X.Component.Field.
type siteTable struct{ at []source.Site }

// siteFunctions makes a reader and a writer for each site.
func siteFunctions(sites []source.Site) (fs []lua.LValue) {
	p := &siteTable{sites}
	for n := range sites {
		fs = append(fs, boundlua.Function(func(L *lua.LState) int { return p.get(L, n) }),
			boundlua.Function(func(L *lua.LState) int { return p.set(L, n) }))
	}
	return fs
}

// siteCache remembers, for one X.Component.Field in the source, where the
// field is in the chunk that was used last. Rows of a query come chunk by
// chunk, so one entry does.
type siteCache struct {
	comp *component
	a    *access
	rows *rows
	col  ecs.Column
}

// cached gives the site's cache entry and whether it serves e as it is.
func (p *siteTable) cached(w *worldState, e *entity, n int) (*siteCache, bool) {
	if w.last != p {
		if w.sites == nil {
			w.sites = map[*siteTable][]siteCache{}
		}
		if w.sites[p] == nil {
			w.sites[p] = make([]siteCache, len(p.at))
		}
		w.last, w.lastS = p, w.sites[p]
	}
	sc := &w.lastS[n]
	return sc, sc.rows != nil && sc.rows == e.rows && e.epoch == w.epoch && len(w.ops) == 0
}

// fill resolves a site for e's chunk. False: the long way must serve it.
func (p *siteTable) fill(w *worldState, e *entity, n int, sc *siteCache) bool {
	if len(w.ops) > 0 || e.sp != nil || w.r.env.World == nil {
		return false
	}
	if sc.comp == nil {
		s := p.at[n]
		c, err := w.lookup(s.Outer)
		if err != nil || methods[s.Outer] != nil {
			return false
		}
		a, err := c.ta.find(s.Inner)
		if err != nil || c.ta.actions[s.Inner] != nil {
			return false
		}
		sc.comp, sc.a = c, a
	}
	if sc.a.scalar == reflect.Invalid || w.find(nil, e) != nil {
		return false
	}
	col := e.rows.column(sc.comp.id)
	if !col.ok {
		return false
	}
	sc.rows, sc.col = e.rows, col.Column
	return true
}

// get is X.Component.Field, with any X.
func (p *siteTable) get(L *lua.LState, n int) int {
	v := L.Get(1)
	if e := asEntity(v); e != nil {
		w := &runOf(L).world
		sc, ok := p.cached(w, e, n)
		if ok || p.fill(w, e, n, sc) {
			sc.a.push(L, sc.col.At(e.row))
			return 1
		}
		p.require(L, w, e, n)
	}
	s := p.at[n]
	L.Push(L.GetField(L.GetField(v, s.Outer), s.Inner))
	return 1
}

// set is X.Component.Field = value.
func (p *siteTable) set(L *lua.LState, n int) int {
	v := L.Get(1)
	if e := asEntity(v); e != nil {
		w := &runOf(L).world
		sc, ok := p.cached(w, e, n)
		if ok || p.fill(w, e, n, sc) {
			if u, ok := sc.a.store(sc.col.At(e.row), L.Get(2)); ok {
				w.log(u)
				w.count(L, &w.pending.Fields)
				return 0
			}
		}
		p.require(L, w, e, n)
	}
	s := p.at[n]
	L.SetField(L.GetField(v, s.Outer), s.Inner, L.Get(2))
	return 0
}

// require refuses an entity without the component by name, where the long way
// would only find a nil.
func (p *siteTable) require(L *lua.LState, w *worldState, e *entity, n int) {
	name := p.at[n].Outer
	w.r.ecs(L)
	c := w.component(L, name)
	if !w.has(L, e, c) {
		w.r.Refuse(L, w.missing(e, c))
	}
}
