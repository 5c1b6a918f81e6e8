package value

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

type tPlane struct{ X, Y float64 }

type tRange struct {
	Near float64 `debug:"min=1"`
	Far  float64
	X    float64 // as deep as that of tPlane: neither is lent
}

type tPlaced struct{ tPlane }

type tDeep struct {
	tPlaced
	*tFuse
	Name string
}

type tFuse struct{ Left int }

type tBoth struct {
	tPlane
	tRange
}

func decodeText(t *testing.T, typ reflect.Type, raw string) (string, error) {
	t.Helper()
	v, err := TypeOf(typ).DecodeJSON([]byte(raw), reflect.Value{})
	if err != nil {
		return "", err
	}
	b, err := layout.AppendJSON(nil, v, EncodeOptions{})
	return string(b), err
}

// A name that Go lends from an embedded struct may be written, as a path can.
func TestPromotedNamesAreDecoded(t *testing.T) {
	placed, deep := reflect.TypeFor[tPlaced](), reflect.TypeFor[tDeep]()
	for _, tt := range []struct {
		typ       reflect.Type
		raw, want string
	}{
		{placed, `{"X":1}`, `{"tPlane":{"X":1,"Y":0}}`},
		{placed, `{"Y":2,"X":"NaN"}`, `{"tPlane":{"X":"NaN","Y":2}}`},
		{placed, `{"tPlane":"3 4"}`, `{"tPlane":{"X":3,"Y":4}}`},
		{deep, `{"Y":2,"Left":5,"Name":"n"}`, `{"tPlaced":{"tPlane":{"X":0,"Y":2}},"tFuse":{"Left":5},"Name":"n"}`},
		{deep, `{"tPlane":{"X":1}}`, `{"tPlaced":{"tPlane":{"X":1,"Y":0}},"tFuse":null,"Name":""}`},
		{reflect.TypeFor[tBoth](), `{"Y":1,"Far":2}`, `{"tPlane":{"X":0,"Y":1},"tRange":{"Near":1,"Far":2,"X":0}}`},
	} {
		if got, err := decodeText(t, tt.typ, tt.raw); err != nil || got != tt.want {
			t.Errorf("%v %s: got %s, %v, want %s", tt.typ, tt.raw, got, err, tt.want)
		}
	}
	for _, tt := range []struct {
		typ          reflect.Type
		raw, mention string
	}{
		{placed, `{"X":1,"tPlane":{"Y":2}}`, "both"},
		{deep, `{"tPlaced":{},"X":1}`, "both"},
		{placed, `{"X":"east"}`, "tPlaced.tPlane.X"},
		{placed, `{"Z":1}`, "X"},
		{reflect.TypeFor[tBoth](), `{"X":1}`, "tRange.X"},
	} {
		_, err := decodeText(t, tt.typ, tt.raw)
		var e *refusal.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message+" "+strings.Join(e.Options, " "), tt.mention) {
			t.Errorf("%v %s: got %v, want a refusal that says %s", tt.typ, tt.raw, err, tt.mention)
		}
	}
	if _, err := TypeOf(reflect.TypeFor[tBoth]()).Path("X"); !errors.Is(err, refusal.UnknownField) {
		t.Errorf("a path is no more guessed than a value: %v", err)
	}
	base := reflect.ValueOf(&tPlaced{tPlane{1, 2}}).Elem()
	v, err := TypeOf(placed).DecodeJSON([]byte(`{"Y":9}`), base)
	if err != nil || v.Interface() != (tPlaced{tPlane{1, 9}}) {
		t.Errorf("what is not named stays: %v, %v", v, err)
	}
}

func TestGuideListsPromotedPaths(t *testing.T) {
	g := TypeOf(reflect.TypeFor[tDeep]()).Guide()
	for _, path := range []string{"X", "Y", "Left"} {
		i := slices.IndexFunc(g.Settable, func(p GuidePath) bool { return p.Path == path })
		if i < 0 || len(g.Settable[i].Example) == 0 {
			t.Errorf("%s is not among the settable paths with an example: %+v", path, g.Settable)
		}
	}
	if slices.ContainsFunc(TypeOf(reflect.TypeFor[tBoth]()).Guide().Settable, func(p GuidePath) bool { return p.Path == "X" }) {
		t.Error("X could mean two fields")
	}
}

type tBounded struct {
	HP    int     `debug:"min=0"`
	Max   int     `debug:"min=1"`
	Depth float64 `debug:"max=-2.5"`
	Zoom  float32 `debug:"min=0.7,max=4"`
	Given uint8   `debug:"min=3,default=9"`
	Whole int     `debug:"min=0.5"`
	Grid  [2]int8 `debug:"min=4"`
	Parts []tPart
}

type tPart struct {
	N int `debug:"min=2"`
	M int
}

type tPreset struct {
	A, B int `debug:"min=5"`
}

func init() { Describe(Default(tPreset{A: 7})) }

// A new component never holds a value that a client would be refused for.
func TestNewValuesLieInTheirDeclaredRange(t *testing.T) {
	bounded := reflect.TypeFor[tBounded]()
	for raw, want := range map[string]string{
		`{"HP":3}`:            `{"HP":3,"Max":1,"Depth":-2.5,"Zoom":0.7,"Given":9,"Whole":1,"Grid":[4,4],"Parts":null}`,
		`{"Max":2,"Zoom":1}`:  `{"HP":0,"Max":2,"Depth":-2.5,"Zoom":1,"Given":9,"Whole":1,"Grid":[4,4],"Parts":null}`,
		`{"Parts":[{"M":1}]}`: `{"HP":0,"Max":1,"Depth":-2.5,"Zoom":0.7,"Given":9,"Whole":1,"Grid":[4,4],"Parts":[{"N":2,"M":1}]}`,
	} {
		if got, err := decodeText(t, bounded, raw); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", raw, got, err, want)
		}
	}
	ty := TypeOf(bounded)
	if len(ty.Problems) > 0 {
		t.Errorf("problems: %v", ty.Problems)
	}
	if n := ty.New().Interface().(tBounded); n.Max != 1 || n.Depth != -2.5 {
		t.Errorf("New: %+v", n)
	}
	if v := TypeOf(reflect.TypeFor[tPreset]()).New().Interface(); v != (tPreset{A: 7, B: 5}) {
		t.Errorf("a declared default goes first: %+v", v)
	}
	for _, f := range ty.Guide().Fields {
		if f.Path == "Max" && f.Default != "1" {
			t.Errorf("the guide does not say the default: %+v", f)
		}
	}
	// What a new value holds can be written.
	b, _ := layout.AppendJSON(nil, ty.New(), EncodeOptions{})
	if _, err := ty.DecodeJSON(b, reflect.Value{}); err != nil {
		t.Error(err)
	}
	// An argument that is left out stays zero: its handler asks for that.
	type args struct {
		Limit int `json:"limit,omitempty" debug:"min=1"`
	}
	if v, err := ArgsOf(reflect.TypeFor[args]()).DecodeJSON([]byte(`{}`), reflect.Value{}); err != nil || v.Interface() != (args{}) {
		t.Errorf("%v, %v", v, err)
	}
}
