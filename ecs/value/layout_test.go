package value

import (
	"crypto/tls"
	"io"
	"net/netip"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// What belongs to the process is shown, copied and refused in one way.
func TestHandlesAreOneThing(t *testing.T) {
	type comp struct {
		Pipe *io.PipeReader
		TLS  *tls.Config
		File *os.File
		Zone *time.Location
		Text io.Reader
		Free int
	}
	r, _ := io.Pipe()
	v := &comp{Pipe: r, TLS: &tls.Config{ServerName: "x"}, File: os.Stdout, Zone: time.UTC, Text: strings.NewReader("abc"), Free: 1}
	b, err := layout.AppendJSON(nil, reflect.ValueOf(v).Elem(), EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"Pipe":{"$opaque":"io.PipeReader"}`, `"TLS":{"$opaque":"tls.Config"}`, `"File":{"$opaque":"os.File"}`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s is not in %s", want, b)
		}
	}
	c := layout.Copy(reflect.ValueOf(v).Elem()).Addr().Interface().(*comp)
	if c.Pipe != v.Pipe || c.TLS != v.TLS || c.File != v.File || c.Zone != v.Zone {
		t.Error("a handle was copied")
	}
	if c.Text == v.Text {
		t.Error("a plain value in an io.Reader was shared")
	}
	if _, err := TypeOf(reflect.TypeFor[comp]()).DecodeJSON([]byte(`{"TLS":{"ServerName":"y"}}`), reflect.Value{}); err == nil {
		t.Error("a tls.Config was written from outside")
	}
}

func TestLayoutSettlesOverCycles(t *testing.T) {
	type ring struct {
		Next *ring
		Who  Entity
		Mu   sync.Mutex
	}
	type plain struct {
		A int
		B [3]float32
	}
	type list []list
	for _, tt := range []struct {
		t                                         reflect.Type
		flat, deep, references, handles, entities bool
	}{
		{reflect.TypeFor[plain](), true, false, false, false, false},
		{reflect.TypeFor[ring](), false, true, true, true, true},
		{reflect.TypeFor[[]ring](), false, true, true, false, true},
		{reflect.TypeFor[list](), false, true, false, false, false},
		{reflect.TypeFor[map[Entity]int](), false, false, true, false, true},
		{reflect.TypeFor[any](), false, true, true, true, true},
		{reflect.TypeFor[time.Time](), false, false, false, false, false},
		{reflect.TypeFor[netip.Addr](), false, false, false, false, false},
		{reflect.TypeFor[runtime.MemStats](), true, false, false, false, false},
	} {
		l := layout.Of(tt.t)
		got := [5]bool{l.Flat, l.Deep, l.References, l.Handles, l.Entities}
		if want := [5]bool{tt.flat, tt.deep, tt.references, tt.handles, tt.entities}; got != want {
			t.Errorf("%s: flat, deep, references, handles, entities are %v, want %v", tt.t, got, want)
		}
		if layout.Of(tt.t) != l {
			t.Errorf("%s has two layouts", tt.t)
		}
	}
	if l := layout.Of(reflect.TypeFor[ring]()); l.Parts[0].Layout.Elem != l {
		t.Error("a type that holds itself leads to another layout")
	}
}

func TestAtomsAreCompared(t *testing.T) {
	type comp struct {
		At   netip.Addr
		Zone *time.Location
	}
	a := comp{netip.MustParseAddr("10.0.0.1"), time.UTC}
	for _, b := range []comp{{netip.MustParseAddr("10.0.0.2"), time.UTC}, {a.At, time.FixedZone("UTC", 0)}} {
		if layout.Equal(reflect.ValueOf(a), reflect.ValueOf(b)) {
			t.Errorf("%v equals %v", a, b)
		}
	}
	if !layout.Equal(reflect.ValueOf(a), reflect.ValueOf(comp{netip.MustParseAddr("10.0.0.1"), time.UTC})) {
		t.Error("equal addresses differ")
	}
}
