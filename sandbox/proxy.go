package sandbox

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs"
)

// meta holds the metatables of the proxies. A script cannot reach them
// (__metatable), so all runs share them.
var meta struct {
	entity, node, result *lua.LTable
}

var methods = map[string]*lua.LFunction{}

func initProxies(L *lua.LState) {
	make := func(name string, events map[string]lua.LGFunction) *lua.LTable {
		t := L.CreateTable(0, len(events)+1)
		for event, f := range events {
			t.RawSetString(event, L.NewFunction(f))
		}
		t.RawSetString("__metatable", lua.LString(name))
		return t
	}
	meta.entity = make("entity", map[string]lua.LGFunction{
		"__index": entityIndex, "__newindex": entityNewIndex, "__eq": entityEq, "__concat": proxyConcat})
	meta.node = make("component", map[string]lua.LGFunction{
		"__index": nodeIndex, "__newindex": nodeNewIndex, "__len": nodeLen, "__concat": proxyConcat})
	meta.result = make("query", map[string]lua.LGFunction{
		"__index": resultIndex, "__call": resultCall, "__len": resultLen})
	for name, f := range entityMethods {
		methods[name] = L.NewFunction(f)
	}
}

func entityEq(L *lua.LState) int {
	a, b := asEntity(L.Get(1)), asEntity(L.Get(2))
	L.Push(lua.LBool(a != nil && b != nil && a.id() == b.id() && (!a.id().IsZero() || a.sp == b.sp)))
	return 1
}

// proxyConcat is "id: " .. e.
func proxyConcat(L *lua.LState) int {
	a, b := toString(L, L.Get(1)), toString(L, L.Get(2))
	ctxOf(L).run.checkString(L, len(a)+len(b))
	L.Push(lua.LString(a + b))
	return 1
}

// siteCache remembers, for one X.Component.Field in the source, where the
// field is in the chunk that was used last. Rows of a query come chunk by
// chunk, so one entry does.
type siteCache struct {
	comp *component
	a    *access
	rows *rows
	at   ecs.Column
}

// hidden makes what the rewritten code is called with, beside (concat) and
// the loops: a reader and a writer for each site.
func (p *program) makeHidden() {
	p.hidden = []lua.LValue{fn.concat, fn.list, fn.loop, fn.reuse}
	for n := range p.sites {
		get := &lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int { return p.siteGet(L, n) }}
		set := &lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int { return p.siteSet(L, n) }}
		p.hidden = append(p.hidden, get, set)
	}
}

// loop gives a query's loop a plain function to call, which is cheaper than a
// callable value. Anything else passes through.
func loop(L *lua.LState) int { return iterate(L, false) }

// reuse is loop for entities that the loop does not keep.
func reuse(L *lua.LState) int { return iterate(L, true) }

func iterate(L *lua.LState, reuse bool) int {
	if ud, ok := L.Get(1).(*lua.LUserData); ok {
		if q, ok := ud.Value.(*result); ok {
			q = &result{parts: q.parts, total: q.total, epoch: q.epoch, reuse: reuse} // its own place
			L.Push(&lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int {
				L.Push(q.next(ctxOf(L).run))
				return 1
			}})
			return 1
		}
	}
	return L.GetTop()
}

// cached gives the site's cache entry and whether it serves e as it is.
func (p *program) cached(w *worldState, e *entity, n int) (*siteCache, bool) {
	if w.last != p {
		if w.sites == nil {
			w.sites = map[*program][]siteCache{}
		}
		if w.sites[p] == nil {
			w.sites[p] = make([]siteCache, len(p.sites))
		}
		w.last, w.lastS = p, w.sites[p]
	}
	sc := &w.lastS[n]
	return sc, sc.rows != nil && sc.rows == e.rows && e.epoch == w.epoch && len(w.ops) == 0
}

// fill resolves a site for e's chunk. False: the long way must serve it.
func (p *program) fill(w *worldState, e *entity, n int, sc *siteCache) bool {
	if len(w.ops) > 0 || e.sp != nil || w.r.env.World == nil {
		return false
	}
	if sc.comp == nil {
		s := p.sites[n]
		c, err := w.lookup(s.component)
		if err != nil || methods[s.component] != nil {
			return false
		}
		a, err := c.ta.find(s.field)
		if err != nil || c.ta.actions[s.field] != nil {
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
	sc.rows, sc.at = e.rows, col.Column
	return true
}

// siteGet is X.Component.Field, with any X.
func (p *program) siteGet(L *lua.LState, n int) int {
	v := L.Get(1)
	if e := asEntity(v); e != nil {
		w := &ctxOf(L).run.world
		sc, ok := p.cached(w, e, n)
		if ok || p.fill(w, e, n, sc) {
			sc.a.push(L, sc.at.At(e.row))
			return 1
		}
		p.require(L, w, e, n)
	}
	s := p.sites[n]
	L.Push(L.GetField(L.GetField(v, s.component), s.field))
	return 1
}

// siteSet is X.Component.Field = value.
func (p *program) siteSet(L *lua.LState, n int) int {
	v := L.Get(1)
	if e := asEntity(v); e != nil {
		w := &ctxOf(L).run.world
		sc, ok := p.cached(w, e, n)
		if ok || p.fill(w, e, n, sc) {
			if u, ok := sc.a.store(sc.at.At(e.row), L.Get(2)); ok {
				w.log(u)
				w.count(L, &w.pending.Fields)
				return 0
			}
		}
		p.require(L, w, e, n)
	}
	s := p.sites[n]
	L.SetField(L.GetField(v, s.component), s.field, L.Get(2))
	return 0
}

// require refuses an entity without the component by name, where the long way
// would only find a nil.
func (p *program) require(L *lua.LState, w *worldState, e *entity, n int) {
	name := p.sites[n].component
	w.r.ecs(L)
	c := w.component(L, name)
	if !w.has(L, e, c) {
		w.r.refuse(L, w.missing(e, c))
	}
}
