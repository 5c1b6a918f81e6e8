package query

import (
	"encoding"
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Values that no kernel can address (through slices, maps, pointers, or
// computed by the game) are read row by row.

// at returns the value in a row of the chunk at hand. A value that cannot be
// had (index out of range, nil pointer, absent component, a panic in a
// computed value) is not ok.
func (p *rowPath) at(st *state, row int32) (v reflect.Value, ok bool) {
	c := &st.cols[p.col]
	if !c.has(row) {
		return v, false
	}
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	v, err := p.path.Get(c.Value(p.typ, int(row)))
	if err != nil || !v.IsValid() {
		return v, false
	}
	for v.Kind() == reflect.Pointer && !p.handle {
		if v.IsNil() {
			return v, false
		}
		v = v.Elem()
	}
	return v, true
}

func (p *rowPath) fill(st *state, s *selection, set func(k int, v reflect.Value) bool) {
	for k, row := range s.rows() {
		if v, ok := p.at(st, row); !ok || !set(k, v) {
			st.setBad(k)
		}
	}
}

func intRow(p rowPath) intVec {
	return func(st *state, s *selection, dst *[blockLen]int64) {
		p.fill(st, s, func(k int, v reflect.Value) bool {
			switch {
			case v.CanInt():
				dst[k] = v.Int()
			case v.CanUint():
				dst[k] = int64(v.Uint())
			default:
				return false
			}
			return true
		})
	}
}

func floatRow(p rowPath) floatVec {
	return func(st *state, s *selection, dst *[blockLen]float64) {
		p.fill(st, s, func(k int, v reflect.Value) bool {
			if !v.CanFloat() {
				return false
			}
			dst[k] = v.Float()
			return true
		})
	}
}

func stringRow(p rowPath) strVec {
	return func(st *state, s *selection, dst *[blockLen]string) {
		p.fill(st, s, func(k int, v reflect.Value) bool {
			text, ok := textOf(v)
			dst[k] = text
			return ok
		})
	}
}

// textOf is a string, or what a type with MarshalText says of itself.
func textOf(v reflect.Value) (string, bool) {
	if v.CanInterface() {
		if m, ok := v.Interface().(encoding.TextMarshaler); ok {
			b, err := m.MarshalText()
			return string(b), err == nil
		}
		if v.CanAddr() {
			if m, ok := v.Addr().Interface().(encoding.TextMarshaler); ok {
				b, err := m.MarshalText()
				return string(b), err == nil
			}
		}
	}
	if v.Kind() == reflect.String {
		return v.String(), true
	}
	b, err := value.AppendJSON(nil, v, value.EncodeOptions{})
	if err != nil {
		return "", false
	}
	if n := len(b); n >= 2 && b[0] == '"' {
		b = b[1 : n-1]
	}
	return string(b), true
}

func boolRow(p rowPath, want bool) predicate {
	return func(st *state, s *selection) {
		n := 0
		for _, row := range s.rows() {
			if v, ok := p.at(st, row); ok && v.Kind() == reflect.Bool && v.Bool() == want {
				s.idx[n] = row
				n++
			}
		}
		s.n = n
	}
}

func entityRow(p rowPath) intVec {
	return func(st *state, s *selection, dst *[blockLen]int64) {
		p.fill(st, s, func(k int, v reflect.Value) bool {
			e, ok := value.EntityIn(v)
			dst[k] = entityBits(e)
			return ok
		})
	}
}

func entityBits(e ecs.Entity) int64 { return *(*int64)(unsafe.Pointer(&e)) }

func bitsEntity(b int64) ecs.Entity { return *(*ecs.Entity)(unsafe.Pointer(&b)) }

// compareNil tests pointers, slices, maps, interfaces, funcs, and entities,
// whose nil is the zero entity.
func (c *compiler) compareNil(x operand, want bool) predicate {
	if x.class == classEntity {
		r := intRange{}
		if !want {
			r = r.not()
		}
		if x.leaf != nil {
			return intLeafRange(*x.leaf, r)
		}
		if x.row == nil {
			c.fail(x.node, "", "a row's own entity is never nil")
		}
		p := *x.row
		return p.each(func(v reflect.Value) bool { e, ok := value.EntityIn(v); return ok && e.IsZero() == want })
	}
	p := x.row
	if p == nil && x.leaf != nil {
		p = x.asRow
	}
	if p == nil || !nilable(p.path) {
		c.fail(x.node, "", "%s is %s, which is never nil", c.text(x.node), x.describe())
	}
	return p.rawNil(want)
}

func nilable(p *value.Path) bool {
	t := p.Field
	if p.Computed != nil {
		t = p.Computed.Type.Root
	}
	switch t.Go.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return true
	}
	return false
}

// rawNil tests the value itself, without going through a pointer.
func (p rowPath) rawNil(want bool) predicate {
	test := func(st *state, row int32) (ok bool) {
		c := &st.cols[p.col]
		if !c.has(row) {
			return false
		}
		defer func() {
			if recover() != nil {
				ok = false
			}
		}()
		v, err := p.path.Get(c.Value(p.typ, int(row)))
		if err != nil {
			return false
		}
		if !v.IsValid() {
			return want
		}
		return v.IsNil() == want
	}
	return func(st *state, s *selection) {
		n := 0
		for _, row := range s.rows() {
			if test(st, row) {
				s.idx[n] = row
				n++
			}
		}
		s.n = n
	}
}

// each keeps the rows whose value passes the test.
func (p rowPath) each(test func(reflect.Value) bool) predicate {
	return func(st *state, s *selection) {
		n := 0
		for _, row := range s.rows() {
			if v, ok := p.at(st, row); ok && test(v) {
				s.idx[n] = row
				n++
			}
		}
		s.n = n
	}
}
