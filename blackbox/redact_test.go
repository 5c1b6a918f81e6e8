package blackbox_test

import (
	"bytes"
	"encoding/json"
	"image/color"
	"io"
	"log/slog"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/timeline"
)

// plain is all that a file says, decompressed.
func plain(t *testing.T, raw []byte) string {
	t.Helper()
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	out := []byte{}
	for rest := raw[10:]; len(rest) > 0; {
		n := int(rest[6]) | int(rest[7])<<8 | int(rest[8])<<16 | int(rest[9])<<24
		data := rest[10:][:n]
		if rest[1] == 1 {
			if data, err = d.DecodeAll(data, nil); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, data...)
		rest = rest[10+n+4:]
	}
	return string(out)
}

func withParts(t *testing.T, rec *timeline.Recorder) []byte {
	var buf bytes.Buffer
	w, err := blackbox.NewWriter(&buf, blackbox.Header{App: "test", Why: "test"})
	if err != nil {
		t.Fatal(err)
	}
	info := rec.Info()
	branches, current := rec.Branches()
	marks := append(info.Marks, timeline.Mark{Tick: 4, Kind: timeline.MarkLog, Text: "user bob@example.org left"},
		timeline.Mark{Tick: 5, Kind: timeline.MarkWrite, Text: `set_component {"component":"purse","value":{"Coins":90210}}`, Operation: "op-7"},
		timeline.Mark{Tick: 6, Kind: timeline.MarkWatch, Text: "watch-3: 90210 -> 5 by economy"})
	for _, err := range []error{
		w.JSON(blackbox.PartFacts, blackbox.Facts{Every: info.Every, Tick: info.Tick, Branches: branches, Current: current, Marks: marks}),
		w.JSON(blackbox.PartLog, []blackbox.Line{{Level: slog.LevelWarn, Msg: "user bob@example.org left"}, {Msg: "loaded /home/bobby/saves/one.sav", Attrs: json.RawMessage(`{"mail":"al@example.org"}`)}, {Msg: "by file", Attrs: json.RawMessage(`{"/home/bobby/saves/six.sav":6}`)}, {Msg: "loaded /home/bobby/saves/two.sav"}}),
		w.JSON(blackbox.PartCrash, map[string]any{"Panic": "boom", "Frame": uint64(math.MaxUint64), "Label": "purse of 77", "LogTail": []any{map[string]any{"Msg": "bye bob@example.org"}},
			"Frames": []any{map[string]any{"File": "/home/bobby smith/game/main.go", "Line": 3}}}),
		w.Part(blackbox.PartGoroutines, []byte("goroutine 1 [running]:\ngithub.com/some/game.run()\n\t/home/bobby smith/game/main.go:12 +0x1d\n")),
		w.Part(blackbox.PartHeap, []byte("profile of /home/bobby/game")),
		w.Record(rec), w.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return buf.Bytes()
}

func TestRedact(t *testing.T) {
	rec, _ := recorded(t, 3, 200)
	raw := withParts(t, rec)
	var buf bytes.Buffer
	damage, err := blackbox.Redact(&buf, bytes.NewReader(raw), int64(len(raw)), blackbox.Redaction{
		Components: []string{"mind"}, Fields: []string{"purse.Coins", "Bag.Items.Label"}, Resources: []string{"Score"},
		Logs: []*regexp.Regexp{regexp.MustCompile(`\w+@example\.org`)}, Paths: true})
	if err != nil || damage != "" {
		t.Fatal(err, damage)
	}
	before, after := plain(t, raw), plain(t, buf.Bytes())
	for _, gone := range []string{"example.org", "bobby", "purse of", "profile of", "90210"} {
		if !strings.Contains(before, gone) {
			t.Errorf("%q was never there", gone)
		}
		if strings.Contains(after, gone) {
			t.Errorf("%q is still in the file", gone)
		}
	}
	for _, kept := range []string{"main.go:12 +0x1d", "github.com/some/game.run()", "loaded two.sav", "18446744073709551615", "boom", "something", "six.sav", "set_component (redacted)", "op-7", "watch-3: (redacted)"} {
		if !strings.Contains(after, kept) {
			t.Errorf("%q is gone too", kept)
		}
	}
	was, err := blackbox.Read(bytes.NewReader(raw), int64(len(raw)), blackbox.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	is, err := blackbox.Read(bytes.NewReader(buf.Bytes()), int64(buf.Len()), blackbox.Limits{})
	if err != nil || is.Damage != "" || is.Samples != was.Samples {
		t.Fatalf("%v, %q, %d of %d samples", err, is.Damage, is.Samples, was.Samples)
	}
	hidden := regexp.MustCompile(`"(Mood|Fear|Target|Secret|Coins|Points|Names|Label|Any)":(\{"\$opaque":"private"\}|"[^"]*"|\[[^\]]*\]|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|-?[0-9.]+|null)`)
	results := regexp.MustCompile(` Rich=(true|false) purse of -?\d+`)
	for _, ref := range was.Recorder.Line().Refs(0, math.MaxInt64) {
		there, err := is.Recorder.Line().Find(int64(ref.Tick))
		if err != nil {
			t.Fatal(err)
		}
		a, b := shown(t, was.Recorder.Line().World(ref)), shown(t, is.Recorder.Line().World(there))
		for _, m := range hidden.FindAllStringSubmatch(b, -1) {
			if m[2] != `{"$opaque":"private"}` {
				t.Fatalf("tick %d shows %s", ref.Tick, m[0])
			}
		}
		// All else is as it was.
		a = results.ReplaceAllString(hidden.ReplaceAllString(a, `"$1":*`), "")
		if b = hidden.ReplaceAllString(b, `"$1":*`); a != b {
			t.Fatalf("tick %d:\n%s\n%s", ref.Tick, a, b)
		}
	}
}

func TestRedactUnknown(t *testing.T) {
	rec, _ := recorded(t, 3, 5)
	raw := withParts(t, rec)
	for _, r := range []blackbox.Redaction{{Components: []string{"Mnid"}}, {Fields: []string{"purse.Coin"}}, {Resources: []string{"purse"}}} {
		if _, err := blackbox.Redact(&bytes.Buffer{}, bytes.NewReader(raw), int64(len(raw)), r); err == nil || !strings.Contains(err.Error(), "nothing was redacted") {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

type (
	hull   struct{ Plate armour }
	armour struct {
		Maker  string
		Serial int64
	}
	yard struct{ Spare armour }
	knot [2]int64
)

// What is named may be of a type that stands elsewhere in samples that came before
// it, of no struct, or of a type that every program has.
func TestRedactTypesOfEveryKind(t *testing.T) {
	types := []reflect.Type{reflect.TypeFor[hull](), reflect.TypeFor[knot](), reflect.TypeFor[color.RGBA]()}
	w := mapworld.New(types...)
	then := time.Unix(0x4142434445, 0)
	w.AddResource(&then)
	rec := timeline.NewRecorder(nil)
	rec.Bind(w, nil)
	if err := rec.Start(timeline.Options{}, 0); err != nil {
		t.Fatal(err)
	}
	spawn := func(maker string) {
		values := []ecs.Value{{Type: 0, Value: reflect.ValueOf(hull{armour{maker, 5}})}, {Type: 1, Value: reflect.ValueOf(knot{0x4d414b45525f4e52, 8})}, {Type: 2, Value: reflect.ValueOf(color.RGBA{R: 77, G: 78, B: 79, A: 80})}}
		if _, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Values: values}}); err != nil {
			t.Fatal(err)
		}
	}
	spawn("maker one")
	rec.EndTick(1)
	rec.Flush(t.Context())
	w.AddResource(&yard{armour{"maker two", 6}}) // its type comes into the file here
	spawn("maker three")
	rec.EndTick(2)
	rec.Flush(t.Context())
	rec.Stop(false)
	raw := written(t, rec)
	for _, from := range []io.Reader{bytes.NewReader(raw), struct{ io.Reader }{bytes.NewReader(raw)}} {
		var buf bytes.Buffer
		damage, err := blackbox.Redact(&buf, from, int64(len(raw)), blackbox.Redaction{Fields: []string{"yard.Spare.Maker"}, Components: []string{"knot", "RGBA"}, Resources: []string{"Time"}})
		if err != nil || damage != "" {
			t.Fatal(err, damage)
		}
		f, err := read(buf.Bytes())
		if err != nil || f.Damage != "" || f.Samples != rec.Line().Len() {
			t.Fatalf("%v, %+v", err, f)
		}
		all := plain(t, buf.Bytes())
		for _, ref := range f.Recorder.Line().Refs(0, math.MaxInt64) {
			all += shown(t, f.Recorder.Line().World(ref))
		}
		for _, gone := range []string{"maker", "NR_REKAM", "MNOP", "5566529604782575442", `"R":77`, then.UTC().Format("2006-01-02")} {
			if strings.Contains(all, gone) {
				t.Errorf("%q is still in the file", gone)
			}
		}
		for _, kept := range []string{`"Serial":5`, `"Serial":6`, `{"$opaque":"color.RGBA"}`, `{"$opaque":"time.Time"}`} {
			if !strings.Contains(all, kept) {
				t.Errorf("%q is gone too", kept)
			}
		}
	}
}
