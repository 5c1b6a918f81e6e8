package value

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// tEverything has a field of every kind in the table of values.
type tEverything struct {
	B    bool
	I    int
	I8   int8
	I16  int16
	I32  int32
	I64  int64
	U    uint
	U8   uint8
	U16  uint16
	U32  uint32
	U64  uint64
	F32  float32
	F64  float64
	C    complex128
	C64  complex64
	S    string
	By   []byte
	Arr  [20]byte
	Sml  [3]uint8
	E    Entity
	K    tKind
	V    tVec
	List []tSlot
	Grid [][]int16
	M    map[string]tVec
	MI   map[int64]string
	MK   map[tKind][]Entity
	ME   map[Entity]float32
	MV   map[tVec]bool
	P    *tVec
	PP   **int
	Tree *tNode
	W    tWeapon
	Any  any
	T    tText
	J    tJSON
	D    time.Duration
	tBase
	//lint:ignore U1000 written by reflection
	priv tSecret
	G    tPair[string, *tPair[int, any]]
}

// generate fills v with what worlds hold: extremes, odd strings, nil and empty.
func generate(r *rand.Rand, v reflect.Value, depth int) {
	v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
	switch v.Type() {
	case reflect.TypeFor[tWeapon]():
		switch r.IntN(3) {
		case 0:
			v.Set(reflect.ValueOf(tSword{r.Int()}))
		case 1:
			v.Set(reflect.ValueOf(&tBow{r.NormFloat64()}))
		}
		return
	case reflect.TypeFor[tKind]():
		v.SetUint(r.Uint64() % 3) // another number is shown and not taken
		return
	case reflect.TypeFor[any]():
		choices := []any{nil, r.Int(), "x\xff", math.NaN(), int8(-1), true, []int{1}, map[string]any{"$type": 1, "k": []any{nil}},
			tVec{1, 2}, &tVec{3, 4}, Entity{ID: 1, Gen: 2}, tBrute, [2]bool{true}, []string(nil), time.Second, uint64(math.MaxUint64)}
		v.Set(reflect.Zero(v.Type()))
		if c := choices[r.IntN(len(choices))]; c != nil {
			v.Set(reflect.ValueOf(c))
		}
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.Uint64()) >> r.IntN(64))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.Uint64() >> r.IntN(64))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(genFloat(r))
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(genFloat(r), genFloat(r)))
	case reflect.String:
		v.SetString(genString(r))
	case reflect.Array:
		for i := range v.Len() {
			generate(r, v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			generate(r, v.Field(i), depth+1)
		}
	case reflect.Slice:
		if n := r.IntN(4) - 1; n >= 0 && depth < 8 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				generate(r, v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		if n := r.IntN(5) - 1; n >= 0 && depth < 8 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				generate(r, k, depth+1)
				generate(r, e, depth+1)
				if k.Equal(k) && !hasZeroSign(k) {
					v.SetMapIndex(k, e)
				}
			}
		}
	case reflect.Pointer:
		if r.IntN(2) == 0 && depth < 6 {
			v.Set(reflect.New(v.Type().Elem()))
			generate(r, v.Elem(), depth+1)
			if v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil() {
				v.SetZero() // a pointer to nil and nil have one text
			}
		}
	}
}

// hasZeroSign: 0 and -0 are one key of a map but two texts.
func hasZeroSign(k reflect.Value) bool {
	if k.Type() != reflect.TypeFor[tVec]() {
		return false
	}
	x := k.Interface().(tVec)
	return x.X == 0 || x.Y == 0
}

func genFloat(r *rand.Rand) float64 {
	special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1, -1, 0.1, 1e20, 1e21, 1e-6, 1e-7, 1 << 53}
	switch r.IntN(3) {
	case 0:
		return special[r.IntN(len(special))]
	case 1:
		return math.Float64frombits(r.Uint64()&^(1<<62) | 1<<61) // finite, of a size float32 mostly holds
	}
	return r.NormFloat64()
}

func genString(r *rand.Rand) string {
	parts := []string{"", "a", "\"", "\\", "\x00", "é", "☃", "\U0001F600", "\xff", "\xed\xa0\x80", "$ref", "$$", "\n", "</script>", "\u2028", "null", "{", "NaN", "4v2"}
	s := ""
	for range r.IntN(4) {
		s += parts[r.IntN(len(parts))]
	}
	return s
}

// float32 fields get NaNs whose payload JSON cannot carry: make them the one
// NaN that "NaN" reads back as.
func plainNaNs(v reflect.Value) {
	v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); f != f {
			v.SetFloat(math.NaN())
		}
	case reflect.Complex64, reflect.Complex128:
		c := v.Complex()
		re, im := real(c), imag(c)
		if re != re {
			re = math.NaN()
		}
		if im != im {
			im = math.NaN()
		}
		v.SetComplex(complex(re, im))
	case reflect.Struct:
		for i := range v.NumField() {
			plainNaNs(v.Field(i))
		}
	}
}

func TestEncodeDecodeIdentity(t *testing.T) {
	ty := TypeOf(reflect.TypeFor[tEverything]())
	layout.LearnType(reflect.TypeFor[tVec]())
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		v := reflect.New(ty.Go).Elem()
		generate(r, v, 0)
		plainNaNs(v)
		b, err := layout.AppendJSON(nil, v, EncodeOptions{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if _, err := parseJSON(b); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, b)
		}
		back, err := ty.DecodeJSON(b, reflect.Value{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, b)
		}
		if !layout.Equal(v, back) {
			b2, _ := layout.AppendJSON(nil, back, EncodeOptions{})
			for _, f := range ty.Fields {
				if !layout.Equal(layout.FieldValue(v, f), layout.FieldValue(back, f)) {
					t.Errorf("field %s differs", f.Name)
				}
			}
			t.Fatalf("seed %d: the value changed\n%s\n%s", seed, b, b2)
		}
		// On top of another value, and from a copy.
		other := reflect.New(ty.Go).Elem()
		generate(r, other, 0)
		if back, err = ty.DecodeJSON(b, other); err != nil {
			t.Fatalf("seed %d: over another value: %v", seed, err)
		}
		// Pointers merge into what is there, everything else is replaced.
		if b2, _ := layout.AppendJSON(nil, back, EncodeOptions{}); string(b2) != string(b) {
			t.Fatalf("seed %d: over another value\n%s\n%s", seed, b, b2)
		}
		if c := layout.Copy(v); !layout.Equal(c, v) {
			t.Fatalf("seed %d: the copy differs", seed)
		}
		_ = ToGo(v)
	}
}
