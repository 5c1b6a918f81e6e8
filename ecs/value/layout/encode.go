package layout

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"sync"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// EncodeOptions: the zero value encodes a value whole.
type EncodeOptions struct {
	Bulk bool // reading many: byte strings are cut at 256 bytes with "$len"
	JSON bool // field names from JSON tags, omitempty/omitzero honoured (tool results)
}

const (
	// bulkBytes is where byte strings are cut when many values are read.
	bulkBytes = 256
	// pointerDepth is how many pointers are followed on one way.
	pointerDepth = 8
	// nestDepth bounds slices in slices and maps in maps of recursive types.
	nestDepth = 64
	// pointerBudget stops following pointers once one value has become this
	// large: a graph with many ways to the same node must not be written once a
	// way.
	PointerBudget = 1 << 20
	// maxSafeInteger is the largest integer a client that reads numbers as
	// doubles keeps exactly.
	MaxSafeInteger = 1<<53 - 1
)

// AppendJSON appends v as JSON to dst. It never panics and never emits broken
// JSON: on an error dst is returned as it came. The value must not change
// meanwhile: encode on the frame goroutine, or a [Copy] on any other.
func AppendJSON(dst []byte, v reflect.Value, o EncodeOptions) (out []byte, err error) {
	if !v.IsValid() {
		return append(dst, "null"...), nil
	}
	p, err := AddressOf(v)
	if err != nil {
		return dst, err
	}
	return AppendAt(dst, v.Type(), p, o)
}

// appendAt is AppendJSON for a value of type t at p.
func AppendAt(dst []byte, t reflect.Type, p unsafe.Pointer, o EncodeOptions) ([]byte, error) {
	e := encoders.Get().(*encoder)
	e.bulk = o.Bulk
	out, ok, err := e.whole(dst, t, codecOf(t, o.JSON), p)
	if ok {
		encoders.Put(e)
	}
	return out, err
}

// whole appends one value. ok is false after a panic: a value torn by a data
// race of the host can make any read fail.
func (e *encoder) whole(dst []byte, t reflect.Type, c *codec, p unsafe.Pointer) (out []byte, ok bool, err error) {
	e.start = len(dst)
	defer func() {
		if r := recover(); r != nil {
			out, err = dst, fmt.Errorf("encoding %s: %v", t, r)
		}
		if c.deep || err != nil {
			e.err, e.depth = nil, 0
			clear(e.visits)
			e.visits, e.path = e.visits[:0], e.path[:0]
		}
	}()
	if c.deep {
		e.visits = append(e.visits, visit{p: p, t: t})
	}
	out = c.encode(e, dst, p)
	if e.err != nil {
		return dst, true, e.err
	}
	return out, true, nil
}

// Addressable gives v itself if it has an address, else a copy that has one.
func Addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// addressOf gives the address of v, of a copy if it has none.
func AddressOf(v reflect.Value) (unsafe.Pointer, error) {
	if v.CanAddr() {
		return unsafe.Pointer(v.UnsafeAddr()), nil
	}
	if !v.CanInterface() {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "a value of type " + v.Type().String() + " that came out of an unexported field must be addressable"}
	}
	n := reflect.New(v.Type())
	n.Elem().Set(v)
	return n.UnsafePointer(), nil
}

// encFunc appends the JSON of the value at p. It reports failure in e.err; the
// bytes are then thrown away.
type encFunc func(e *encoder, dst []byte, p unsafe.Pointer) []byte

// codec is the compiled encoder of one type.
type codec struct {
	encode encFunc
	deep   bool
}

type encoder struct {
	bulk   bool
	err    error
	start  int // of this value in the output
	depth  int // pointers followed
	visits []visit
	path   []segment
}

// visit is a reference on the way from the root to here.
type visit struct {
	p    unsafe.Pointer
	t    reflect.Type
	path int // length of the path at that point
}

// segment is one step of the path, made text only when a cycle needs it.
type segment struct {
	name  string
	index int // if name is ""
	key   bool
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

func (e *encoder) fail(err error) {
	if e.err == nil {
		if p := pathText(e.path); p != "" {
			err = fmt.Errorf("%s: %w", p, err)
		}
		e.err = err
	}
}

func pathText(path []segment) string {
	var b []byte
	for _, s := range path {
		switch {
		case s.key:
			b = append(b, '[')
			b = strconv.AppendQuote(b, s.name)
			b = append(b, ']')
		case s.name != "":
			if len(b) > 0 {
				b = append(b, '.')
			}
			b = append(b, s.name...)
		default:
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(s.index), 10)
			b = append(b, ']')
		}
	}
	return string(b)
}

// enter notes a reference; done is true if it was written as a placeholder.
func (e *encoder) enter(dst []byte, t reflect.Type, p unsafe.Pointer, size int) (out []byte, done bool) {
	for i := range e.visits {
		if v := &e.visits[i]; v.p == p && v.t == t {
			dst = append(dst, `{"$ref":`...)
			dst = AppendString(dst, pathText(e.path[:v.path]))
			return append(dst, '}'), true
		}
	}
	if e.depth > pointerDepth || len(e.visits) > nestDepth || len(dst)-e.start > PointerBudget {
		dst = append(dst, `{"$more":`...)
		dst = strconv.AppendInt(dst, int64(size), 10)
		return append(dst, '}'), true
	}
	e.visits = append(e.visits, visit{p, t, len(e.path)})
	return dst, false
}

// leave forgets the last reference, so that a pooled encoder keeps nothing alive.
func (e *encoder) leave() {
	last := len(e.visits) - 1
	e.visits[last] = visit{}
	e.visits = e.visits[:last]
}

// codecOf compiles or finds the encoder of a type.
func codecOf(t reflect.Type, jsonMode bool) *codec {
	l := Of(t)
	slot := &l.codecs[index(jsonMode)]
	if c := slot.Load(); c != nil {
		return c
	}
	f := &Field{Go: t}
	ApplyKind(f, FieldTag{})
	slot.CompareAndSwap(nil, &codec{deep: l.Deep, encode: compileEnc(f, jsonMode)})
	return slot.Load()
}

// elemEnc is the encoder for a part of another type: resolved at the first use
// where types may be recursive.
func elemEnc(t reflect.Type, jsonMode bool) encFunc {
	if !Of(t).Deep {
		return codecOf(t, jsonMode).encode
	}
	resolve := sync.OnceValue(func() encFunc { return codecOf(t, jsonMode).encode })
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return resolve()(e, dst, p) }
}

// compileEnc makes the encoder for a field's kind.
func compileEnc(f *Field, jsonMode bool) encFunc {
	t := f.Go
	switch f.Kind {
	case KindBool:
		return func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return strconv.AppendBool(dst, *(*bool)(p)) }
	case KindInt, KindUint:
		return intEnc(t)
	case KindEnum:
		return enumEnc(t, f.Enum)
	case KindFloat:
		if t.Kind() == reflect.Float32 {
			return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
				return AppendFloat(dst, float64(*(*float32)(p)), 32)
			}
		}
		return func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return AppendFloat(dst, *(*float64)(p), 64) }
	case KindComplex:
		bits, half := 64, uintptr(8)
		if t.Kind() == reflect.Complex64 {
			bits, half = 32, 4
		}
		return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
			dst = append(dst, '[')
			dst = AppendFloat(dst, floatAt(p, bits), bits)
			dst = append(dst, ',')
			dst = AppendFloat(dst, floatAt(unsafe.Add(p, half), bits), bits)
			return append(dst, ']')
		}
	case KindString:
		if t == NumberType && jsonMode {
			return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
				s := *(*string)(p)
				if NumberText(s) {
					return append(dst, s...)
				}
				return AppendString(dst, s)
			}
		}
		if jsonMode {
			return func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return appendText(dst, *(*string)(p)) }
		}
		return func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return AppendString(dst, *(*string)(p)) }
	case KindEntity:
		l := Of(t)
		return func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return appendEntity(dst, l.LoadEntity(p)) }
	case KindBytes:
		return bytesEnc(t)
	case KindText, KindJSON:
		return marshalEnc(f, jsonMode)
	case KindOpaque:
		return opaqueEnc(t)
	case KindStruct:
		return structEnc(t, jsonMode)
	case KindArray:
		return arrayEnc(t, jsonMode)
	case KindSlice:
		return sliceEnc(t, jsonMode)
	case KindMap:
		return mapEnc(t, jsonMode)
	case KindPointer:
		return pointerEnc(t, jsonMode)
	case KindInterface:
		return interfaceEnc(t, jsonMode)
	}
	return opaqueEnc(t)
}

func floatAt(p unsafe.Pointer, bits int) float64 {
	if bits == 32 {
		return float64(*(*float32)(p))
	}
	return *(*float64)(p)
}

// readInt loads an integer of any width; unsigned 64-bit values keep their bits.
func ReadInt(k reflect.Kind, p unsafe.Pointer) int64 {
	switch k {
	case reflect.Int:
		return int64(*(*int)(p))
	case reflect.Int8:
		return int64(*(*int8)(p))
	case reflect.Int16:
		return int64(*(*int16)(p))
	case reflect.Int32:
		return int64(*(*int32)(p))
	case reflect.Int64:
		return *(*int64)(p)
	case reflect.Uint:
		return int64(*(*uint)(p))
	case reflect.Uint8:
		return int64(*(*uint8)(p))
	case reflect.Uint16:
		return int64(*(*uint16)(p))
	case reflect.Uint32:
		return int64(*(*uint32)(p))
	case reflect.Uint64:
		return int64(*(*uint64)(p))
	case reflect.Uintptr:
		return int64(*(*uintptr)(p))
	}
	return 0
}

func intEnc(t reflect.Type) encFunc {
	k := t.Kind()
	switch k {
	case reflect.Int, reflect.Int64:
		if t.Size() == 8 {
			return func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return appendInt(dst, *(*int64)(p)) }
		}
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return func(e *encoder, dst []byte, p unsafe.Pointer) []byte { return appendUint(dst, uint64(ReadInt(k, p))) }
	}
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		return strconv.AppendInt(dst, ReadInt(k, p), 10)
	}
}

func enumEnc(t reflect.Type, labels []EnumLabel) encFunc {
	k, plain := t.Kind(), intEnc(t)
	quoted := make([][]byte, len(labels))
	for i, l := range labels {
		quoted[i] = AppendString(nil, l.Name)
	}
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		v := ReadInt(k, p)
		if v >= 0 && v < int64(len(labels)) && labels[v].Value == v {
			return append(dst, quoted[v]...)
		}
		for i := range labels {
			if labels[i].Value == v {
				return append(dst, quoted[i]...)
			}
		}
		return plain(e, dst, p)
	}
}

// AppendEnum appends an integer by its label, as a number if it has none.
func AppendEnum(dst []byte, v reflect.Value, labels []EnumLabel) []byte {
	if v.CanUint() {
		if s, ok := LabelName(labels, int64(v.Uint())); ok {
			return AppendString(dst, s)
		}
		return appendUint(dst, v.Uint())
	}
	if s, ok := LabelName(labels, v.Int()); ok {
		return AppendString(dst, s)
	}
	return appendInt(dst, v.Int())
}

func appendInt(dst []byte, v int64) []byte {
	if v > MaxSafeInteger || v < -MaxSafeInteger {
		dst = append(dst, '"')
		dst = strconv.AppendInt(dst, v, 10)
		return append(dst, '"')
	}
	return strconv.AppendInt(dst, v, 10)
}

func appendUint(dst []byte, v uint64) []byte {
	if v > MaxSafeInteger {
		dst = append(dst, '"')
		dst = strconv.AppendUint(dst, v, 10)
		return append(dst, '"')
	}
	return strconv.AppendUint(dst, v, 10)
}

// appendFloat writes the shortest text that reads back as the same bits. A
// negative zero is -0.0: many readers take -0 for an integer and lose the sign.
func AppendFloat(dst []byte, f float64, bits int) []byte {
	abs := math.Abs(f)
	switch {
	case abs < 1e15 && f == math.Trunc(f):
		if f == 0 && math.Signbit(f) {
			return append(dst, "-0.0"...)
		}
		return strconv.AppendInt(dst, int64(f), 10)
	case f != f:
		return append(dst, `"NaN"`...)
	case f > math.MaxFloat64:
		return append(dst, `"Infinity"`...)
	case f < -math.MaxFloat64:
		return append(dst, `"-Infinity"`...)
	}
	format := byte('f')
	if abs < 1e-6 || abs >= 1e21 {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, bits)
}

func appendEntity(dst []byte, e Entity) []byte {
	if e.IsZero() {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = e.AppendTo(dst)
	return append(dst, '"')
}
