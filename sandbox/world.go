package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/sandbox/internal/boundlua"
	"github.com/loupe-ecs/loupe/sandbox/internal/source"
)

// worldState is what one run knows about the world, and what it means to do
// to it.
type worldState struct {
	r     *run
	cat   *ecs.Catalog // nil: ask again
	epoch uint64       // counts the moments at which rows may have moved
	comps map[string]*component
	sites map[*siteTable][]siteCache
	last  *siteTable // whose sites lastSites are
	lastS []siteCache

	undo    [][]undo
	wide    []wideUndo
	ops     []op
	dead    map[ecs.Entity]bool    // despawned by this script, not yet applied
	overlay map[cell]reflect.Value // added (valid) or removed (invalid) by it, not yet applied
	spawned []*spawned             // all of the run, for their names

	changed            int // counts against the limit
	committed, pending Changes
	flushed            bool
}

type cell struct {
	entity ecs.Entity
	id     ecs.TypeID
}

// component is a component or resource type as a script names it.
type component struct {
	id       ecs.TypeID
	name     string
	t        *value.Type
	ta       *typeAccess
	tag      bool
	relation bool
	resource bool
}

// op is one structural change of the buffer.
type op struct {
	kind    ecs.Op
	entity  ecs.Entity
	spawned *spawned
	id      ecs.TypeID
	value   reflect.Value
	targets []ecs.Target
}

// spawned is an entity that the script made. Until the buffer is applied it
// exists here alone.
type spawned struct {
	n       int
	entity  ecs.Entity // once applied
	values  map[ecs.TypeID]reflect.Value
	order   []ecs.TypeID
	targets []ecs.Target
	dead    bool
}

func (s *spawned) pending() bool { return s.entity.IsZero() }

// placeholder is what e.id gives before the entity has an id. Results and
// printed text get the id in its place.
func (s *spawned) placeholder() string { return "spawned#" + strconv.Itoa(s.n) }

func (w *worldState) init(r *run) {
	w.r = r
	w.epoch = nextEpoch()
}

func (w *worldState) catalog() *ecs.Catalog {
	if w.cat == nil {
		w.cat = w.r.env.World.Catalog()
	}
	return w.cat
}

// ecs gives the world or raises no_world.
func (r *run) ecs(L *lua.LState) ecs.World {
	if r.env.World == nil {
		r.Refuse(L, &refusal.Error{Code: refusal.NoWorld, Message: "no world is bound", Hint: "the game binds one with Server.Bind"})
	}
	return r.env.World
}

// component finds a component type by any of its names.
func (w *worldState) component(L *lua.LState, name string) *component {
	c, err := w.lookup(name)
	if err != nil {
		w.r.Refuse(L, err)
	}
	return c
}

func (w *worldState) lookup(name string) (*component, error) {
	if c := w.comps[name]; c != nil {
		return c, nil
	}
	found, err := w.catalog().Component(name)
	if err != nil {
		return nil, err
	}
	c := &component{id: found.ID, name: found.Name, t: found.Type, ta: accessOf(found.Type), tag: found.Tag, relation: found.Relation}
	if w.comps == nil {
		w.comps = map[string]*component{}
	}
	w.comps[name] = c
	return c, nil
}

// count counts n changes against the limit.
func (w *worldState) count(L *lua.LState, counter *int) {
	*counter++
	if w.changed++; w.changed > w.r.opt.Changes {
		w.r.Exhaust(L, &refusal.Error{Code: refusal.ScriptError,
			Message: fmt.Sprintf("the script changed more than %d things in one call", w.r.opt.Changes),
			Want:    fmt.Sprintf("at most %d field writes and structural changes", w.r.opt.Changes),
			Hint:    "do a part and call again"})
	}
}

var spawnedName = regexp.MustCompile(`spawned#\d+`)

// resolveNames puts ids in the place of placeholders, as far as they are known.
func (w *worldState) resolveNames(s string) string {
	if len(w.spawned) == 0 || !strings.Contains(s, "spawned#") {
		return s
	}
	return spawnedName.ReplaceAllStringFunc(s, func(name string) string {
		n, _ := strconv.Atoi(name[len("spawned#"):])
		if n < 1 || n > len(w.spawned) || w.spawned[n-1].pending() {
			return name
		}
		return w.spawned[n-1].entity.String()
	})
}

// worldFuncs is the table "world".
var worldFuncs = map[string]lua.LGFunction{
	"query": worldQuery, "count": worldCount, "entity": worldEntity, "spawn": worldSpawn,
	"resource": worldResource, "tool": worldTool, "flush": worldFlush, "components": worldComponents,
}

func worldComponents(L *lua.LState) int {
	r := runOf(L)
	r.ecs(L)
	t := L.NewTable()
	for i, c := range r.world.catalog().Components {
		t.RawSetInt(i+1, lua.LString(c.Name))
	}
	L.Push(t)
	return 1
}

// worldEntity finds an entity by "42v3", by the bare id of the entity that
// lives there now, by its label, or by a proxy. nil: it is not alive.
func worldEntity(L *lua.LState) int {
	r := runOf(L)
	world := r.ecs(L)
	if p := asEntity(L.Get(1)); p != nil {
		L.Push(L.Get(1))
		return 1
	}
	text := boundlua.TextArg(L, 1)
	if strings.HasPrefix(text, "spawned#") {
		if n, err := strconv.Atoi(text[len("spawned#"):]); err == nil && n >= 1 && n <= len(r.world.spawned) {
			L.Push(newEntity(&entity{sp: r.world.spawned[n-1]}))
			return 1
		}
	}
	e, full, err := ecs.ParseEntity(text)
	alive := false
	if err != nil {
		if e, alive = byLabel(L, text); !alive {
			r.Lacking = "world.entity gives nil for " + strconv.Quote(source.Shorten(text, 40)) + ": it is no id, and no entity has that label; world.query{name=...} finds those with a part of it"
			L.Push(lua.LNil)
			return 1
		}
	} else if full {
		alive = world.Alive(e)
	} else {
		e, alive = world.Holder(e.ID)
	}
	if !alive {
		r.Lacking = "world.entity gives nil for " + strconv.Quote(source.Shorten(text, 40)) + ": no entity of that id lives; world.query finds living ones"
		L.Push(lua.LNil)
		return 1
	}
	L.Push(newEntity(&entity{ent: e}))
	return 1
}

// byLabel finds the one entity that has a label. Several are refused: which one a
// script would get is chance.
func byLabel(L *lua.LState, label string) (ecs.Entity, bool) {
	r := runOf(L)
	cat := r.world.catalog()
	var found []ecs.Entity
	eachMatch(L, query.Query{Name: label}, func(c ecs.Chunk, rows []int32) {
		for _, row := range rows {
			if ecs.LabelOf(cat, c, int(row)) == label {
				found = append(found, c.Entity(int(row)))
			}
		}
	})
	if len(found) > 1 {
		e := &refusal.Error{Code: refusal.InvalidArguments, Got: label, Total: len(found),
			Message: fmt.Sprintf("%d entities are called %q: name one by its id", len(found), source.Shorten(label, 40)), Hint: "world.query{name=...} visits all of them"}
		for _, f := range found[:min(len(found), 10)] {
			e.Options = append(e.Options, f.String())
		}
		r.Refuse(L, e)
	}
	if len(found) == 0 {
		return ecs.Entity{}, false
	}
	return found[0], true
}

// worldSpawn buffers a new entity: named components with their fields, and, in
// the array part, names of components with default values.
func worldSpawn(L *lua.LState) int {
	r := runOf(L)
	w := &r.world
	r.ecs(L)
	t := L.CheckTable(1)
	s := &spawned{n: len(w.spawned) + 1, values: map[ecs.TypeID]reflect.Value{}}
	var target ecs.Entity
	hasTarget := false
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		name, ok := k.(lua.LString)
		if n, isIndex := k.(lua.LNumber); isIndex && n >= 1 {
			name, ok = v.(lua.LString)
			v = lua.LTrue
		}
		if !ok {
			L.ArgError(1, "component names expected as keys")
		}
		if name == "target" {
			target, hasTarget = entityArg(L, v), true
			continue
		}
		c := w.component(L, string(name))
		if _, twice := s.values[c.id]; twice {
			r.Refuse(L, &refusal.Error{Code: refusal.InvalidArguments, Message: "world.spawn names " + c.name + " twice", Got: string(name)})
		}
		s.values[c.id] = newValue(L, c, v)
		s.order = append(s.order, c.id)
	}
	if hasTarget {
		s.targets = w.targetsFor(L, s.order, target)
	}
	w.push(L, op{kind: ecs.OpSpawn, spawned: s})
	w.spawned = append(w.spawned, s)
	w.count(L, &w.pending.Spawned)
	r.Charge(L, 50)
	L.Push(newEntity(&entity{sp: s}))
	return 1
}

// targetsFor names the relation among ids that target is for.
func (w *worldState) targetsFor(L *lua.LState, ids []ecs.TypeID, target ecs.Entity) []ecs.Target {
	for _, id := range ids {
		if w.catalog().Components[id].Relation {
			return []ecs.Target{{Relation: id, Entity: target}}
		}
	}
	w.r.Refuse(L, &refusal.Error{Code: refusal.InvalidArguments, Message: "a target needs a relation component beside it, and none of these is one"})
	return nil
}

// newValue makes a component's value: true, nil and {} are the default.
func newValue(L *lua.LState, c *component, v lua.LValue) reflect.Value {
	if v == lua.LTrue || v == lua.LNil {
		return value.Addressable(c.t.New())
	}
	x := toGoAs(L, v, c.t.Root, 0)
	val, err := c.t.FromGo(x, reflect.Value{})
	if err != nil {
		runOf(L).Refuse(L, within(err, c.name))
	}
	val = value.Addressable(val)
	runOf(L).world.mustLive(L, ecs.CheckEntities(runOf(L).env.World, val, c.name))
	return val
}

// mustLive raises the refusal of a value with an entity that does not live.
func (w *worldState) mustLive(L *lua.LState, err error) {
	if err != nil {
		w.r.Refuse(L, err)
	}
}

// within names the component a refusal is about.
func within(err error, component string) error {
	var e *refusal.Error
	if !errors.As(err, &e) || strings.Contains(e.Message, component) {
		return err
	}
	named := *e
	named.Message = component + ": " + e.Message
	return &named
}

// validate checks the buffer without applying it: a dry run's commit.
func (w *worldState) validate() error {
	if list, _ := w.changes(); len(list) > 0 {
		return ecs.ValidateChanges(w.r.env.World, list)
	}
	return nil
}

func worldFlush(L *lua.LState) int {
	r := runOf(L)
	r.ecs(L)
	if r.dry {
		if err := r.world.validate(); err != nil {
			r.Refuse(L, err)
		}
		return 0
	}
	r.world.makePermanent(L)
	return 0
}

func (w *worldState) makePermanent(L *lua.LState) {
	any := w.pending.total() > 0
	if err := w.commit(); err != nil {
		w.r.Refuse(L, err)
	}
	w.flushed = w.flushed || any
}

// worldTool calls another tool through the host's hook.
func worldTool(L *lua.LState) int {
	name := boundlua.TextArg(L, 1)
	args := map[string]any{}
	if L.Get(2) != lua.LNil {
		switch x := toGo(L, L.CheckTable(2)).(type) {
		case map[string]any:
			args = x
		case []any:
			if len(x) > 0 {
				L.ArgError(2, "a table of named arguments expected, got a list")
			}
		}
	}
	return callTool(L, name, args)
}

// callTool calls a tool of the host and pushes its answer.
func callTool(L *lua.LState, name string, args map[string]any) int {
	r := runOf(L)
	if r.env.CallTool == nil {
		r.Refuse(L, &refusal.Error{Code: refusal.NotSupported, Message: "world.tool: this host offers no tools to scripts"})
	}
	reads := r.env.ReadsOnly != nil && r.env.ReadsOnly(name)
	if !reads {
		if r.dry {
			r.Refuse(L, &refusal.Error{Code: refusal.NotSupported, Message: "world.tool(" + strconv.Quote(name) + ") changes things and cannot be undone: not in a dry run",
				Got: name, Hint: "tools that only read work in a dry run"})
		}
		r.world.makePermanent(L)
		r.world.flushed = true
	}
	out, err := r.env.CallTool(name, args)
	if !reads {
		r.world.moved()
	}
	if err != nil {
		r.Refuse(L, err)
	}
	v, err := plain(out)
	if err != nil {
		r.Refuse(L, err)
	}
	L.Push(toLua(L, v, 0))
	return 1
}

// plain makes any JSON-able value one of maps, lists and scalars.
func plain(v any) (any, error) {
	switch v.(type) {
	case nil, bool, float64, int, int64, string, map[string]any, []any:
		return v, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out any
	return out, json.Unmarshal(raw, &out)
}

// entityArg reads an entity that must exist in the world: a proxy or "42v3".
func entityArg(L *lua.LState, v lua.LValue) ecs.Entity {
	r := runOf(L)
	if p := asEntity(v); p != nil {
		if p.sp != nil && p.sp.pending() {
			r.Refuse(L, &refusal.Error{Code: refusal.EntityDead, Message: p.sp.placeholder() + " is not in the world yet, so nothing can refer to it",
				Hint: "call world.flush() first; what was done until then becomes permanent"})
		}
		return p.id()
	}
	s, ok := v.(lua.LString)
	if !ok {
		r.Refuse(L, &refusal.Error{Code: refusal.InvalidArguments, Message: "an entity is needed, got a " + v.Type().String(), Want: `an entity or "42v3"`})
	}
	e, _, err := ecs.ParseEntity(string(s))
	if err != nil {
		r.Refuse(L, err)
	}
	return e
}
