package value

import (
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// FuzzPath: a selector never panics, and a write that is refused changes
// nothing.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"", "HP", "Pos.X", "Slots[0].Count", `Tags["a"]`, "Weapon.(value.tSword).Edge", "Next.Next.HP", "RGB[2]", "A[", "..", "Tags[`x`]", "\xff", "Blob[1]"} {
		f.Add(s, []byte("1"))
	}
	ty := TypeOf(reflect.TypeFor[tStats]())
	f.Fuzz(func(t *testing.T, sel string, raw []byte) {
		p, err := ty.Path(sel)
		if err != nil {
			if _, ok := err.(*refusal.Error); !ok {
				t.Fatalf("untyped refusal %v", err)
			}
			return
		}
		root := ty.New()
		root.FieldByName("Slots").Set(reflect.ValueOf([]tSlot{{"a", 1}}))
		root.FieldByName("Weapon").Set(reflect.ValueOf(tSword{1}))
		before := layout.Copy(root)
		if _, err := p.Get(root); err != nil {
			if _, ok := err.(*refusal.Error); !ok {
				t.Fatalf("untyped refusal %v", err)
			}
		}
		leaf, err := p.Decode(raw)
		if err == nil {
			err = p.Set(root, leaf)
		}
		if err != nil && !layout.Equal(before, root) {
			t.Fatalf("%q: refused (%v), but changed", sel, err)
		}
		if err == nil {
			if got, err := p.Get(root); err != nil || !layout.Equal(got, leaf) {
				t.Fatalf("%q: set, but reads differently: %v", sel, err)
			}
		}
	})
}

// FuzzComponentJSON: whatever is accepted is written back as JSON that decodes
// to the same value.
func FuzzComponentJSON(f *testing.F) {
	for _, s := range []string{`{}`, `{"HP":1}`, `{"Pos":"1 2"}`, `{"Next":{"Next":{"$ref":"Next"}}}`, `{"Weapon":{"$type":"*value.tBow","value":{"Draw":"NaN"}}}`,
		`{"Tags":{"$$ref":1,"$bytes:/w==":2}}`, `{"Name":{"$bytes":"/w=="}}`, `{"Blob":{"$bytes":"AA==","$len":1}}`, `"{\"HP\":1}"`, `{"Target":[1,2]}`, `{"Wait":"1h"}`} {
		f.Add([]byte(s))
	}
	ty := TypeOf(reflect.TypeFor[tStats]())
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := ty.DecodeJSON(raw, reflect.Value{})
		if err != nil {
			if _, ok := err.(*refusal.Error); !ok {
				t.Fatalf("untyped refusal %v", err)
			}
			return
		}
		b, err := layout.AppendJSON(nil, v, EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := ty.DecodeJSON(b, v)
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if b2, _ := layout.AppendJSON(nil, again, EncodeOptions{}); string(b2) != string(b) {
			t.Fatalf("%s became %s", b, b2)
		}
	})
}

// FuzzEverything decodes into a type that has every kind of value.
func FuzzEverything(f *testing.F) {
	ty := TypeOf(reflect.TypeFor[tEverything]())
	f.Add([]byte(ty.Guide().Example))
	f.Add([]byte(`{"Any":{"$type":"map[string][]int","value":{"a":[1]}},"Tree":{"Kids":[{"Parent":{"$ref":"Tree"}}]},"MV":{"{\"X\":1,\"Y\":2}":true}}`))
	f.Add([]byte(`{"Any":{"$type":"[3]*[]value.tVec","value":[null,[{"X":1}],null]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := ty.DecodeJSON(raw, reflect.Value{})
		if err != nil {
			return
		}
		b, err := layout.AppendJSON(nil, v, EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseJSON(b); err != nil {
			t.Fatalf("broken JSON: %v\n%s", err, b)
		}
		if c := layout.Copy(v); !layout.Equal(c, v) {
			t.Fatalf("the copy of %s differs", b)
		}
	})
}

// FuzzFromGo builds plain values the way a script does.
func FuzzFromGo(f *testing.F) {
	f.Add("HP", "x", 1.5, int64(3), uint8(0))
	f.Add("Pos", "1 2", 0.0, int64(-1), uint8(7))
	f.Add("Slots", "Item", 2.0, int64(1<<62), uint8(5))
	ty := TypeOf(reflect.TypeFor[tStats]())
	f.Fuzz(func(t *testing.T, key, s string, x float64, n int64, shape uint8) {
		var v any
		switch shape % 8 {
		case 0:
			v = x
		case 1:
			v = n
		case 2:
			v = s
		case 3:
			v = []any{x, s, n, nil}
		case 4:
			v = map[string]any{s: x, key: n}
		case 5:
			v = []any{map[string]any{s: s, "Count": n}}
		case 6:
			v = shape%2 == 0
		case 7:
			v = map[string]any{"X": x, "Y": n}
		}
		if whole, err := ty.FromGo(map[string]any{key: v}, reflect.Value{}); err == nil {
			_ = ToGo(whole)
			if _, err := layout.AppendJSON(nil, whole, EncodeOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if p, err := ty.Path(key); err == nil {
			if leaf, err := p.FromGo(v); err == nil {
				_ = ToGo(leaf)
			}
		}
	})
}
