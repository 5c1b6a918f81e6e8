//go:build !nomcpdebug

package mcpdebug

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// maxReplyBytes bounds an answer, pictures in base64 included.
const maxReplyBytes = 1 << 20

// slowFrame is when a frame part is reported: half a frame at 60 Hz.
const slowFrame = 8 * time.Millisecond

// success makes the answer of a result.
func success(r *tools.Result, frame uint64, took time.Duration) *tools.Reply {
	if r == nil {
		r = &tools.Result{Structured: json.RawMessage("{}")}
	}
	reply := &tools.Reply{IsError: r.Fails, Content: r.Content}
	if len(r.Meta) > 0 || took > slowFrame {
		reply.Meta = maps.Clone(r.Meta)
		if reply.Meta == nil {
			reply.Meta = map[string]any{}
		}
		if took > slowFrame {
			reply.Meta["frameMs"] = float64(took.Microseconds()) / 1e3
		}
	}
	bare := r.Bare || len(r.Content) > 0
	if !bare || len(r.Structured) > 0 {
		b := r.Structured
		if len(b) == 0 {
			b = json.RawMessage("{}")
		} else if !r.Valid() {
			return refusedReply(&refusal.Error{Code: refusal.Panicked, Message: "the tool's result is no JSON object: a mistake of the tool, which did run", Got: clip(string(b), 200)}, frame)
		}
		if bytes.IndexByte(b, '\n') >= 0 {
			var buf bytes.Buffer
			if json.Compact(&buf, b) == nil {
				b = buf.Bytes()
			}
		}
		reply.Structured = withFrame(b, frame)
	}
	if bare {
		reply.Text, reply.Structured = string(reply.Structured), nil
	}
	size := len(reply.Structured) + len(reply.Text)
	for _, c := range reply.Content {
		size += len(c.Text) + base64.StdEncoding.EncodedLen(len(c.Data))
	}
	if size > maxReplyBytes {
		return refusedReply(&refusal.Error{Code: refusal.TooLarge,
			Message: fmt.Sprintf("the answer has %d bytes, more than the limit of %d; the call itself was carried out", size, maxReplyBytes),
			Got:     size, Want: maxReplyBytes,
			Hint: "ask for less: a smaller limit or maxBytes, fewer paths in select, one component, one page at a time"}, frame)
	}
	return reply
}

// withFrame adds "frame" to an object unless it has one of its own.
func withFrame(object []byte, frame uint64) []byte {
	if bytes.Contains(object, []byte(`"frame"`)) && hasKey(object, "frame") {
		return object
	}
	body := bytes.TrimRight(object, " \t\r\n")
	body = body[:len(body)-1] // the brace
	out := make([]byte, 0, len(body)+32)
	out = append(out, body...)
	if len(bytes.TrimSpace(body)) > 1 {
		out = append(out, ',')
	}
	out = append(out, `"frame":`...)
	out = strconv.AppendUint(out, frame, 10)
	return append(out, '}')
}

// hasKey reports whether a valid JSON object has the key at its top level.
func hasKey(object []byte, key string) bool {
	depth := 0
	for i := 0; i < len(object); i++ {
		switch object[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			start := i + 1
			for i++; object[i] != '"'; i++ {
				if object[i] == '\\' {
					i++
				}
			}
			if depth == 1 && string(object[start:i]) == key {
				rest := bytes.TrimLeft(object[i+1:], " \t\r\n")
				if len(rest) > 0 && rest[0] == ':' {
					return true
				}
			}
		}
	}
	return false
}

// typed makes the one typed error of anything a tool returned.
func typed(err error) *refusal.Error {
	var e *refusal.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return &refusal.Error{Code: refusal.Cancelled, Message: "the call was cancelled"}
	case errors.Is(err, context.DeadlineExceeded):
		return &refusal.Error{Code: refusal.Timeout, Message: "the call ran out of time"}
	}
	var code refusal.Code
	if errors.As(err, &code) {
		return &refusal.Error{Code: code, Message: err.Error()}
	}
	return &refusal.Error{Code: refusal.InvalidArguments, Message: err.Error()}
}

// refusal makes the answer of an error.
func refusedReply(err error, frame uint64) *tools.Reply {
	var rpc *tools.RPCError
	if errors.As(err, &rpc) {
		return &tools.Reply{IsError: true, RPC: rpc}
	}
	e := typed(err)
	if len(e.Options) > 10 {
		c := *e
		if c.Total == 0 {
			c.Total = len(e.Options)
		}
		c.Options = slices.Clone(e.Options[:10])
		e = &c
	}
	object := map[string]any{"frame": frame}
	for k, v := range e.Extra {
		if k != "error" && k != "frame" {
			object[k] = v
		}
	}
	object["error"] = e
	b := marshal(object)
	if b == nil || len(b) > maxReplyBytes {
		// Got, Want or Extra hold what JSON cannot, or far too much of it.
		c := refusal.Error{Code: e.Code, Message: clip(e.Message, maxReplyBytes/4), Options: e.Options, Total: e.Total, Hint: e.Hint, Next: e.Next}
		if e.Got != nil {
			c.Got = inWords(e.Got)
		}
		if e.Want != nil {
			c.Want = inWords(e.Want)
		}
		b = marshal(map[string]any{"frame": frame, "error": &c})
	}
	return &tools.Reply{IsError: true, Structured: b, Text: sentence(e)}
}

// inWords describes a value that JSON cannot hold. Printing what may refer to
// itself would never end: of those only the type is told.
func inWords(v any) string {
	switch reflect.ValueOf(v).Kind() {
	case reflect.String, reflect.Bool, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return clip(fmt.Sprint(v), 1024)
	}
	return fmt.Sprintf("(%T)", v)
}

func marshal(v any) (out []byte) {
	defer func() {
		if recover() != nil {
			out = nil
		}
	}()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSpace(buf.Bytes())
}

// sentence is the refusal for people. A crash is the traceback, verbatim.
func sentence(e *refusal.Error) string {
	if e.Code == refusal.Crashed {
		return e.Message
	}
	var b strings.Builder
	b.WriteString(clip(e.Message, maxReplyBytes/4))
	if len(e.Options) > 0 {
		fmt.Fprintf(&b, "; options: %s", strings.Join(e.Options, ", "))
		if e.Total > len(e.Options) {
			fmt.Fprintf(&b, " (of %d)", e.Total)
		}
	}
	stop := ". "
	if strings.Contains(e.Message, "\n") {
		stop = "\n\n" // after a stack
	}
	if e.Hint != "" {
		b.WriteString(stop + e.Hint)
	}
	if e.Next != "" && !strings.Contains(e.Hint, e.Next) {
		b.WriteString(". Next: " + e.Next)
	}
	return b.String()
}

// codeOf tells a reply's code for logs: "" for a success.
func codeOf(r *tools.Reply) (refusal.Code, string) {
	switch {
	case r.RPC != nil:
		return refusal.NotFound, r.RPC.Message
	case !r.IsError:
		return "", ""
	}
	var doc struct{ Error struct{ Code refusal.Code } }
	if json.Unmarshal(r.Structured, &doc) != nil || doc.Error.Code == "" {
		return refusal.InvalidArguments, r.Text
	}
	return doc.Error.Code, r.Text
}
