package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// counterState is a host state with a version.
type counterState struct {
	name     string
	version  int
	n        int
	panics   bool
	finished int
	broken   bool // refuses every load once one was put in place
}

func (s *counterState) Name() string          { return s.name }
func (s *counterState) Version() int          { return s.version }
func (s *counterState) Save() ([]byte, error) { return json.Marshal(s.n) }
func (s *counterState) Load(version int, data []byte) (func(), error) {
	if version > s.version {
		return nil, fmt.Errorf("version %d is newer than %d", version, s.version)
	}
	if s.broken && s.finished > 0 {
		return nil, errors.New("broken")
	}
	var n int
	if err := json.Unmarshal(data, &n); err != nil {
		return nil, err
	}
	return func() {
		s.finished++
		if s.panics {
			s.panics = false
			panic("boom")
		}
		s.n = n
	}, nil
}

func TestHostStates(t *testing.T) {
	w := small()
	physics := &counterState{name: "physics", version: 2, n: 41}
	o := &Options{States: []State{physics}}
	data := save(t, w, o)
	physics.n = 0
	load(t, data, w, o)
	if physics.n != 41 {
		t.Errorf("restored to %d", physics.n)
	}

	// An encoding the host does not know refuses the whole load.
	older := &counterState{name: "physics", version: 1, n: 7}
	e := refused(t, data, w, refusal.BadSnapshot, &Options{States: []State{older}})
	if !strings.Contains(e.Message, "newer") || older.finished != 0 || older.n != 7 {
		t.Errorf("%+v %+v", e, older)
	}
	// So does a state nobody provides, unless asked.
	if e := refused(t, data, w, refusal.BadSnapshot, nil); !strings.Contains(e.Message, "physics") {
		t.Error(e.Message)
	}
	if rep := load(t, data, w, &Options{AllowUnknown: true}); len(rep.Skipped) != 1 || rep.Skipped[0].Kind != "state" {
		t.Errorf("%+v", rep.Skipped)
	}
	// A file without it leaves it alone and says so.
	physics.n = 3
	if rep := load(t, save(t, w, nil), w, o); physics.n != 3 || len(rep.Skipped) != 1 {
		t.Errorf("%d %+v", physics.n, rep.Skipped)
	}
	// Two of a name cannot be told apart.
	if _, err := Save(&bytes.Buffer{}, w, &Options{States: []State{physics, older}}); err == nil {
		t.Error("two states of one name")
	}
}

func TestAFailureInTheMiddleIsRolledBack(t *testing.T) {
	w := small()
	physics := &counterState{name: "physics", version: 1, n: 1}
	o := &Options{States: []State{physics}}
	data := save(t, w, o)
	physics.n = 2
	columnOf[position](t, w, 0)[0].X = 1000
	want := cloneImage(&w.img)
	for name, arm := range map[string]func(){
		"engine": func() { w.failNext = true },
		"state":  func() { physics.panics = true },
	} {
		arm()
		_, err := Load(bytes.NewReader(data), w, o)
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
		same(t, w, &want, &w.img)
		if !reflect.DeepEqual(want.Pool, w.img.Pool) || physics.n != 2 {
			t.Errorf("%s: not put back: %d", name, physics.n)
		}
	}
	// A host that cannot even take back its own state is told of.
	physics.panics, physics.finished, physics.broken = true, 0, true
	if _, err := Load(bytes.NewReader(data), w, o); err == nil || !strings.Contains(err.Error(), "refuses its own state") {
		t.Errorf("a host state that is lost: %v", err)
	}
	same(t, w, &want, &w.img)
}

func TestExcludedTypesAreLeftAlone(t *testing.T) {
	b := newFake(types(typ[position](), typ[owned](), typ[tag]()), types(typ[int](), typ[rules]()))
	e := b.rows(nil, []position{{1, 1}, {2, 2}}, []owned{{Note: "one"}, {Note: "two"}})
	b.rows(nil, []position{{3, 3}})
	b.resource(5)
	b.resource(rules{Gravity: 1})
	o := &Options{Exclude: []string{"owned", "int", "no such type"}}
	data := save(t, b.w, o)
	if bytes.Contains(data, []byte("one")) {
		t.Error("excluded, and in the file")
	}
	h, err := ReadHeader(bytes.NewReader(data))
	if err != nil || len(h.Excluded) != 2 {
		t.Errorf("%+v %v", h, err)
	}
	// Since then: the second entity lost the component, the first changed.
	b.w.img.Archetypes = []ecs.ImageArchetype{
		{Components: []ecs.TypeID{0, 1}, Entities: e[:1], Columns: []reflect.Value{reflect.ValueOf([]position{{7, 7}}), reflect.ValueOf([]owned{{Note: "now"}})}},
		{Components: []ecs.TypeID{0}, Entities: append(e[1:2:2], ecs.Entity{ID: 3, Gen: 0}), Columns: []reflect.Value{reflect.ValueOf([]position{{8, 8}, {9, 9}})}},
	}
	b.w.img.Resources[0].Value = value.Addressable(reflect.ValueOf(6))
	load(t, data, b.w, o)
	if got := columnOf[owned](t, b.w, 0); len(got) != 1 || got[0].Note != "now" {
		t.Errorf("the excluded component was not kept: %+v", got)
	}
	if got := columnOf[position](t, b.w, 1); !reflect.DeepEqual(got, []position{{2, 2}, {3, 3}}) {
		t.Errorf("%v", got)
	}
	for _, r := range b.w.img.Resources {
		if v, ok := r.Value.Interface().(int); ok && v != 6 {
			t.Errorf("the excluded resource was set to %d", v)
		}
	}
}

func TestReadHeaderReadsNoMore(t *testing.T) {
	w := everything().w
	data := save(t, w, &Options{Frame: 9, App: "arena"})
	h, err := ReadHeader(bytes.NewReader(data))
	if err != nil || h.Frame != 9 || h.App != "arena" || h.Format != 1 || h.Entities != 105 || h.Build.Go == "" || len(h.Components) != 9 {
		t.Fatalf("%+v %v", h, err)
	}
	head, _ := unpack(t, data)
	if _, err := ReadHeader(bytes.NewReader(data[:10+10+len(head)])); err != nil {
		t.Errorf("it wants more than the header: %v", err)
	}
	if _, err := ReadHeader(bytes.NewReader(data[:12])); !errors.Is(err, refusal.BadSnapshot) {
		t.Error(err)
	}
}

func TestDiff(t *testing.T) {
	b := everything()
	from := cloneImage(&b.w.img)
	to := cloneImage(&b.w.img)
	pos := to.Archetypes[0].Columns[0].Interface().([]position)
	pos[0].X += 0.001
	sinks := to.Archetypes[7].Columns
	var s []sink
	for _, c := range sinks {
		if v, ok := c.Interface().([]sink); ok {
			s = v
		}
	}
	s[1].Map["a"][0] = 9
	s[1].Map["new"] = []float64{1}
	s[1].Slice = append(s[1].Slice, 77)
	s[2].Any = 5
	s[3].hidden[1000] = true
	s[4].Nested[1].S[0] = "z"
	to.Archetypes[4].Targets[0].Entity = ecs.Entity{}
	gone := to.Archetypes[2].Entities[3]
	to.Archetypes[2].Entities = to.Archetypes[2].Entities[:3]
	to.Archetypes[2].Columns[0] = to.Archetypes[2].Columns[0].Slice(0, 3)
	to.Pool.Slots = append(to.Pool.Slots, ecs.Entity{ID: uint32(len(to.Pool.Slots)), Gen: 1})
	fresh := to.Pool.Slots[len(to.Pool.Slots)-1]
	to.Archetypes[1].Entities = append(to.Archetypes[1].Entities, fresh)
	to.Resources[2].Value.SetMapIndex(reflect.ValueOf("x"), reflect.ValueOf(2))

	d, err := Diff(b.w.cat, &from, &to, DiffOptions{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	if d.Spawned != 1 || d.Despawned != 1 || d.Added != 0 || d.Removed != 0 || d.Changed != 7 || d.ResourcesChanged != 1 || d.Total != 12 || len(d.Rows) != 12 {
		t.Errorf("%+v", *d)
	}
	var text []string
	for _, r := range d.Rows {
		text = append(text, fmt.Sprintf("%s %s %s %s %s %s", r.Kind, r.Entity, r.Component, r.Path, r.From, r.To))
	}
	all := strings.Join(text, "\n")
	for _, want := range []string{
		"changed 1v1 position X 1 1.001",
		"sink Slice[3]  77",
		`sink Map["a"][0] 1 9`,
		`sink Map["new"]  [1]`,
		`sink hidden[1000] false true`,
		`sink Nested[1].S[0] "q" "z"`,
		"childOf target \"1v1\" null",
		"despawned " + gone.String() + `   ["tag"] `,
		"spawned " + fresh.String() + `    []`,
		`["x"] 1 2`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no row %q in\n%s", want, all)
		}
	}
	for name, c := range map[string]struct {
		o    DiffOptions
		want DiffResult
	}{
		"limit 0":        {DiffOptions{}, DiffResult{Spawned: 1, Despawned: 1, Changed: 7, ResourcesChanged: 1, Total: 12}},
		"epsilon":        {DiffOptions{Epsilon: 0.01}, DiffResult{Spawned: 1, Despawned: 1, Changed: 6, ResourcesChanged: 1, Total: 11}},
		"one entity":     {DiffOptions{Entity: ecs.Entity{ID: 1}, AnyGeneration: true}, DiffResult{Changed: 1, Total: 1}},
		"one of another": {DiffOptions{Entity: ecs.Entity{ID: 1}}, DiffResult{}},
		"one component":  {DiffOptions{Component: "position"}, DiffResult{Changed: 1, Total: 1}},
		"one tag":        {DiffOptions{Component: "tag"}, DiffResult{Despawned: 1, Total: 1}},
		"leaving it out": {DiffOptions{Exclude: []string{"sink", "childOf"}}, DiffResult{Spawned: 1, Despawned: 1, Changed: 1, ResourcesChanged: 1, Total: 4}},
	} {
		d, err := Diff(b.w.cat, &from, &to, c.o)
		if err != nil {
			t.Fatal(err)
		}
		d.Rows = nil
		if !reflect.DeepEqual(*d, c.want) {
			t.Errorf("%s: %+v, want %+v", name, *d, c.want)
		}
	}
	if _, err := Diff(b.w.cat, &from, &to, DiffOptions{Component: "positon"}); !errors.Is(err, refusal.UnknownComponent) {
		t.Error(err)
	}
}

func TestDiffOfComponentsAndFloats(t *testing.T) {
	a := newFake(types(typ[position](), typ[tag]()), nil)
	a.rows(nil, []position{{math.NaN(), math.Inf(1)}, {0, 1}})
	b := newFake(types(typ[position](), typ[tag]()), nil)
	b.rows(nil, []position{{math.NaN(), math.Inf(1)}, {math.Copysign(0, -1), 1}}, []tag{{}, {}})
	d, _ := Diff(a.w.cat, &a.w.img, &b.w.img, DiffOptions{Limit: 9})
	if d.Added != 2 || d.Removed != 0 || d.Changed != 1 {
		t.Errorf("%+v", d)
	}
	d, _ = Diff(a.w.cat, &b.w.img, &a.w.img, DiffOptions{Epsilon: 1})
	if d.Added != 0 || d.Removed != 2 || d.Changed != 0 {
		t.Errorf("%+v", d)
	}
}

func TestJSONExport(t *testing.T) {
	b := everything()
	var c Capture
	if err := c.Take(b.w, &Options{Frame: 5}); err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	n, err := c.WriteJSON(&buf)
	if err != nil || n != int64(buf.Len()) {
		t.Fatal(n, err)
	}
	var doc struct {
		Header    Header
		Resources map[string]any
		Entities  []struct {
			Entity     string
			Components map[string]any
			Targets    map[string]string
		}
	}
	if err := json.Unmarshal(buf.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Entities) != 105 || doc.Header.Frame != 5 || doc.Entities[0].Entity != "1v1" || len(doc.Resources) != 3 {
		t.Errorf("%d entities, %+v", len(doc.Entities), doc.Header)
	}
	if p := doc.Entities[1].Components["position"].(map[string]any); p["X"] != "NaN" || p["Y"] != "-Infinity" {
		t.Errorf("%v", p)
	}
	if tg := doc.Entities[78].Targets["childOf"]; tg != "1v1" {
		t.Errorf("%+v", doc.Entities[78])
	}
	if _, err := Load(&buf, b.w, nil); !errors.Is(err, refusal.BadSnapshot) {
		t.Error("an export loads")
	}
}
