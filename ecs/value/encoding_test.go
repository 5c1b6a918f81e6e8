package value

import (
	"math"
	"reflect"
	"testing"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

type encodingNode struct {
	Name string
	Next *encodingNode
	Bad  map[encodingKey]int
}

type encodingKey struct{ panics bool }

func (k encodingKey) MarshalText() ([]byte, error) {
	if k.panics {
		panic("no text")
	}
	return []byte("key"), nil
}

// One encoding used again and again gives what AppendJSON gives each time, also
// after a cycle, a failure and a panic in the game's own code.
func TestEncodingIsAppendJSON(t *testing.T) {
	loop := &encodingNode{Name: "loop"}
	loop.Next = loop
	nodes := []encodingNode{
		{Name: "plain"}, *loop, {Name: "bad", Bad: map[encodingKey]int{{true}: 1}}, {Name: "after", Next: &encodingNode{Name: "x"}},
		{Name: "good", Bad: map[encodingKey]int{{false}: 1}}, *loop,
	}
	for _, o := range []EncodeOptions{{}, {Bulk: true}, {JSON: true}} {
		x := layout.EncodingOf(reflect.TypeFor[encodingNode](), o)
		failed := 0
		for i := range nodes {
			want, wantErr := layout.AppendJSON([]byte("["), reflect.ValueOf(&nodes[i]).Elem(), o)
			got, err := x.Append([]byte("["), unsafe.Pointer(&nodes[i]))
			if string(got) != string(want) || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Errorf("%+v %s: got %s %v, want %s %v", o, nodes[i].Name, got, err, want, wantErr)
			}
			if err != nil {
				failed++
			}
		}
		if failed != 1 {
			t.Errorf("%+v: %d nodes failed, want 1", o, failed)
		}
	}
	x := layout.EncodingOf(reflect.TypeFor[float64](), EncodeOptions{})
	f := math.Inf(-1)
	if got, err := x.Append(nil, unsafe.Pointer(&f)); string(got) != `"-Infinity"` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}
