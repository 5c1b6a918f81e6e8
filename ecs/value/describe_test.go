package value

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

type tFrom1 int

func (k tFrom1) String() string {
	if k < 1 || k > 2 {
		return fmt.Sprintf("tFrom1(%d)", int(k))
	}
	return [...]string{"", "One", "Two"}[k]
}

type tArrayed uint8

func (k tArrayed) String() string { return [...]string{"A", "B"}[k] }

type tUnknown int32

func (k tUnknown) String() string {
	switch k {
	case 0:
		return "idle"
	case 1:
		return "chase"
	}
	return "unknown"
}

type tSignedEnum int8

func (k tSignedEnum) String() string {
	return map[tSignedEnum]string{-1: "left", 0: "none", 1: "right"}[k]
}

type tNumbered int

func (k tNumbered) String() string { return fmt.Sprintf("Level %d", int(k)) }

type tCelsius int

func (k tCelsius) String() string { return fmt.Sprintf("%d°C", int(k)) }

type tTextEnum int

func (k tTextEnum) String() string               { return [...]string{"north", "south"}[k] }
func (k tTextEnum) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

type tDeclared uint8

func (tDeclared) String() string { return "always" }

func TestLabels(t *testing.T) {
	EnumLabels(map[tDeclared]string{0: "zero", 7: "seven"})
	for _, tt := range []struct {
		t    reflect.Type
		want string
	}{
		{reflect.TypeFor[tKind](), "Grunt=0 Brute=1 Sniper=2"},
		{reflect.TypeFor[tFrom1](), "One=1 Two=2"},
		{reflect.TypeFor[tArrayed](), "A=0 B=1"},
		{reflect.TypeFor[tUnknown](), "idle=0 chase=1"},
		{reflect.TypeFor[tSignedEnum](), "left=-1 none=0 right=1"},
		{reflect.TypeFor[tNumbered](), ""},
		{reflect.TypeFor[tCelsius](), ""},
		{reflect.TypeFor[tTextEnum](), "north=0 south=1"},
		{reflect.TypeFor[tDeclared](), "zero=0 seven=7"},
		{reflect.TypeFor[time.Duration](), ""},
		{reflect.TypeFor[slog.Level](), ""},
		{reflect.TypeFor[int](), ""},
	} {
		var got []string
		for _, l := range TypeOf(tt.t).Root.Enum {
			got = append(got, fmt.Sprintf("%s=%d", l.Name, l.Value))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %q, want %q", tt.t, s, tt.want)
		}
	}
	if f := TypeOf(reflect.TypeFor[time.Month]()).Root; len(f.Enum) != 12 || f.Enum[0] != (EnumLabel{Name: "January", Value: 1}) {
		t.Errorf("months: %v", f.Enum)
	}
}

func TestNames(t *testing.T) {
	type local struct{ X int }
	for _, tt := range []struct {
		t                     reflect.Type
		name, qualified, full string
	}{
		{reflect.TypeFor[tVec](), "tVec", "value.tVec", "github.com/loupe-ecs/loupe/ecs/value.tVec"},
		{reflect.TypeFor[tPair[int, tVec]](), "tPair_int_tVec", "value.tPair_int_tVec",
			"github.com/loupe-ecs/loupe/ecs/value.tPair[int,github.com/loupe-ecs/loupe/ecs/value.tVec]"},
		{reflect.TypeFor[tPair[[]string, *tVec]](), "tPair_slice_string_ptr_tVec", "value.tPair_slice_string_ptr_tVec",
			"github.com/loupe-ecs/loupe/ecs/value.tPair[[]string,*github.com/loupe-ecs/loupe/ecs/value.tVec]"},
		{reflect.TypeFor[local](), "local", "value.local", "github.com/loupe-ecs/loupe/ecs/value.local"},
		{reflect.TypeFor[map[string]int](), "map_string_int", "map_string_int", "map[string]int"},
		{reflect.TypeFor[int](), "int", "int", "int"},
	} {
		ty := TypeOf(tt.t)
		if ty.Name != tt.name || ty.Qualified != tt.qualified || ty.ID != tt.full {
			t.Errorf("%s: %q %q %q", tt.t, ty.Name, ty.Qualified, ty.ID)
		}
	}
}

type tHealth struct {
	HP, Max int `debug:"min=0"`
	note    string
}

type tHealArgs struct {
	Amount int `json:"amount" debug:"min=1" jsonschema:"how much"`
}

func TestDescribe(t *testing.T) {
	before := TypeOf(reflect.TypeFor[tHealth]())
	Describe(Doc[tHealth]("How alive it is."),
		Computed("Ratio", func(h *tHealth) float64 { return float64(h.HP) / float64(h.Max) }, "part that is left", "unit=1"),
		Computed("Oops", func(h *tHealth) int { panic("no") }),
		Action("Heal", func(h *tHealth, in tHealArgs) (int, error) {
			if h.HP += in.Amount; h.HP > h.Max {
				return 0, errors.New("too much")
			}
			return h.HP, nil
		}, "Adds hit points."),
		Label(func(h *tHealth) string { return "hp " + fmt.Sprint(h.HP) }),
		Default(tHealth{HP: 10, Max: 10}),
		FieldDoc[tHealth]("Max", "max=500,unit=hp", "the most it can have"))
	ty := TypeOf(reflect.TypeFor[tHealth]())
	if ty == before || ty.SchemaID == before.SchemaID || ty.Shape != before.Shape {
		t.Error("the description was not renewed, or the layout changed with it")
	}
	if ty.Doc != "How alive it is." || len(ty.Computed) != 2 || len(ty.Actions) != 1 || len(ty.Problems) != 0 {
		t.Errorf("%+v", ty)
	}
	if f := ty.Fields[1]; f.Doc != "the most it can have" || *f.Max != 500 || *f.Min != 0 || f.Unit != "hp" {
		t.Errorf("FieldDoc: %+v", f)
	}
	v := ty.New()
	if v.FieldByName("HP").Int() != 10 {
		t.Error("the default was not used")
	}
	h := (*tHealth)(v.Addr().UnsafePointer())
	h.HP = 5
	if r := ty.Computed[0].Get(unsafe.Pointer(h)); r.Float() != 0.5 || ty.Computed[0].Doc != "part that is left" || ty.Computed[0].Unit != "1" {
		t.Error("computed")
	}
	out, err := ty.Actions[0].Call(nil, unsafe.Pointer(h), reflect.ValueOf(tHealArgs{Amount: 3}))
	if err != nil || out.Int() != 8 || h.HP != 8 {
		t.Errorf("action: %v %v", out, err)
	}
	if _, err := ty.Actions[0].Call(nil, unsafe.Pointer(h), reflect.ValueOf(tHealArgs{Amount: 30})); err == nil {
		t.Error("the action's refusal is lost")
	}
	if ty.Label(unsafe.Pointer(h)) != "hp 38" {
		t.Error("label")
	}
	p := mustPath(t, ty, "Ratio")
	if r, err := p.Get(v); err != nil || r.Float() != 3.8 {
		t.Errorf("%v %v", r, err)
	}
	if _, err := p.Decode([]byte("1")); !errors.Is(err, refusal.InvalidArguments) || !strings.Contains(err.Error(), "Ratio") {
		t.Errorf("a computed value was writable: %v", err)
	}
	if _, err := mustPath(t, ty, "Oops").Get(v); !errors.Is(err, refusal.Panicked) {
		t.Errorf("a panic in a computed value: %v", err)
	}
	if _, err := ty.Path("Ration"); !errors.Is(err, refusal.UnknownField) || err.(*refusal.Error).Options[0] != "Ratio" {
		t.Error(err)
	}
	if args := ty.Actions[0].In; args.Fields[0].Name != "amount" || args.Fields[0].Doc != "how much" {
		t.Errorf("%+v", args.Fields[0])
	}
}

type tOdd[T any] struct {
	Self   *tOdd[T]
	Map    map[int]tOdd[T]
	F      func(T) error
	C      chan<- T
	X      complex64
	A      [0]T
	E      struct{}
	I      interface{ M(T) }
	R      []tOdd[T]
	Any    *any
	Err    error
	Once   sync.Once
	_      int
	Bad    int `debug:"min=x,wat,default=q"`
	Deep   [2][2][2][2]map[string][]*T
	P      unsafe.Pointer
	Refl   reflect.Type
	Recv   <-chan struct{}
	MutexP *sync.Mutex
	*tEmbeds
}

type tLoop []tLoop

func TestOddTypes(t *testing.T) {
	type private struct{ X int }
	for _, rt := range []reflect.Type{
		reflect.TypeFor[tOdd[int]](), reflect.TypeFor[tOdd[private]](), reflect.TypeFor[*tOdd[*int]](), reflect.TypeFor[tLoop](), reflect.TypeFor[func()](),
		reflect.TypeFor[chan int](), reflect.TypeFor[any](), reflect.TypeFor[error](), reflect.TypeFor[map[int]tNode](), reflect.TypeFor[reflect.Value](),
		reflect.TypeFor[slog.Logger](), reflect.TypeFor[*testing.T](), reflect.TypeFor[struct{}](), reflect.TypeFor[[3]func()](), reflect.TypeFor[sync.Map](),
	} {
		for _, ty := range []*Type{TypeOf(rt), ArgsOf(rt)} {
			g := ty.Guide()
			v := ty.New()
			for _, o := range []EncodeOptions{{}, {JSON: true}, {Bulk: true}} {
				b, err := layout.AppendJSON(nil, v, o)
				if err != nil {
					t.Errorf("%s: %v", rt, err)
				} else if _, err := parseJSON(b); err != nil {
					t.Errorf("%s: %v\n%s", rt, err, b)
				}
			}
			if c := layout.Copy(v); !layout.Equal(c, v) && rt != reflect.TypeFor[*testing.T]() {
				t.Errorf("%s: the copy differs", rt)
			}
			if g.Example == nil || ty.Shape == "" || ty.SchemaID == "" {
				t.Errorf("%s: %+v", rt, g)
			}
			_, _ = ty.DecodeJSON([]byte(`{"Self":{},"Map":{"1":{}},"R":[{}]}`), reflect.Value{})
			_ = ToGo(v)
		}
	}
	ty := TypeOf(reflect.TypeFor[tOdd[int]]())
	if len(ty.Problems) != 3 {
		t.Errorf("problems %q", ty.Problems)
	}
	if v, err := ty.DecodeJSON([]byte(`{"Self":{"Self":{"Self":null}},"Map":{"1":{"R":[{},{}]}}}`), reflect.Value{}); err != nil {
		t.Error(err)
	} else if b, _ := layout.AppendJSON(nil, v, EncodeOptions{}); !strings.Contains(string(b), `"Map":{"1":{"Self":null`) {
		t.Errorf("%.200s", b)
	}
}

// The identities are the same in every process: these were written down once.
func TestIdentityIsStable(t *testing.T) {
	type a struct{ X, Y float64 }
	type b struct{ X, Y float64 }
	type c struct{ Y, X float64 }
	type d struct {
		X float64
		Y float64 `debug:"unit=px"`
	}
	ta, tb, tc, td := TypeOf(reflect.TypeFor[a]()), TypeOf(reflect.TypeFor[b]()), TypeOf(reflect.TypeFor[c]()), TypeOf(reflect.TypeFor[d]())
	if ta.Shape != tb.Shape || ta.Shape != td.Shape {
		t.Error("a name or a unit changed the layout")
	}
	if ta.Shape == tc.Shape || ta.SchemaID == tb.SchemaID || tb.SchemaID == td.SchemaID {
		t.Error("different types share an identity")
	}
	if ta.Shape != "c243c0acee9c5f0e" {
		t.Errorf("the shape of two floats is %s now: saved snapshots no longer match", ta.Shape)
	}
}

func TestGuide(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[tStats]())
	g := ty.Guide()
	if _, err := ty.DecodeJSON(g.Example, reflect.Value{}); err != nil {
		t.Errorf("the example does not decode: %v\n%s", err, g.Example)
	}
	var paths []string
	for _, s := range g.Settable {
		paths = append(paths, s.Path)
		p := mustPath(t, ty, s.Path)
		if _, err := p.Decode(s.Example); err != nil {
			t.Errorf("%s = %s: %v", s.Path, s.Example, err)
		}
	}
	for _, want := range []string{"HP", "Pos", "Pos.X", "Slots", "Slots[0].Count", `Tags["name"]`, "Kind", "Target"} {
		if !slices.Contains(paths, want) {
			t.Errorf("%s is not among the settable paths %v", want, paths)
		}
	}
	if !slices.ContainsFunc(g.Fixed, func(p GuidePath) bool { return p.Path == "Seed" && p.Why == "it is read-only" }) {
		t.Errorf("not settable: %+v", g.Fixed)
	}
	i := slices.IndexFunc(g.Fields, func(f GuideField) bool { return f.Path == "HP" })
	if f := g.Fields[i]; f.Unit != "hp" || *f.Min != 0 || f.Doc != "hit points" {
		t.Errorf("%+v", f)
	}
	b, err := layout.AppendJSON(nil, reflect.ValueOf(g), EncodeOptions{JSON: true})
	if err != nil || strings.Contains(string(b), "Secret") {
		t.Errorf("%v %s", err, b)
	}
	if len(b) > 8000 {
		t.Errorf("the guide of a middling component is %d bytes", len(b))
	}
}

func TestCopyIsDeepAndSound(t *testing.T) {
	root := &tNode{Name: "r"}
	kid := &tNode{Name: "k", Parent: root}
	root.Kids = []*tNode{kid, kid}
	type comp struct {
		N     *tNode
		Same  *tNode
		M     map[string][]int
		M2    map[string][]int
		Any   any
		F     func() int
		Mu    sync.Mutex
		priv  *int
		Slice []int
		Alias []int
	}
	n := 7
	v := &comp{N: root, Same: root, M: map[string][]int{"a": {1}}, F: func() int { return 3 }, priv: &n, Slice: []int{1, 2}}
	v.M2, v.Alias = v.M, v.Slice
	v.Any = map[string]any{"m": v.M, "n": kid}
	v.Mu.Lock()
	c := layout.Copy(reflect.ValueOf(v).Elem()).Addr().Interface().(*comp)
	switch {
	case c.N == root || c.N.Kids[0].Parent != c.N || c.N.Kids[0] != c.N.Kids[1] || c.Same != c.N:
		t.Error("pointers: cycles or sharing lost")
	case c.Any.(map[string]any)["n"] != any(c.N.Kids[0]):
		t.Error("sharing through an interface lost")
	case c.priv == v.priv || *c.priv != 7:
		t.Error("the unexported pointer was not copied")
	case c.F() != 3:
		t.Error("the func was lost")
	case !c.Mu.TryLock():
		t.Error("the copy's lock is held")
	}
	c.M["a"][0] = 99
	c.Slice[0] = 99
	if v.M["a"][0] != 1 || v.Slice[0] != 1 {
		t.Error("the original changed")
	}
	if c.M2["a"][0] != 99 || c.Alias[0] != 99 || c.Any.(map[string]any)["m"].(map[string][]int)["a"][0] != 99 {
		t.Error("maps or slices no longer shared inside the copy")
	}
}

func TestCopyColumn(t *testing.T) {
	shared := &tVec{1, 2}
	type comp struct {
		P *tVec
		S []int
	}
	type padded struct {
		c comp
		_ [3]int64
	}
	rows := make([]padded, 4)
	for i := range rows {
		rows[i].c = comp{shared, []int{i}}
	}
	ty := TypeOf(reflect.TypeFor[comp]())
	out := layout.CopyColumn(ty.Go, Column{Base: unsafe.Pointer(&rows[0].c), Stride: unsafe.Sizeof(rows[0])}, 4).Interface().([]comp)
	for i := range out {
		if out[i].P == shared || out[i].P != out[0].P || out[i].S[0] != i || &out[i].S[0] == &rows[i].c.S[0] {
			t.Errorf("row %d: %+v", i, out[i])
		}
	}
	plain := []tVec{{1, 2}, {3, 4}}
	got := layout.CopyColumn(reflect.TypeFor[tVec](), Column{Base: unsafe.Pointer(&plain[0]), Stride: 16}, 2).Interface().([]tVec)
	if !slices.Equal(got, plain) || &got[0] == &plain[0] {
		t.Error(got)
	}
	if got := layout.CopyColumn(reflect.TypeFor[struct{}](), Column{}, 3); got.Len() != 3 {
		t.Error("tags")
	}
}

func TestEqual(t *testing.T) {
	eq := func(a, b any) bool { return layout.Equal(reflect.ValueOf(a), reflect.ValueOf(b)) }
	for _, tt := range []struct {
		a, b any
		want bool
	}{
		{math.NaN(), math.NaN(), true}, {0.0, math.Copysign(0, -1), false}, {[]int(nil), []int{}, false}, {map[int]int(nil), map[int]int{}, false},
		{[]any{1}, []any{int64(1)}, false}, {map[float64]int{math.NaN(): 1}, map[float64]int{math.NaN(): 1}, true}, {&tVec{1, 2}, &tVec{1, 2}, true},
		{tSecret{1, 2, nil}, tSecret{1, 3, nil}, false}, {"a", "a", true}, {1, int8(1), false}, {map[string]tVec{"a": {}}, map[string]tVec{"b": {}}, false},
		{[]float64{math.NaN()}, []float64{math.NaN()}, true}, {nil, nil, true},
	} {
		if got := eq(tt.a, tt.b); got != tt.want {
			t.Errorf("%#v and %#v: %t", tt.a, tt.b, got)
		}
	}
}

// Descriptions may be made and declared from any goroutine at once.
func TestConcurrentUse(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				Describe(Doc[tPair[int, int]]("x"))
				ty := TypeOf(reflect.TypeFor[tEverything]())
				v := ty.New()
				if _, err := layout.AppendJSON(nil, v, EncodeOptions{}); err != nil {
					t.Error(err)
				}
				if p, err := ty.Path("V.X"); err != nil {
					t.Error(err)
				} else if _, err := p.Get(v); err != nil {
					t.Error(err)
				}
				layout.Copy(v)
			}
		})
	}
	wg.Wait()
}
