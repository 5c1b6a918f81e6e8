package snapshot

import (
	"encoding"
	"reflect"
	"strings"
	"time"
)

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
