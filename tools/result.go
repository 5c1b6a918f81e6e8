package tools

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"sync"

	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// Result is an encoded answer.
type Result struct {
	// Structured is a JSON object; the answer has "frame" in it besides.
	Structured json.RawMessage
	// Frame is the host frame that the answer tells of. Default: the one that the
	// call ran in.
	Frame uint64
	// Content is added after the text content (images, for instance). An answer
	// that has some is Bare.
	Content []Content
	// Meta is merged into the answer's _meta.
	Meta map[string]any
	// Fails marks the answer isError though it is no typed refusal. The text
	// content is then the first text of Content.
	Fails bool
	// Bare: send no structured content; Structured, if there is any, becomes the
	// text before Content. For answers that hold a picture or the like: clients
	// show their model either the structured content or the rest.
	Bare bool

	ours   bool // Structured was encoded here: valid, compact, nobody else's
	framed bool // it has a frame of its own
}

// Object is Structured as the answer shows it, with the frame; false: it is no
// JSON object. Call it once.
func (r *Result) Object(frame uint64) (object json.RawMessage, ok bool) {
	if r.Frame != 0 {
		frame = r.Frame
	}
	b := r.Structured
	switch {
	case len(b) == 0:
		b = json.RawMessage("{}")
		b = b[:2:2]
	case !r.ours || bytes.IndexByte(b, '\n') >= 0: // an event is one line
		var compact bytes.Buffer
		if json.Compact(&compact, b) != nil || compact.Bytes()[0] != '{' {
			return nil, false
		}
		b = compact.Bytes()
		r.framed = rawjson.Member(b, "frame") != nil
	}
	if r.framed {
		return b, true
	}
	b = b[:len(b)-1] // the brace
	if len(b) > 1 {
		b = append(b, ',')
	}
	b = append(b, `"frame":`...)
	return append(strconv.AppendUint(b, frame, 10), '}'), true
}

// framesItself tells whether a result of type t has written a frame: most types
// settle it, so that the answer need not be read.
func framesItself(t reflect.Type, written []byte) bool {
	settled, ok := framedTypes.Load(t)
	if !ok {
		settled = framing(t)
		framedTypes.Store(t, settled)
	}
	if settled == mayFrame {
		return rawjson.Member(written, "frame") != nil
	}
	return settled == frames
}

var framedTypes sync.Map // reflect.Type to what framing says

const (
	framesNot = iota
	frames
	mayFrame
)

func framing(t reflect.Type) int {
	if t.Kind() == reflect.Pointer {
		return mayFrame // nil: {"result":null}
	}
	f := value.ArgsOf(t).Root.Leaf()
	switch f.Kind {
	case value.KindStruct:
		for _, m := range f.Fields {
			if m.Name == "frame" {
				if m.Optional {
					return mayFrame
				}
				return frames
			}
		}
		return framesNot
	case value.KindMap, value.KindInterface, value.KindJSON, value.KindPointer:
		return mayFrame
	}
	return framesNot // it is wrapped in {"result":...}
}

// WithContent is implemented by results that carry more than JSON (a picture,
// for instance): the blocks follow the JSON, which is text then. Such a tool has
// no output schema and no structured content, because clients that are given
// both drop one.
type WithContent interface{ ToolContent() []Content }

// withContent reports whether a handler's results are a [WithContent].
func withContent(h Handler) bool {
	c, ok := h.(interface{ withContent() bool })
	return ok && c.withContent()
}

func (h *typedHandler[In]) withContent() bool { return h.content }

// Encoded is implemented by results that write their own JSON object, such as
// long pages whose rows are encoded one by one. What it appends must be valid
// and match the output schema, which is that of the type's fields.
type Encoded interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// EncodeResult makes an answer of a handler's result, for handlers of one's own.
// nil becomes {}; a result that is no object is wrapped in {"result": ...}, as
// [AnswerSchema] says. Off the frame.
func EncodeResult(out any) (*Result, error) {
	switch v := out.(type) {
	case *Result:
		return v, nil
	case json.RawMessage:
		return &Result{Structured: v}, nil
	case nil:
		return &Result{Structured: json.RawMessage("{}")}, nil
	}
	r := &Result{}
	if c, ok := out.(WithContent); ok {
		r.Content, r.Bare = c.ToolContent(), true
	}
	if e, ok := out.(Encoded); ok {
		var err error
		r.Structured, err = e.AppendJSON(nil)
		r.ours, r.framed = err == nil, framesItself(reflect.TypeOf(out), r.Structured)
		return r, err
	}
	v := reflect.ValueOf(out)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	b, err := value.AppendJSON(make([]byte, 0, 256), v, value.EncodeOptions{JSON: true})
	if err != nil {
		return nil, err
	}
	if k := v.Kind(); string(b) == "null" && (k == reflect.Pointer || k == reflect.Map || k == reflect.Interface) {
		b = []byte("{}")
	}
	if len(b) == 0 || b[0] != '{' {
		b = append(append([]byte(`{"result":`), b...), '}')
	}
	r.Structured, r.ours, r.framed = b, true, framesItself(v.Type(), b)
	return r, nil
}
