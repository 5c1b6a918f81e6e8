package ecstest

import (
	"errors"
	"reflect"
	"testing"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Fixture is a fresh world and the few things only its engine can do.
type Fixture struct {
	World ecs.World
	// Lock locks the engine as a system's open query does and returns what
	// unlocks it again. nil: the engine has no locks.
	Lock func() (release func())
	// PanicOnSpawn makes the game's listener panic on every creation of an
	// entity until stop is called. nil: the engine has no listeners.
	PanicOnSpawn func() (stop func())
	// PanicOnDespawn is the same for the removal of an entity.
	PanicOnDespawn func() (stop func())
	// State describes what observing must not change and a world does not
	// show: registered types, statistics, cached filters, listeners. nil: the
	// engine has no such thing.
	State func() string
	// Value is the engine's own pointer to an entity's component of Go type t, as
	// its public interface gives it to the game: chunks must show that value.
	// Not needed for [RunObserving].
	Value func(e ecs.Entity, t reflect.Type) any
	// Close releases the world; may be nil.
	Close func()
}

// Run runs every case against worlds made by newWorld.
func Run(t *testing.T, newWorld func(testing.TB) Fixture) {
	t.Helper()
	run(t, cases, newWorld)
}

// RunObserving runs the cases about looking at a world: for what shows one that
// something else changes, such as package imageworld.
func RunObserving(t *testing.T, newWorld func(testing.TB) Fixture) {
	t.Helper()
	run(t, observing, newWorld)
}

func run(t *testing.T, cases []kase, newWorld func(testing.TB) Fixture) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newWorld(t)
			if f.Close != nil {
				defer f.Close()
			}
			k := &kit{T: t, Fixture: f, new: newWorld, rule: c.rule}
			k.setup()
			c.run(k)
		})
	}
}

// kase is one case and the rule it holds.
type kase struct {
	name, rule string
	run        func(*kit)
}

var (
	observing = concat(observeCases, chunkCases)
	cases     = concat(observing, declaredCases, applyCases, relationCases, lockCases, resourceCases, restoreCases, stressCases)
)

func concat(lists ...[]kase) (all []kase) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// kit is what a case works with.
type kit struct {
	*testing.T
	Fixture
	new  func(testing.TB) Fixture
	rule string

	pos, vel, hp, flag, blob, name, bag, unused ecs.TypeID
	rels                                        []ecs.TypeID
	needs, fixed                                bool // an entity needs a component; has one of its kind for good
}

func (k *kit) fail(format string, args ...any) {
	k.Helper()
	k.Errorf(format+"\nrule: %s", append(args, k.rule)...)
}

func (k *kit) fatal(format string, args ...any) {
	k.Helper()
	k.Fatalf(format+"\nrule: %s", append(args, k.rule)...)
}

func (k *kit) setup() {
	k.Helper()
	cat := k.World.Catalog()
	if cat == nil {
		k.fatal("Catalog returned nil")
	}
	k.needs, k.fixed = cat.Engine.NeedsComponent, cat.Engine.FixedArchetypes
	ids := map[reflect.Type]ecs.TypeID{}
	for _, c := range cat.Components {
		ids[c.Type.Go] = c.ID
		if c.Relation {
			k.rels = append(k.rels, c.ID)
		}
	}
	for i, into := range []*ecs.TypeID{&k.pos, &k.vel, &k.hp, &k.flag, &k.blob, &k.name, &k.bag, &k.unused} {
		t := Components()[i]
		id, ok := ids[t]
		if !ok {
			k.fatal("the catalog does not list component type %v, which the fixture should have registered", t)
		}
		*into = id
	}
}

// val wraps a Go value as a component value.
func (k *kit) val(v any) ecs.Value {
	var id ecs.TypeID
	switch v.(type) {
	case Position:
		id = k.pos
	case Velocity:
		id = k.vel
	case Health:
		id = k.hp
	case Flag:
		id = k.flag
	case Blob:
		id = k.blob
	case Name:
		id = k.name
	case Bag:
		id = k.bag
	case Unused:
		id = k.unused
	default:
		k.Fatalf("no component type for %T", v)
	}
	return ecs.Value{Type: id, Value: reflect.ValueOf(v)}
}

func (k *kit) vals(vs ...any) (out []ecs.Value) {
	for _, v := range vs {
		out = append(out, k.val(v))
	}
	return out
}

// relValue is the zero value of relation number i.
func (k *kit) relValue(i int) ecs.Value {
	t := k.World.Catalog().Components[k.rels[i]].Type.Go
	return ecs.Value{Type: k.rels[i], Value: reflect.Zero(t)}
}

func (k *kit) spawn(vs ...any) ecs.Entity {
	k.Helper()
	return k.must(ecs.Change{Op: ecs.OpSpawn, Values: k.composed(k.vals(vs...))})[0]
}

func (k *kit) must(changes ...ecs.Change) []ecs.Entity {
	k.Helper()
	es, err := k.World.Apply(changes)
	if err != nil {
		k.fatal("Apply refused what is legal: %v", err)
	}
	return es
}

// refused applies changes that must be refused with a code and change nothing.
func (k *kit) refused(code refusal.Code, changes ...ecs.Change) {
	k.Helper()
	before := Hash(k.World)
	es, err := k.World.Apply(changes)
	if err == nil {
		k.fail("%+v was accepted, %s was expected", changes, code)
		return
	}
	if !errors.Is(err, code) {
		k.fail("refused with %v, the code %s was expected", err, code)
	}
	var e *refusal.Error
	if !errors.As(err, &e) || e.Message == "" {
		k.fail("the refusal %v is no *refusal.Error with a message", err)
	}
	if len(es) != 0 {
		k.fail("a refused batch returned entities %v", es)
	}
	if Hash(k.World) != before {
		k.fail("the world changed although the batch was refused (%v)", err)
	}
}

// get reads a component by way of Row and Column.
func get[T any](k *kit, e ecs.Entity, id ecs.TypeID) (v T, ok bool) {
	k.Helper()
	p := ptr[T](k, e, id)
	if p == nil {
		return v, false
	}
	return *p, true
}

func ptr[T any](k *kit, e ecs.Entity, id ecs.TypeID) *T {
	c, row, ok := k.World.Row(e)
	if !ok {
		return nil
	}
	if c.Entity(row) != e {
		k.Helper()
		k.fail("Row(%v) gave a row that holds %v", e, c.Entity(row))
	}
	col, ok := c.Column(id)
	if !ok {
		return nil
	}
	if unsafe.Sizeof(*new(T)) == 0 {
		return new(T)
	}
	return (*T)(col.At(row))
}

func want[T any](k *kit, e ecs.Entity, id ecs.TypeID, v T) {
	k.Helper()
	got, ok := get[T](k, e, id)
	if !ok {
		k.fail("entity %v has no %T", e, v)
	} else if !reflect.DeepEqual(got, v) {
		k.fail("entity %v has %+v, want %+v", e, got, v)
	}
}

// entities lists all living entities in iteration order.
func entities(w ecs.World, f ecs.Filter) (all []ecs.Entity) {
	for c := range w.Chunks(f) {
		all = c.AppendEntities(all, 0, c.Len())
	}
	return all
}
