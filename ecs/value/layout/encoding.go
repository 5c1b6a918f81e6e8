package layout

import (
	"reflect"
	"unsafe"
)

// Encoding is [AppendJSON] for many values of one type: what is looked up for
// each value there is looked up once. It is not for two goroutines at once.
type Encoding struct {
	t     reflect.Type
	codec *codec
	e     encoder
}

// EncodingOf makes the encoding of a type. Any goroutine.
func EncodingOf(t reflect.Type, o EncodeOptions) *Encoding {
	return &Encoding{t: t, codec: codecOf(t, o.JSON), e: encoder{bulk: o.Bulk}}
}

// Append appends the value at p, which must be of the encoding's type and must
// not change meanwhile, as JSON to dst. It never panics and never emits broken
// JSON: on an error dst is returned as it came.
func (x *Encoding) Append(dst []byte, p unsafe.Pointer) (out []byte, err error) {
	out, _, err = x.e.whole(dst, x.t, x.codec, p)
	return out, err
}
