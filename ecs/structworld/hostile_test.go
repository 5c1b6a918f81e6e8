package structworld_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/structworld"
	"github.com/loupe-ecs/loupe/ecs/value"
)

type node struct {
	Next *node
	N    int
}

func spawn1(w ecs.World, id ecs.TypeID, v any) ([]ecs.Entity, error) {
	return w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Values: []ecs.Value{{Type: id, Value: reflect.ValueOf(v)}}}})
}

func show(t *testing.T, w ecs.World, e ecs.Entity, path string) any {
	t.Helper()
	c, row, ok := w.Row(e)
	if !ok {
		t.Fatal("dead", e)
	}
	id := c.Components()[0]
	col, _ := c.Column(id)
	typ := w.Catalog().Components[id].Type
	p, err := typ.Path(path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.ToGo(col.Value(typ.Go, row))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPointersIntoTwoKindsOfOneType(t *testing.T) {
	a := &node{N: 1}
	b := &node{N: 2, Next: a}
	as, bs := []*node{a}, []*node{b}
	w := structworld.New(structworld.Pointers("A", &as), structworld.Pointers("B", &bs))
	ea, eb := rows(w, "A"), rows(w, "B")
	if v := show(t, w, eb[0], "Next"); v != ea[0].String() {
		t.Errorf("shown %v want %v", v, ea[0])
	}
}

func TestAnElementUnderNaNGoes(t *testing.T) {
	m := map[float64]*node{math.NaN(): {N: 1}, math.NaN(): {N: 2}, 3: {N: 3}}
	w := structworld.New(structworld.Map("M", &m))
	es := rows(w, "M")
	if len(es) != 3 {
		t.Fatal(es)
	}
	for i := range 3 {
		if _, err := w.Apply([]ecs.Change{{Op: ecs.OpDespawn, Entity: es[i]}}); err != nil {
			t.Fatal(err)
		}
		if now := rows(w, "M"); len(now) != 2-i || len(m) != 2-i {
			t.Fatalf("%d: %v %v", i, now, m)
		}
	}
}

func TestAnElementUnderTwoKeysGoes(t *testing.T) {
	p := &node{N: 1}
	m := map[string]*node{"a": p, "b": p}
	w := structworld.New(structworld.Map("M", &m))
	es := rows(w, "M")
	if len(es) != 1 {
		t.Fatal(es)
	}
	w.Apply([]ecs.Change{{Op: ecs.OpDespawn, Entity: es[0]}})
	if now := rows(w, "M"); len(now) != 0 {
		t.Fatalf("%v %v", now, m)
	}
}

type pt struct{ X, Y int }

func TestKeysThatNobodyCanMake(t *testing.T) {
	m := map[pt]*node{{1, 1}: {N: 1}, {2, 2}: {N: 2}}
	w := structworld.New(structworld.Map("M", &m))
	es := rows(w, "M")
	var img ecs.Image
	w.Capture(&img)
	delete(m, pt{1, 1})
	w.Catalog()
	if err := w.Restore(&img); err != nil {
		t.Errorf("restore: %v", err)
	}
	if len(m) != 2 || m[pt{1, 1}] == nil {
		t.Errorf("%v", m)
	}
	before := *m[pt{2, 2}]
	_, err := w.Apply([]ecs.Change{{Op: ecs.OpDespawn, Entity: es[1]}, {Op: ecs.OpSpawn, Values: []ecs.Value{{Type: 0, Value: reflect.ValueOf(node{N: 5})}}}})
	if !errors.Is(err, refusal.NotSupported) || len(m) != 2 || *m[pt{2, 2}] != before {
		t.Errorf("one for another: %v %v", err, m)
	}
	// Entities that this process has not seen are refused before anything changes.
	others := map[pt]*node{{7, 7}: {N: 7}}
	if err := structworld.New(structworld.Map("M", &others)).Restore(&img); !errors.Is(err, refusal.BadSnapshot) || len(others) != 1 || others[pt{7, 7}].N != 7 {
		t.Errorf("strangers: %v %v", err, others)
	}
}

func TestAMapOfAllKeysIsFull(t *testing.T) {
	m := map[uint8]*node{}
	for i := range 256 {
		m[uint8(i)] = &node{N: i}
	}
	w := structworld.New(structworld.Map("M", &m))
	if _, err := spawn1(w, 0, node{}); !errors.Is(err, refusal.NotSupported) || len(m) != 256 {
		t.Errorf("%v, %d elements", err, len(m))
	}
	delete(m, 7)
	if es, err := spawn1(w, 0, node{N: 300}); err != nil || m[7] == nil || m[7].N != 300 || !w.Alive(es[0]) {
		t.Errorf("%v %v", err, m[7])
	}
}

func TestALookWhileElementsAreVisited(t *testing.T) {
	list := []*node{nil, {N: 1}, {N: 2}, {N: 3}}
	w := structworld.New(structworld.Pointers("A", &list))
	for c := range w.Chunks(ecs.Filter{}) {
		col, _ := c.Column(0)
		es := c.AppendEntities(nil, 0, c.Len())
		for row, e := range es {
			if !w.Alive(e) {
				t.Error("dead")
			}
			p := (*node)(col.At(row))
			if p == nil || p.N != row+1 {
				t.Errorf("row %d: %v", row, p)
			}
		}
	}
}

func TestAStructThatTheGameUsesAgain(t *testing.T) {
	p1, p9 := &node{N: 1}, &node{N: 9}
	list := []*node{p1}
	w := structworld.New(structworld.Pointers("A", &list))
	w.Catalog()
	var img0, img1 ecs.Image
	w.Capture(&img0)
	list = append(list, p9)
	w.Catalog()
	w.Capture(&img1) // 1v0:p1 2v0:p9
	w.Restore(&img0)
	list = list[:0]
	w.Catalog()
	list = append(list, &node{N: 5}, p1) // 1v1: new, 2v0: p1 from the game's pool
	w.Restore(&img1)
	if len(list) != 2 || list[0] == list[1] || list[0].N != 1 || list[1].N != 9 {
		t.Errorf("%+v %+v", list[0], list[1])
	}
	if now := rows(w, "A"); len(now) != 2 || at[node](w, now[0]).N != 1 {
		t.Error(now)
	}
}

func TestTheHolderOfASlotThatAnotherHasNow(t *testing.T) {
	list := []*node{{N: 1}}
	w := structworld.New(structworld.Pointers("A", &list))
	es := rows(w, "A")
	list[0] = &node{N: 2}
	e, ok := w.Holder(es[0].ID)
	if !ok || !w.Alive(e) || e.Gen != 1 {
		t.Errorf("%v %v", e, ok)
	}
}

func TestAStructInTwoKinds(t *testing.T) {
	p := &node{N: 1}
	q := &node{N: 2, Next: p}
	list := []*node{p, q}
	one := p
	w := structworld.New(structworld.Pointers("A", &list), structworld.Pointer("P", &one))
	w.Catalog()
	es := rows(w, "A")
	if v := show(t, w, es[1], "Next"); v != es[0].String() {
		t.Error(v)
	}
	one = nil
	w.Catalog()
	if v := show(t, w, es[1], "Next"); v != es[0].String() {
		t.Error(v)
	}
}

type none struct{}

func TestElementsWithoutData(t *testing.T) {
	list := []none{{}, {}}
	idonly := []struct{ structworld.ID }{{}, {}}
	w := structworld.New(structworld.Slice("A", &list), structworld.Slice("I", &idonly))
	es := rows(w, "A")
	var img ecs.Image
	if err := w.Capture(&img); err != nil {
		t.Fatal(err)
	}
	list = nil
	idonly = idonly[1:]
	w.Catalog()
	if err := w.Restore(&img); err != nil || len(list) != 2 || len(idonly) != 2 {
		t.Fatal(err, list)
	}
	if _, err := w.Apply([]ecs.Change{{Op: ecs.OpDespawn, Entity: es[0]}}); err != nil || len(list) != 1 {
		t.Error(err, list)
	}
}

var global node

func TestAVariableOfThePackage(t *testing.T) {
	p := &global
	w := structworld.New(structworld.Pointer("P", &p))
	es := rows(w, "P")
	var img ecs.Image
	w.Capture(&img)
	p = nil
	w.Catalog()
	if err := w.Restore(&img); err != nil || p != &global {
		t.Errorf("%v %p %v", err, p, es)
	}
}

func TestElementsThatAreInterfaces(t *testing.T) {
	list := []any{1}
	w := structworld.New(structworld.Slice("A", &list))
	_, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Values: []ecs.Value{{Type: 0, Value: reflect.Zero(reflect.TypeFor[any]())}}}})
	if err != nil || len(list) != 2 || list[1] != nil {
		t.Errorf("%v %v", err, list)
	}
}

func TestARewindToAnotherCourse(t *testing.T) {
	a, b := &node{N: 1}, &node{N: 2}
	list := []*node{a, b}
	w := structworld.New(structworld.Pointers("A", &list))
	w.Catalog()
	var img0, img1 ecs.Image
	w.Capture(&img0)
	c := &node{N: 3} // 2v1
	a.Next = c
	list = []*node{a}
	w.Catalog()
	list = append(list, c)
	es := rows(w, "A")
	w.Capture(&img1)
	if err := w.Restore(&img0); err != nil {
		t.Fatal(err)
	}
	list = []*node{a}
	w.Catalog()
	d := &node{N: 4} // 2v1 as well
	list = append(list, d)
	if now := rows(w, "A"); now[1] != es[1] {
		t.Fatal(now)
	}
	if err := w.Restore(&img1); err != nil {
		t.Fatal(err)
	}
	if list[0].Next != list[1] || list[1].N != 3 {
		t.Errorf("%+v %+v, next shows as %v", list[0], list[1], show(t, w, es[0], "Next"))
	}
}

// What an image points at is named as it was when it was made.
func TestAnImageOfWhatHasDiedSince(t *testing.T) {
	a, b := &node{N: 1}, &node{N: 2}
	a.Next = b
	list := []*node{a, b}
	w := structworld.New(structworld.Pointers("A", &list))
	es := rows(w, "A")
	var img ecs.Image
	if err := w.Capture(&img); err != nil {
		t.Fatal(err)
	}
	list = list[:1]
	w.Catalog()
	next := img.Archetypes[0].Columns[0].Index(0).Field(0)
	if e, ok := value.EntityIn(next); !ok || e != es[1] {
		t.Errorf("%v %v, want %v", e, ok, es[1])
	}
	if e, ok := value.EntityIn(reflect.ValueOf(&node{})); !ok || !e.IsZero() {
		t.Errorf("a node of no list is %v %v", e, ok)
	}
}
