package loop

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/tools"
)

// MaxReplyBytes bounds an answer, pictures in base64 included.
const MaxReplyBytes = 1 << 20

// slowFrame is when a frame part is reported: half a frame at 60 Hz.
const slowFrame = 8 * time.Millisecond

// SlowTool is the log line of such a part.
const SlowTool = "slow tool on the frame"

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
			reply.Meta["frameMs"] = words.Millis(took)
		}
	}
	bare := r.Bare || len(r.Content) > 0
	if !bare || len(r.Structured) > 0 {
		var ok bool
		if reply.Structured, ok = r.Object(frame); !ok {
			return refusedReply(&refusal.Error{Code: refusal.Panicked, Message: "the tool's result is no JSON object: a mistake of the tool, which did run", Got: words.Clip(string(r.Structured), 200)}, frame)
		}
	}
	if bare {
		reply.Text, reply.Structured = string(reply.Structured), nil
	}
	size := len(reply.Structured) + len(reply.Text)
	for _, c := range reply.Content {
		size += len(c.Text) + base64.StdEncoding.EncodedLen(len(c.Data))
	}
	if size > MaxReplyBytes {
		return refusedReply(&refusal.Error{Code: refusal.TooLarge,
			Message: fmt.Sprintf("the answer has %d bytes, more than the limit of %d; the call itself was carried out", size, MaxReplyBytes),
			Got:     size, Want: MaxReplyBytes,
			Hint: "ask for less: a smaller limit or maxBytes, fewer paths in select, one component, one page at a time"}, frame)
	}
	return reply
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
	return &refusal.Error{Code: refusal.Failed, Message: err.Error()}
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
	if b == nil || len(b) > MaxReplyBytes {
		// Got, Want or Extra hold what JSON cannot, or far too much of it.
		c := refusal.Error{Code: e.Code, Message: words.Clip(e.Message, MaxReplyBytes/4), Options: e.Options, Total: e.Total, Hint: e.Hint, Next: e.Next}
		if e.Got != nil {
			c.Got = words.Of(e.Got)
		}
		if e.Want != nil {
			c.Want = words.Of(e.Want)
		}
		b = marshal(map[string]any{"frame": frame, "error": &c})
	}
	return &tools.Reply{IsError: true, Err: e, Structured: b, Text: sentence(e)}
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
	b.WriteString(words.Clip(e.Message, MaxReplyBytes/4))
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

// CodeOf tells a reply's code for logs, and its text: "" for a success.
func CodeOf(r *tools.Reply) (refusal.Code, string) {
	switch {
	case !r.IsError:
		return "", ""
	case r.RPC != nil:
		return refusal.NotFound, r.RPC.Message
	case r.Err != nil:
		return r.Err.Code, r.Text
	}
	return refusal.InvalidArguments, r.Text
}
