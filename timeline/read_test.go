package timeline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/timeline"
)

// scene is a world whose every tick is known: entity i loses one hit point a
// tick from tick 10*i on, and moves; the score counts; a third of the entities
// die at tick 200, and others take their rows.
type scene struct {
	*mapworld.World
	t     *testing.T
	rec   *timeline.Recorder
	es    []ecs.Entity
	score *ecstest.Score
	tick  uint64
}

const sceneEntities = 300

func newScene(t *testing.T, o timeline.Options) *scene {
	s := &scene{World: mapworld.New(append(ecstest.Components(), reflect.TypeFor[mapChild]())...), t: t, rec: timeline.NewRecorder(nil), score: &ecstest.Score{}}
	s.AddResource(s.score)
	for i := range sceneEntities {
		s.es = append(s.es, s.must(ecs.Change{Op: ecs.OpSpawn, Values: s.values(ecstest.Position{X: float64(i)}, ecstest.Health{HP: 100, Max: 100}, ecstest.Name(fmt.Sprint("e", i)))})...)
	}
	s.rec.Bind(s.World, nil)
	if err := s.rec.Start(o, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.rec.Stop(true) })
	return s
}

func (s *scene) values(vs ...any) (out []ecs.Value) {
	for _, v := range vs {
		id := slices.Index(ecstest.Components(), reflect.TypeOf(v))
		out = append(out, ecs.Value{Type: ecs.TypeID(id), Value: reflect.ValueOf(v)})
	}
	return out
}

func (s *scene) must(cs ...ecs.Change) []ecs.Entity {
	s.t.Helper()
	es, err := s.Apply(cs)
	if err != nil {
		s.t.Fatal(err)
	}
	return es
}

func hpAt(i int, tick uint64) int { return 100 - int(max(0, int64(tick)-10*int64(i))) }

func (s *scene) run(ticks int) {
	for range ticks {
		s.tick++
		s.score.Points++
		for i, e := range s.es {
			if s.Alive(e) {
				s.must(ecs.Change{Op: ecs.OpSet, Entity: e, Values: s.values(ecstest.Health{HP: hpAt(i, s.tick), Max: 100}, ecstest.Position{X: float64(i) + float64(s.tick)/4})})
			}
		}
		if s.tick == 200 {
			for i := 0; i < sceneEntities; i += 3 {
				s.must(ecs.Change{Op: ecs.OpDespawn, Entity: s.es[i]})
			}
		}
		s.rec.EndTick(s.tick)
		s.rec.Flush(context.Background())
	}
}

func (s *scene) all() (l *timeline.Line, from, to timeline.Ref) {
	l = s.rec.Line()
	refs := l.Refs(0, s.tick)
	return l, refs[0], refs[len(refs)-1]
}

func TestHistory(t *testing.T) {
	s := newScene(t, timeline.Options{})
	s.run(400)
	l, from, to := s.all()
	cat := s.Catalog()
	track := func(i int, path string) timeline.Track {
		e := ecs.Entity{}
		if i >= 0 {
			e = s.es[i]
		}
		tr, err := timeline.FieldTrack(cat, e, path)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	plan, err := query.Compile(cat, query.Query{Where: "Health.HP < 50"})
	if err != nil {
		t.Fatal(err)
	}
	over := func(of string) timeline.Track {
		tr, err := timeline.OverTrack(cat, plan, of)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	h := l.History(from, to, 401, []timeline.Track{track(5, "Health.HP"), track(-1, "Score.Points"), over("count"), over("min Health.HP"), track(4, "Name")})
	if len(h.Ticks) != 401 || h.Samples != 401 {
		t.Fatalf("%d points of %d samples", len(h.Ticks), h.Samples)
	}
	for k, tick := range h.Ticks {
		count, least := 0, 0
		for i := range s.es {
			if hp := hpAt(i, tick); hp < 50 && (tick < 200 || i%3 != 0) {
				if count++; count == 1 || hp < least {
					least = hp
				}
			}
		}
		want := map[string]string{"Health.HP": fmt.Sprint(hpAt(5, tick)), "Score.Points": fmt.Sprint(tick), "count": fmt.Sprint(count), "min Health.HP": fmt.Sprint(least), "Name": `"e4"`}
		if count == 0 {
			want["min Health.HP"] = "null"
		}
		for name, w := range want {
			if got := string(h.Series[name][k]); got != w {
				t.Fatalf("%s at tick %d: %s, want %s", name, tick, got, w)
			}
		}
	}
	sum := h.Summary["Health.HP"]
	if string(sum.First) != "100" || string(sum.Last) != "-250" || string(sum.Min) != "-250" || sum.MinTick != 400 || sum.MaxTick != 0 || sum.Changes != 350 || !slices.Equal(sum.LastAt, []uint64{398, 399, 400}) {
		t.Errorf("%+v", sum)
	}
	// One that dies is null from then on, whoever has its row.
	h = l.History(from, to, 5, []timeline.Track{track(3, "Health.HP"), track(6, "Position.X")})
	if got := fmt.Sprintf("%v %s", h.Ticks, h.Series["Health.HP"]); got != "[0 100 200 300 400] [100 30 null null null]" {
		t.Error(got)
	}
	if got := string(h.Series["Position.X"][1]); got != "31" {
		t.Error(got)
	}
	for path, code := range map[string]refusal.Code{"Health.HP": refusal.InvalidArguments, "Score.Point": refusal.UnknownField, "Nothing.X": refusal.UnknownComponent} {
		if _, err := timeline.FieldTrack(cat, ecs.Entity{}, path); err == nil || err.(*refusal.Error).Code != code {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, of := range []string{"", "median Health.HP", "min", "count Health.HP", "avg Name"} {
		if _, err := timeline.OverTrack(cat, plan, of); err == nil {
			t.Errorf("of %q is no number", of)
		}
	}
}

func TestSearch(t *testing.T) {
	s := newScene(t, timeline.Options{})
	s.run(300)
	l, from, to := s.all()
	for _, c := range []struct {
		where string
		ends  bool
		first bool
		of    int // entity; -1: any
		tick  uint64
		found bool
		named int // entities
	}{
		{"Health.HP == 40", false, true, -1, 60, true, 1},
		{"Health.HP == 40", false, false, -1, 290, true, 1}, // the one of tick 300 has died
		{"Health.HP < 20", false, true, 7, 151, true, 1},
		{"Health.HP < 0", true, false, -1, 200, true, 0},
		{"Health.HP < prev(Health.HP)", false, true, 9, 91, true, 1},
		{"Score.Points > 77", false, true, -1, 78, true, 1},
		{"Score.Points == 100 && Health.HP == 0", false, false, -1, 100, true, 1},
		{"Score.Points != prev(Score.Points)", false, true, -1, 1, true, 1},
		{"Health.Max == 100", false, true, -1, 0, true, 10},
		{"Health.HP > 100", false, true, -1, 0, false, 0},
	} {
		plan, err := query.Compile(s.Catalog(), query.Query{Where: c.where, LookBack: true})
		if err != nil {
			t.Fatal(err)
		}
		q := timeline.Search{Plan: plan, Ends: c.ends, First: c.first}
		if c.of >= 0 {
			q.Entity = s.es[c.of]
		}
		f, found := l.Search(from, to, q)
		if found != c.found || found && (f.Tick != c.tick || c.named > 0 && len(f.Entities) != c.named) {
			t.Errorf("%s: %v, tick %d, %v", c.where, found, f.Tick, f.Entities)
		}
		if c.where == "Health.Max == 100" && (f.Before != nil || f.Total != sceneEntities) {
			t.Errorf("what held from the first sample on: %+v", f)
		}
	}
	near := l.HowNear(from, to, s.Catalog(), query.Query{Where: "Health.HP > 100 && Score.Points > 290"})
	if len(near) != 2 || near[0].Held != 0 || near[0].Looked != 300 || near[1].Held == 0 || near[1].Tick != 300 {
		t.Errorf("%+v", near)
	}
}

// Every refusal says what is recorded.
func TestNotRecorded(t *testing.T) {
	s := newScene(t, timeline.Options{})
	find := func(at int64) (uint64, error) {
		r, err := s.rec.Line().Find(at)
		return r.Tick, err
	}
	s.run(50)
	s.rec.Stop(false)
	s.tick = 100
	s.rec.EndTick(100) // nobody records
	if err := s.rec.Start(timeline.Options{Every: 3}, 100); err != nil {
		t.Fatal(err)
	}
	s.run(30)
	for at, want := range map[int64]uint64{0: 0, 50: 50, 100: 100, -10: 118, -2: 127, 129: 127, 130: 130} {
		if got, err := find(at); err != nil || got != want {
			t.Errorf("at %d: %d, %v", at, got, err)
		}
	}
	for at, want := range map[int64]string{70: "in a gap", 10_000: "has not been recorded", -1000: "before tick 0"} {
		_, err := find(at)
		e, ok := err.(*refusal.Error)
		if !ok || e.Code != refusal.NotRecorded || !strings.Contains(e.Message, want) || e.Want == nil {
			t.Errorf("at %d: %v", at, err)
		}
	}
	if _, err := timeline.NewRecorder(nil).Line().Find(3); err == nil || err.(*refusal.Error).Next != "record_start" {
		t.Error(err)
	}
	s.rec.Stop(true)
	if _, err := find(10); err == nil || !strings.Contains(err.Error(), "nothing is recorded") {
		t.Error(err)
	}
}

func TestStartRefuses(t *testing.T) {
	rec := timeline.NewRecorder(nil)
	code := func(err error) refusal.Code {
		e, _ := err.(*refusal.Error)
		if e == nil {
			return ""
		}
		return e.Code
	}
	if got := code(rec.Start(timeline.Options{}, 0)); got != refusal.NoWorld {
		t.Error(got)
	}
	w := mapworld.New(ecstest.Components()...)
	rec.Bind(struct{ ecs.World }{w}, nil) // cannot be captured
	if got := code(rec.Start(timeline.Options{}, 0)); got != refusal.NotSupported {
		t.Error(got)
	}
	rec.Bind(w, nil)
	if _, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Count: 1000, Values: []ecs.Value{{Type: 4, Value: reflect.ValueOf(ecstest.Blob{})}}}}); err != nil {
		t.Fatal(err)
	}
	err := rec.Start(timeline.Options{Memory: 60_000}, 0)
	if e, ok := err.(*refusal.Error); !ok || e.Code != refusal.TooLarge || !strings.Contains(e.Hint, "memoryMB") {
		t.Error(err)
	}
	if rec.Recording() {
		t.Error("a refused start records")
	}
	b, err := json.Marshal(rec.Info().Branches)
	if err != nil || string(b) != "null" {
		t.Errorf("%s %v", b, err)
	}
}
