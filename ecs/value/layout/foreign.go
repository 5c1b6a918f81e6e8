package layout

import (
	"reflect"
	"strconv"
	"sync/atomic"
)

// Foreign is what is known of a type of another program, of which this process
// has only a stand-in: a type of the same memory, made at run time, that has no
// name and no methods. Everything that shows values shows the stand-in as the
// type it stands for.
type Foreign struct {
	Name       string // as reflect.Type.Name gave it
	PkgPath    string
	Text       string      // as reflect.Type.String gave it
	Labels     []EnumLabel // of an integer
	OpenLabels bool
	Fields     []FieldDecl
	Opaque     bool
	// First is the stand-in of the whole type: one that contains itself has
	// several, each for a place further down. nil: this one.
	First reflect.Type
}

// RegisterForeign makes stand-ins known. Any goroutine, before they are
// described.
func RegisterForeign(all map[reflect.Type]*Foreign) {
	someForeign.Store(true)
	declare(func() {
		for t, f := range all {
			reg.foreign[t] = f
			reg.opaque[t] = reg.opaque[t] || f.Opaque
			if len(f.Labels) > 0 {
				reg.labels[t] = f.Labels
			}
			if len(f.Fields) > 0 {
				reg.fields[t] = f.Fields
			}
		}
	})
	for t := range all {
		LearnType(t)
	}
}

// Declared is what was said of a type's fields beside their tags: a file that
// describes the type has to say it too.
func Declared(t reflect.Type) []FieldDecl {
	reg.mu.RLock()
	defer reg.mu.RUnlock()
	return reg.fields[t]
}

// IsMarker reports whether embedding t carries no data.
func IsMarker(t reflect.Type) bool { return declared(reg.markers, t) }

// NamesOf are the three names of a foreign type: short, with its package's, and
// in full.
func (f *Foreign) NamesOf() (short, qualified, full string) {
	short, full = flattened(f.Name), f.Name
	if f.PkgPath == "" {
		return short, short, full
	}
	return short, packageOf(f.Text) + "." + short, f.PkgPath + "." + f.Name
}

// someForeign: stand-ins are registered. Names are asked for often, and in a game
// there are none.
var someForeign atomic.Bool

func foreignOf(t reflect.Type) *Foreign {
	if !someForeign.Load() {
		return nil
	}
	reg.mu.RLock()
	defer reg.mu.RUnlock()
	return reg.foreign[t]
}

// SameStandIn reports whether two types stand for one, at different places in it.
func SameStandIn(a, b reflect.Type) bool {
	return a.Kind() == reflect.Struct && a.Size() == b.Size() && foreignOf(a) != nil && Whole(a) == Whole(b)
}

// Whole is the type itself, or the stand-in that begins it.
func Whole(t reflect.Type) reflect.Type {
	if f := foreignOf(t); f != nil && f.First != nil {
		return f.First
	}
	return t
}

// typeName is the name of a type, or of the one it stands for.
func typeName(t reflect.Type) string {
	if f := foreignOf(t); f != nil {
		return f.Name
	}
	return t.Name()
}

// PkgPath is the package of a type, or of the one it stands for.
func PkgPath(t reflect.Type) string {
	if f := foreignOf(t); f != nil {
		return f.PkgPath
	}
	return t.PkgPath()
}

// goName is the name as Go code of another package would write it.
func goName(t reflect.Type) string {
	if !someForeign.Load() {
		return t.String()
	}
	if f := foreignOf(t); f != nil {
		return f.Text
	}
	if t.Name() == "" {
		switch t.Kind() {
		case reflect.Pointer:
			return "*" + goName(t.Elem())
		case reflect.Slice:
			return "[]" + goName(t.Elem())
		case reflect.Array:
			return "[" + strconv.Itoa(t.Len()) + "]" + goName(t.Elem())
		case reflect.Map:
			return "map[" + goName(t.Key()) + "]" + goName(t.Elem())
		}
	}
	return t.String()
}
