package value

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// packed is an entity as one number, handle an engine's pointer that stands for
// one.
type packed uint64

func (p packed) String() string { return "packed" }

type handle struct {
	id   packed
	loop *handle
}

type holder struct {
	P  packed
	PS map[packed]int
	H  *handle
	L  []*handle
}

func unpack(p packed) Entity { return Entity{ID: uint32(p >> 32), Gen: uint32(p)} }

func init() {
	layout.RegisterEntityForm(unpack, func(e Entity) packed { return packed(e.ID)<<32 | packed(e.Gen) })
	layout.RegisterEntityForm(func(h *handle) Entity {
		if h == nil {
			return Entity{}
		}
		return unpack(h.id)
	}, nil)
}

func TestEntitiesOfAnotherForm(t *testing.T) {
	h := &handle{id: 5<<32 | 2}
	h.loop = h
	v := holder{P: 7<<32 | 1, PS: map[packed]int{3 << 32: 9}, H: h, L: []*handle{h, nil}}
	at := reflect.ValueOf(&v).Elem()
	const want = `{"P":"7v1","PS":{"3v0":9},"H":"5v2","L":["5v2",null]}`
	if got, err := layout.AppendJSON(nil, at, EncodeOptions{}); err != nil || string(got) != want {
		t.Errorf("%s %v", got, err)
	}
	ty := TypeOf(at.Type())
	for path, text := range map[string]string{"P": `"9v4"`, "PS": `{"8v1":2}`} {
		p, err := ty.Path(path)
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := p.Decode([]byte(text))
		if err == nil {
			err = p.Set(at, leaf)
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if v.P != 9<<32|4 || v.PS[8<<32|1] != 2 {
		t.Errorf("written: %+v", v)
	}
	if p, err := ty.Path("H"); err != nil {
		t.Error(err)
	} else if v, err := p.Decode([]byte(`"9v4"`)); err == nil {
		t.Errorf("a handle that nobody can make was made: %v", v)
	}
	c := layout.Copy(at).Interface().(holder)
	if c.H != h || c.L[0] != h {
		t.Error("a copy has another handle")
	}
	if !layout.Equal(at, layout.Copy(at)) {
		t.Error("a copy is not equal")
	}
	var found []string
	layout.Of(at.Type()).EachEntity(unsafe.Pointer(&v), func(e *EntityAt) bool {
		found = append(found, e.Path()+"="+e.Entity.String())
		return true
	})
	if got, want := found, []string{"P=9v4", `PS["8v1"]=8v1`, "H=5v2", "L[0]=5v2", "L[1]=0v0"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	sum := func(v holder) uint64 { var h Hasher; h.Value(reflect.ValueOf(&v).Elem()); return h.Sum() }
	other := v
	other.H = &handle{id: 6 << 32}
	if sum(v) != sum(c) || sum(v) == sum(other) {
		t.Error("handles are not told apart by their entities")
	}
	if len(layout.Of(reflect.TypeFor[packed]()).Labels) != 0 {
		t.Error("an entity has labels")
	}
}
