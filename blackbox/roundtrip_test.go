package blackbox_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/timeline"
)

type childOf struct{ mapworld.Relation }

type mood uint8

func (m mood) String() string { return [...]string{"calm", "angry", "lost"}[m%3] }

type mind struct {
	Mood   mood
	Fear   map[mood]float32
	Target ecs.Entity
	Secret string `debug:"private"`
}

type purse struct {
	Coins  int32
	Code   uint16 `debug:"private"`
	Weight float64
}

func init() {
	value.Describe(value.Computed("Rich", func(p *purse) bool { return p.Coins > 50 }), value.Label(func(p *purse) string { return fmt.Sprint("purse of ", p.Coins) }))
}

// play is one tick of a random game.
func play(w *mapworld.World, r *rand.Rand, es []ecs.Entity) []ecs.Entity {
	types := components()
	some := func() (out []ecs.Value) {
		for id, t := range types {
			if r.IntN(3) > 0 {
				continue
			}
			var v any
			switch t {
			case reflect.TypeFor[ecstest.Position]():
				v = ecstest.Position{X: r.Float64() * 100, Y: float64(r.IntN(10))}
			case reflect.TypeFor[ecstest.Bag]():
				v = ecstest.Bag{Items: []ecstest.Item{{Label: fmt.Sprint(r.IntN(9)), Count: r.IntN(5)}}, Counts: map[string]int{"a": r.IntN(3)}, Next: &ecstest.Bag{Note: "n", Next: &ecstest.Bag{}}, Any: ecstest.Item{Count: r.IntN(3)}}
			case reflect.TypeFor[mind]():
				v = mind{Mood: mood(r.IntN(3)), Fear: map[mood]float32{mood(r.IntN(3)): r.Float32()}, Secret: "hush"}
			case reflect.TypeFor[purse]():
				v = purse{Coins: r.Int32N(100), Code: 4711, Weight: r.Float64()}
			case reflect.TypeFor[childOf]():
				continue
			default:
				v = reflect.Zero(t).Interface()
			}
			out = append(out, ecs.Value{Type: ecs.TypeID(id), Value: reflect.ValueOf(v)})
		}
		return out
	}
	for range r.IntN(3) {
		if got, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Values: some()}}); err == nil {
			es = append(es, got...)
		}
	}
	for i, e := range es {
		switch {
		case !w.Alive(e):
		case r.IntN(60) == 0:
			w.Apply([]ecs.Change{{Op: ecs.OpDespawn, Entity: e}})
		case r.IntN(4) == 0:
			c, row, _ := w.Row(e)
			if col, ok := c.Column(0); ok {
				p := (*ecstest.Position)(unsafe.Add(col.Base, uintptr(row)*col.Stride))
				p.X += 0.25 * float64(i%5)
			}
		}
	}
	return es
}

func components() []reflect.Type {
	return append(ecstest.Components(), reflect.TypeFor[childOf](), reflect.TypeFor[mind](), reflect.TypeFor[purse]())
}

// recorded is a random game of so many ticks.
func recorded(t testing.TB, seed uint64, ticks int) (*timeline.Recorder, *mapworld.World) {
	w := mapworld.New(components()...)
	score := &ecstest.Score{Points: 1}
	w.AddResource(score)
	w.RegisterResource(reflect.TypeFor[ecstest.Absent]())
	rec := timeline.NewRecorder(nil)
	rec.Bind(w, nil)
	if err := rec.Start(timeline.Options{}, 0); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	var es []ecs.Entity
	for tick := range ticks {
		es = play(w, r, es)
		score.Points++
		if tick%7 == 0 {
			score.Names = append(score.Names, fmt.Sprint(tick))
		}
		rec.EndTick(uint64(tick + 1))
		rec.Flush(context.Background())
	}
	rec.Mark(timeline.Mark{Tick: 3, Kind: timeline.MarkLog, Text: "something"})
	rec.Stop(false)
	return rec, w
}

func written(t testing.TB, rec *timeline.Recorder) []byte {
	var buf bytes.Buffer
	w, err := blackbox.NewWriter(&buf, blackbox.Header{App: "test", Why: "test"})
	if err != nil {
		t.Fatal(err)
	}
	info := rec.Info()
	branches, current := rec.Branches()
	if err := w.JSON(blackbox.PartFacts, blackbox.Facts{Every: info.Every, Tick: info.Tick, Branches: branches, Current: current, Marks: info.Marks}); err != nil {
		t.Fatal(err)
	}
	if err := w.Record(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// What a file holds is what was recorded, but for what is private.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(4) {
		rec, _ := recorded(t, seed, 400)
		raw := written(t, rec)
		f, err := blackbox.Read(bytes.NewReader(raw), int64(len(raw)), blackbox.Limits{})
		if err != nil || f.Damage != "" {
			t.Fatalf("%v, %q", err, f.Damage)
		}
		live, line := rec.Line(), f.Recorder.Line()
		if f.Samples != live.Len() || line.Len() != live.Len() {
			t.Fatalf("%d of %d samples, %d", f.Samples, live.Len(), line.Len())
		}
		for i, ref := range live.Refs(0, 1<<40) {
			if i%10 > 0 && ref.Cause == "" {
				continue
			}
			there, err := line.Find(int64(ref.Tick))
			if err != nil {
				t.Fatal(err)
			}
			a, b := shown(t, live.World(ref)), shown(t, line.World(there))
			for _, private := range []string{`"hush"`, "4711", `"Secret":""`, `"Code":0`} { // zero values as well: the file does not tell
				name, _, named := strings.Cut(private, ":")
				if !named {
					a = strings.ReplaceAll(a, private, `{"$opaque":"private"}`)
				} else {
					a = strings.ReplaceAll(a, private, name+`:{"$opaque":"private"}`)
				}
			}
			if a != b {
				t.Fatalf("seed %d, tick %d:\n%s\n%s", seed, ref.Tick, a, b)
			}
		}
		t.Logf("%d samples, %d bytes", f.Samples, len(raw))
	}
}

// shown is everything that a world shows, as text.
func shown(t testing.TB, w ecs.World) string {
	cat := w.Catalog()
	out := fmt.Appendf(nil, "%+v %d\n", cat.Entities, cat.MemoryBytes)
	for c := range w.Chunks(ecs.Filter{}) {
		out = fmt.Appendf(out, "%v %v\n", c.AppendEntities(nil, 0, c.Len()), c.Targets())
		for _, id := range c.Components() {
			comp := cat.Components[id]
			out = fmt.Appendf(out, "  %s %s %s %d", comp.Name, comp.Type.Shape, comp.Type.SchemaID, comp.Type.Size)
			col, _ := c.Column(id)
			for row := range c.Len() {
				p := unsafe.Add(col.Base, uintptr(row)*col.Stride)
				v := reflect.NewAt(comp.Type.Go, p).Elem()
				var err error
				out = append(out, ' ')
				if out, err = value.AppendJSON(out, v, value.EncodeOptions{}); err != nil {
					t.Fatal(err)
				}
				for _, x := range comp.Type.Computed {
					out = fmt.Appendf(out, " %s=%v", x.Name, x.Get(p))
				}
				if comp.Type.Label != nil {
					out = append(append(out, ' '), comp.Type.Label(p)...)
				}
			}
			out = append(out, '\n')
		}
	}
	for _, r := range cat.Resources {
		if v, ok := w.Resource(r.ID); ok {
			out = append(append(out, r.Name...), ' ')
			out, _ = value.AppendJSON(out, v, value.EncodeOptions{})
		}
	}
	return string(out)
}
