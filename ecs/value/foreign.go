package value

import (
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// Foreign is [layout.Foreign] with what belongs to the descriptions of
// components: results of functions that only the other program has.
type Foreign struct {
	layout.Foreign
	Computed []ForeignValue
	Label    func(unsafe.Pointer) string // nil: none
}

// ForeignValue is a computed value that somebody else has computed.
type ForeignValue struct {
	Name, Doc, Unit string
	Type            reflect.Type
	Get             func(unsafe.Pointer) reflect.Value
}

// RegisterForeign makes stand-ins known. Any goroutine, before they are
// described.
func RegisterForeign(all map[reflect.Type]*Foreign) {
	below := make(map[reflect.Type]*layout.Foreign, len(all))
	describers.Lock()
	if describers.of == nil {
		describers.of = map[reflect.Type]*describer{}
	}
	for t, f := range all {
		d := &describer{label: f.Label}
		for _, c := range f.Computed {
			d.computed = append(d.computed, computedDecl{c.Name, c.Doc, c.Unit, c.Type, c.Get})
		}
		describers.of[t] = d
		below[t] = &f.Foreign
	}
	describers.Unlock()
	layout.RegisterForeign(below) // last: descriptions are made anew from here on
}
