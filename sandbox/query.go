package sandbox

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox/internal/boundlua"
	"github.com/loupe-ecs/loupe/sandbox/internal/source"
)

// result is the answer of a query: the rows are noted when it is asked, so no
// query of the engine is open while Lua runs.
type result struct {
	parts []part
	total int
	epoch uint64

	at, i int      // where the for loop is
	slab  []entity // proxies are made in batches
	uds   []lua.LUserData
	reuse bool // the loop keeps none: one proxy serves
	one   *lua.LUserData
}

type part struct {
	rows  *rows
	first int     // the rows from here on, if they are without a gap
	row   []int32 // else which
	ents  []ecs.Entity
}

// planCache keeps compiled queries.
type planCache struct {
	mu    sync.Mutex
	plans map[string]*query.Plan
}

const maxPlans = 256

func (c *planCache) get(cat *ecs.Catalog, q query.Query) (*query.Plan, error) {
	key := fmt.Sprintf("%q %q %q %v %q %q %q", q.Name, q.With, q.Without, q.Exclusive, q.Target, q.Relation, q.Where)
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.plans[key]; p != nil {
		return p, nil
	}
	p, err := query.Compile(cat, q)
	if err != nil {
		return nil, err
	}
	if c.plans == nil || len(c.plans) >= maxPlans {
		c.plans = map[string]*query.Plan{}
	}
	c.plans[key] = p
	return p, nil
}

func (c *planCache) clear() {
	c.mu.Lock()
	c.plans = nil
	c.mu.Unlock()
}

var queryOptions = []string{"with", "without", "where", "target", "relation", "name", "exclusive"}

// queryArg reads the argument of world.query: a table of options, whose array
// part counts as with; or names of components.
func queryArg(L *lua.LState) query.Query {
	r := runOf(L)
	var q query.Query
	if s, ok := L.Get(1).(lua.LString); ok {
		q.With = []string{string(s)}
		for i := 2; i <= L.GetTop(); i++ {
			q.With = append(q.With, boundlua.TextArg(L, i))
		}
		return q
	}
	if L.Get(1) == lua.LNil {
		return q
	}
	t := L.CheckTable(1)
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if _, ok := k.(lua.LNumber); ok {
			q.With = append(q.With, stringIn(L, "with", v))
			continue
		}
		switch name := boundlua.ToString(L, k); name {
		case "with":
			q.With = append(q.With, stringsIn(L, name, v)...)
		case "without":
			q.Without = stringsIn(L, name, v)
		case "where":
			q.Where = stringIn(L, name, v)
		case "name":
			q.Name = stringIn(L, name, v)
		case "target":
			q.Target = entityArg(L, v).String()
		case "relation":
			q.Relation = stringIn(L, name, v)
		case "exclusive":
			q.Exclusive = lua.LVAsBool(v)
		default:
			r.Refuse(L, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("world.query has no option %q (it has %s)", name, strings.Join(queryOptions, ", ")),
				Got: name, Options: refusal.Nearest(name, queryOptions), Total: len(queryOptions)})
		}
	}
	return q
}

func stringIn(L *lua.LState, option string, v lua.LValue) string {
	s, ok := v.(lua.LString)
	if !ok {
		runOf(L).Refuse(L, &refusal.Error{Code: refusal.InvalidArguments, Message: "world.query: " + option + " takes text, got a " + v.Type().String()})
	}
	return string(s)
}

func stringsIn(L *lua.LState, option string, v lua.LValue) []string {
	if s, ok := v.(lua.LString); ok {
		return []string{string(s)}
	}
	t, ok := v.(*lua.LTable)
	if !ok {
		runOf(L).Refuse(L, &refusal.Error{Code: refusal.InvalidArguments, Message: "world.query: " + option + " takes component names, got a " + v.Type().String(),
			Want: option + `={"Position","Health"}`})
	}
	var list []string
	for i := 1; i <= t.Len(); i++ {
		list = append(list, stringIn(L, option, t.RawGetInt(i)))
	}
	return list
}

// each runs the query of the arguments.
func each(L *lua.LState, f func(c ecs.Chunk, rows []int32)) {
	runOf(L).ecs(L)
	eachMatch(L, queryArg(L), f)
}

// eachMatch runs a query.
func eachMatch(L *lua.LState, q query.Query, f func(c ecs.Chunk, rows []int32)) {
	r := runOf(L)
	world := r.ecs(L)
	plan, err := r.plans.get(r.world.catalog(), q)
	if err != nil {
		r.Refuse(L, err)
	}
	// The plan must not be left by a panic: look at the budget, raise later.
	n := 0
	plan.Each(world, func(c ecs.Chunk, rows []int32) bool {
		n += len(rows)
		if !r.Spend(1+len(rows)>>2) || n > r.opt.Rows {
			return false
		}
		f(c, rows)
		return true
	})
	r.Charge(L, 0)
	if n > r.opt.Rows {
		r.Refuse(L, &refusal.Error{Code: refusal.TooLarge, Message: fmt.Sprintf("the query gives more than %d entities", r.opt.Rows),
			Want: fmt.Sprintf("at most %d", r.opt.Rows), Hint: "narrow it with where, or count with world.count"})
	}
}

func worldQuery(L *lua.LState) int {
	res := &result{epoch: runOf(L).world.epoch}
	each(L, func(c ecs.Chunk, list []int32) {
		n := len(list)
		if n == 0 {
			return
		}
		p := part{rows: &rows{chunk: c}, first: int(list[0]), ents: make([]ecs.Entity, 0, n)}
		if int(list[n-1])-p.first == n-1 {
			p.ents = c.AppendEntities(p.ents, p.first, p.first+n)
		} else {
			p.row = append(p.row, list...)
			for _, row := range list {
				p.ents = append(p.ents, c.Entity(int(row)))
			}
		}
		res.parts = append(res.parts, p)
		res.total += len(list)
	})
	L.Push(&lua.LUserData{Value: res, Metatable: meta.result})
	return 1
}

func worldCount(L *lua.LState) int {
	n := 0
	each(L, func(_ ecs.Chunk, rows []int32) { n += len(rows) })
	L.Push(lua.LNumber(n))
	return 1
}

// next makes the proxy of the next entity that is still there.
func (q *result) next(r *run) lua.LValue {
	w := &r.world
	for q.at < len(q.parts) {
		p := &q.parts[q.at]
		if q.i >= len(p.ents) {
			q.at, q.i = q.at+1, 0
			continue
		}
		i := q.i
		q.i++
		ent := p.ents[i]
		if len(w.dead) > 0 && w.dead[ent] {
			continue
		}
		e, ud := q.proxy()
		e.ent = ent
		if q.epoch == w.epoch {
			e.rows, e.row, e.epoch = p.rows, p.first+i, w.epoch
			if p.row != nil {
				e.row = int(p.row[i])
			}
		} else if w.find(nil, e) != nil {
			continue
		}
		return ud
	}
	q.at, q.i = 0, 0 // a second loop over the same result starts anew
	return lua.LNil
}

func (q *result) proxy() (*entity, *lua.LUserData) {
	if q.one != nil {
		return q.one.Value.(*entity), q.one
	}
	if len(q.slab) == 0 {
		n := min(64, q.total)
		if q.reuse {
			n = 1
		}
		q.slab, q.uds = make([]entity, n), make([]lua.LUserData, n)
	}
	e, ud := &q.slab[0], &q.uds[0]
	q.slab, q.uds = q.slab[1:], q.uds[1:]
	ud.Value, ud.Metatable = e, meta.entity
	if q.reuse {
		q.one = ud
	}
	return e, ud
}

func resultCall(L *lua.LState) int {
	q, ok := L.Get(1).(*lua.LUserData).Value.(*result)
	if !ok {
		L.RaiseError("attempt to call a userdata value")
	}
	L.Push(q.next(runOf(L)))
	return 1
}

func resultLen(L *lua.LState) int {
	L.Push(lua.LNumber(L.Get(1).(*lua.LUserData).Value.(*result).total))
	return 1
}

// resultIndex is q[i], q:first(), q:count().
func resultIndex(L *lua.LState) int {
	q := L.Get(1).(*lua.LUserData).Value.(*result)
	r := runOf(L)
	switch k := L.Get(2).(type) {
	case lua.LNumber:
		n := int(k) - 1
		if lua.LNumber(n+1) != k || n < 0 || n >= q.total {
			r.Lacking = fmt.Sprintf("the query matched %d entities, and [%v] is none of them", q.total, float64(k))
			L.Push(lua.LNil)
			return 1
		}
		for _, p := range q.parts {
			if n < len(p.ents) {
				L.Push(newEntity(&entity{ent: p.ents[n]}))
				return 1
			}
			n -= len(p.ents)
		}
	case lua.LString:
		switch k {
		case "first":
			L.Push(L.NewFunction(func(L *lua.LState) int {
				once := result{parts: q.parts, total: 1, epoch: q.epoch}
				first := once.next(runOf(L))
				if first == lua.LNil {
					runOf(L).Lacking = "first() gives nil: the query matched no entity"
				}
				L.Push(first)
				return 1
			}))
			return 1
		case "count":
			L.Push(L.NewFunction(func(L *lua.LState) int {
				L.Push(lua.LNumber(q.total))
				return 1
			}))
			return 1
		}
	}
	r.Refuse(L, &refusal.Error{Code: refusal.UnknownField, Message: "a query result has no " + source.Shorten(boundlua.ToString(L, L.Get(2)), 40),
		Hint: "loop over it: for e in world.query{...} do; #q is its length, q[1] and q:first() its first entity"})
	return 0
}

func (q *result) String() string { return "query result of " + strconv.Itoa(q.total) + " entities" }

// Export is what results have of it.
func (q *result) Export(b *boundlua.Run) any {
	r := b.Host.(*run)
	list := []any{}
	for _, p := range q.parts {
		for _, e := range p.ents {
			if len(list) >= r.opt.ResultEntries {
				return append(list, boundlua.More(q.total-len(list)))
			}
			list = append(list, e.String())
		}
	}
	return list
}
