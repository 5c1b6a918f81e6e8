package snapshot

import (
	"encoding"
	"net/netip"
	"reflect"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/ecs/value"
)

// handles lists packages whose pointerful types stand for something outside
// the value: a lock, a file, a goroutine, an interned pointer. A copy of their
// bits would be a broken handle, so they are opaque: not saved, and kept from
// the live world on load.
var handles = []string{"context", "database", "internal", "io", "log", "net", "os", "plugin", "reflect", "runtime",
	"sync", "syscall", "testing", "unique", "weak", "iter", "crypto/tls"}

// specialKind tells the types that are not encoded by their structure.
func specialKind(t reflect.Type) (kind, bool) {
	switch t {
	case locationType:
		return kLocation, true
	case locationType.Elem():
		return kOpaque, true
	case reflect.TypeFor[netip.Addr]():
		return kBinary, true
	}
	if t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Pointer && value.TypeOf(t).Root.Kind == value.KindOpaque {
		return kOpaque, true // type P *P: there is nothing at its end
	}
	if t.Kind() == reflect.Pointer && t.Elem().PkgPath() != "sync" {
		// A pointer to a handle is the handle. (A new sync.Mutex works.)
		if k, ok := specialKind(t.Elem()); ok && k == kOpaque {
			return kOpaque, true
		}
		return 0, false
	}
	path := t.PkgPath()
	methods := t.Kind() == reflect.Interface && t.NumMethod() > 0 // context.Context, reflect.Type
	if path == "" || t.Name() == "" || t.Kind() != reflect.Struct && !methods {
		return 0, false
	}
	if root := value.TypeOf(t).Root; root != nil && root.Kind == value.KindOpaque {
		return kOpaque, true // as declared with RegisterOpaqueType, and as shown
	}
	root, _, _ := strings.Cut(path, "/")
	if strings.Contains(root, ".") || methods {
		return 0, false // not of the standard library
	}
	if path == "sync/atomic" || path == "net/netip" || path == "net/url" {
		return 0, false // plain values; those of unsafe.Pointer are opaque by kind
	}
	for _, h := range handles {
		if path == h || strings.HasPrefix(path, h+"/") {
			// sync.Mutex holds no pointer and is a handle all the same.
			return kOpaque, path == "sync" || hasPointers(t)
		}
	}
	return 0, false
}

func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.String, reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return true
	}
	return false
}

// The identities of a *time.Location. Comparing and converting times looks at
// the pointer, so a copy of the contents would be another zone.
const (
	locNil = iota
	locUTC
	locLocal
	locNamed // name, offset
)

func (e *encoder) location(l *time.Location) {
	switch l {
	case nil:
		e.byte(locNil)
	case time.UTC:
		e.byte(locUTC)
	case time.Local:
		e.byte(locLocal)
	default:
		_, offset := time.Unix(0, 0).In(l).Zone()
		e.byte(locNamed)
		e.string(l.String())
		e.varint(int64(offset))
	}
}

func (d *decoder) location() *time.Location {
	switch c := d.byte(); c {
	case locNil:
		return nil
	case locUTC:
		return time.UTC
	case locLocal:
		return time.Local
	case locNamed:
		name, offset := d.string(), d.varint()
		if offset < -1<<20 || offset > 1<<20 {
			d.fail("a time zone is %d seconds from UTC", offset)
		}
		key := zone{name, int(offset)}
		if l := d.zones[key]; l != nil {
			return l
		}
		l := loadZone(key)
		if d.zones == nil {
			d.zones = map[zone]*time.Location{}
		}
		d.zones[key] = l
		return l
	default:
		d.fail("a time zone of an unknown kind %d", c)
		return nil
	}
}

type zone struct {
	name   string
	offset int
}

func loadZone(z zone) *time.Location {
	if z.name != "" && len(z.name) < 64 && !strings.HasPrefix(z.name, "/") {
		if l, err := time.LoadLocation(z.name); err == nil {
			if _, o := time.Unix(0, 0).In(l).Zone(); o == z.offset && l.String() == z.name {
				return l
			}
		}
	}
	return time.FixedZone(z.name, z.offset)
}

func (e *encoder) binary(v reflect.Value) {
	b, err := v.Interface().(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic(fail{err})
	}
	e.string(string(b))
}

func (d *decoder) binary(v reflect.Value) {
	if err := v.Addr().Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary([]byte(d.string())); err != nil {
		d.fail("a %s does not decode: %v", v.Type(), err)
	}
}
