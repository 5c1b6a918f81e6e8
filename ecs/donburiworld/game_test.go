package donburiworld_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/features/events"
	"github.com/yohamta/donburi/filter"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/donburiworld"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/timeline"
)

type (
	Place  struct{ X, Y float64 }
	Life   struct{ HP, Max int }
	Parent struct {
		Entry  *donburi.Entry
		Target donburi.Entity
	}
	Damage struct{ Amount int }
)

var (
	position = donburi.NewComponentType[Place]()
	health   = donburi.NewComponentType[Life](Life{HP: 10, Max: 20})
	shield   = donburi.NewComponentType[Life]().SetName("Shield")
	parent   = donburi.NewComponentType[Parent]()
	player   = donburi.NewTag("PlayerTag")
	enemy    = donburi.NewTag("EnemyTag")
	rare     = donburi.NewComponentType[Place]().SetName("Rare")
)

// Components are told apart by donburi's component types, not by Go types, and a
// new one begins as donburi says.
func TestComponentsAreDonburis(t *testing.T) {
	dw := donburi.NewWorld()
	dw.Create(health, shield, player)
	dw.Create(health, enemy)
	w := donburiworld.New(dw)
	cat := w.Catalog()
	for _, name := range []string{"Life", "Shield", "PlayerTag", "EnemyTag"} {
		if _, err := cat.Component(name); err != nil {
			t.Error(err)
		}
	}
	p, err := query.Compile(cat, query.Query{With: []string{"PlayerTag"}, Where: "Shield.HP == 0 && Life.HP == 10"})
	if err != nil || p.Count(w) != 1 {
		t.Errorf("%v", err)
	}
	c, _ := cat.Component("Life")
	v, err := c.Type.DecodeJSON([]byte(`{"Max":30}`), reflect.Value{})
	if err != nil || v.Interface() != (Life{10, 30}) {
		t.Errorf("a new Life of which the maximum is given: %+v %v", v, err)
	}
	tag, _ := cat.Component("EnemyTag")
	if got := tag.Type.New().String(); got != "EnemyTag" {
		t.Errorf("a new tag is %q", got)
	}
}

// The first of a composition came by Add: donburi's own Create panics then, and
// Loupe's does not.
func TestTheCounterIsMended(t *testing.T) {
	dw := donburi.NewWorld()
	w := donburiworld.New(dw)
	spoil := func() *donburi.Entry {
		e := dw.Entry(dw.Create(position))
		donburi.Add(e, health, &Life{1, 1})
		return e
	}
	spoil()
	id := func(name string) ecs.TypeID { c, _ := w.Catalog().Component(name); return c.ID }
	es, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Count: 3, Values: []ecs.Value{{Type: id("Place"), Value: reflect.ValueOf(Place{7, 7})}, {Type: id("Life"), Value: reflect.ValueOf(Life{5, 5})}}}})
	if err != nil || len(es) != 3 || *position.Get(dw.Entry(donburiworld.Entity(es[2]))) != (Place{7, 7}) {
		t.Fatalf("%v %v", es, err)
	}
	dw.Create(position, health) // the game's own goes well too, now
	other := donburi.NewWorld()
	e := other.Entry(other.Create(position))
	donburi.Add(e, shield, &Life{})
	donburiworld.MendCounters(other)
	other.Create(position, shield)
}

// The game holds pointers to values and entries; both stay good when a snapshot
// comes back, in memory and from a file, and what entries mean comes along.
func TestPointersOfTheGameStayGood(t *testing.T) {
	dw := donburi.NewWorld()
	w := donburiworld.New(dw)
	root := dw.Entry(dw.Create(position, health))
	child := dw.Entry(dw.Create(position, parent))
	gone := dw.Entry(dw.Create(position, rare))
	*parent.Get(child) = Parent{root, gone.Entity()}
	pos, hp := position.Get(root), health.Get(root)
	pos.X = 1
	var img ecs.Image
	if err := w.Capture(&img); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := snapshot.Save(&file, w, nil); err != nil {
		t.Fatal(err)
	}
	text, _ := value.AppendJSON(nil, reflect.ValueOf(parent.Get(child)).Elem(), value.EncodeOptions{})
	if string(text) != `{"Entry":"1v0","Target":"3v0"}` {
		t.Errorf("a parent is shown as %s", text)
	}
	check := func(how string) {
		t.Helper()
		if position.Get(root) != pos || health.Get(root) != hp || pos.X != 1 || hp.HP != 10 {
			t.Errorf("%s: %p %+v, was %p", how, position.Get(root), *pos, pos)
		}
		p := parent.Get(child)
		if !p.Entry.Valid() || p.Entry.Entity() != root.Entity() || p.Target != gone.Entity() || !dw.Valid(p.Target) || !gone.Valid() {
			t.Errorf("%s: the parent is %+v", how, p)
		}
		if position.Get(p.Entry) != pos {
			t.Errorf("%s: the parent's entry leads elsewhere", how)
		}
		var order []donburi.Entity
		donburi.NewQuery(filter.Contains(position)).Each(dw, func(e *donburi.Entry) { order = append(order, e.Entity()) })
		if !slices.Equal(order, []donburi.Entity{root.Entity(), child.Entity(), gone.Entity()}) {
			t.Errorf("%s: donburi's query finds %v", how, order)
		}
	}
	spoil := func() {
		pos.X, hp.HP = 99, 99
		*parent.Get(child) = Parent{}
		dw.Remove(gone.Entity())
		donburi.Add(root, shield, &Life{})
		dw.Create(position)
	}
	spoil()
	if err := w.Restore(&img); err != nil {
		t.Fatal(err)
	}
	check("restored")
	spoil()
	if _, err := snapshot.Load(&file, w, nil); err != nil {
		t.Fatal(err)
	}
	check("loaded")
}

// A bus is shown as what it is, and a snapshot keeps its subscribers.
func TestEventBuses(t *testing.T) {
	dw := donburi.NewWorld()
	w := donburiworld.New(dw)
	event := events.NewEventType[Damage]()
	heard := 0
	event.Subscribe(dw, func(_ donburi.World, d Damage) { heard += d.Amount })
	event.Publish(dw, Damage{5})
	c, err := w.Catalog().Component("DamageBus")
	if err != nil {
		t.Fatal(err)
	}
	for chunk := range w.Chunks(ecs.Filter{With: []ecs.TypeID{c.ID}}) {
		col, _ := chunk.Column(c.ID)
		if got := fmt.Sprint(col.Value(c.Type.Go, 0).FieldByName("Queue")); got != "[{5}]" {
			t.Errorf("the queue is %s", got)
		}
	}
	var img ecs.Image
	if err := w.Capture(&img); err != nil {
		t.Fatal(err)
	}
	event.ProcessEvents(dw)
	if err := w.Restore(&img); err != nil {
		t.Fatal(err)
	}
	event.ProcessEvents(dw)
	if heard != 10 {
		t.Errorf("5 was heard twice: %d", heard)
	}
}

// The recorder takes samples of donburi's world as of any other.
func TestRecorder(t *testing.T) {
	dw := donburi.NewWorld()
	w := donburiworld.New(dw)
	e := dw.Entry(dw.Create(position))
	rec := timeline.NewRecorder(nil)
	t.Cleanup(rec.Close)
	rec.Bind(w, nil)
	if err := rec.Start(timeline.Options{}, 0); err != nil {
		t.Fatal(err)
	}
	for tick := range uint64(30) {
		position.Get(e).X = float64(tick)
		rec.EndTick(tick)
		rec.Flush(t.Context())
	}
	line := rec.Line()
	ref, err := line.Find(12)
	if err != nil {
		t.Fatal(err)
	}
	then := line.World(ref)
	chunk, row, ok := then.Row(donburiworld.EntityOf(e.Entity()))
	if !ok {
		t.Fatal("the entity is not in the past")
	}
	c, _ := then.Catalog().Component("Place")
	col, _ := chunk.Column(c.ID)
	if got := (*Place)(col.At(row)).X; got != 12 || position.Get(e).X != 29 {
		t.Errorf("X at tick 12 was %v", got)
	}
}

// BenchmarkWhere compares a compiled condition with the loop one would write
// over the same boxes.
func BenchmarkWhere(b *testing.B) {
	const n = 100_000
	dw := donburi.NewWorld()
	for i, e := range dw.CreateMany(n, position, health) {
		health.Get(dw.Entry(e)).HP = i % 100
	}
	w := donburiworld.New(dw)
	id, _ := w.Catalog().Component("Life")
	p, err := query.Compile(w.Catalog(), query.Query{Where: "Life.HP < 10"})
	if err != nil {
		b.Fatal(err)
	}
	native := func() (found int) {
		for c := range w.Chunks(ecs.Filter{With: []ecs.TypeID{id.ID}}) {
			col, _ := c.Column(id.ID)
			for row := range c.Len() {
				if (*Life)(col.At(row)).HP < 10 {
					found++
				}
			}
		}
		return found
	}
	loupe := func() int { return p.Count(w) }
	run := func(b *testing.B, f func() int) {
		for b.Loop() {
			if f() != n/10 {
				b.Fatal("wrong")
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entity")
	}
	b.Run("entities=1e5/native", func(b *testing.B) { run(b, native) })
	b.Run("entities=1e5/loupe", func(b *testing.B) { run(b, loupe) })
	b.Run("entities=1e5/ratio", func(b *testing.B) {
		var by [2]time.Duration
		for b.Loop() {
			for i, f := range []func() int{native, loupe} {
				start := time.Now()
				f()
				by[i] += time.Since(start)
			}
		}
		b.ReportMetric(float64(by[1])/float64(by[0]), "loupe/native")
	})
}

func Example() {
	dw := donburi.NewWorld()
	dw.Create(health, player)
	w := donburiworld.New(dw)
	p, err := query.Compile(w.Catalog(), query.Query{With: []string{"PlayerTag"}, Where: "Life.HP < Life.Max"})
	fmt.Println(p.Count(w), err)
	// Output: 1 <nil>
}
