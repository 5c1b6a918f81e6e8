package logbuf

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/internal/words"
)

// Handler returns a slog.Handler that records everything from debug level on
// in the ring and hands it to next; next may be nil. What next does not want
// is kept in the ring all the same. For the handler that slog starts with, which
// cannot be wrapped and made the default, a text handler on the same writer
// stands in.
func (r *Ring) Handler(next slog.Handler) slog.Handler { return &handler{ring: r, next: standIn(next)} }

type handler struct {
	ring  *Ring
	next  slog.Handler
	attrs []byte // already rendered, "k":v,"k":v
	group string // "a.b."
}

func (h *handler) Enabled(context.Context, slog.Level) bool { return true }

func (h *handler) Handle(ctx context.Context, rec slog.Record) error {
	b := bytes.Clone(h.attrs)
	rec.Attrs(func(a slog.Attr) bool {
		b = appendAttr(b, h.group, a)
		return true
	})
	l := Line{Time: rec.Time, Level: rec.Level, Msg: rec.Message, Attrs: object(b)}
	if l.Time.IsZero() {
		l.Time = time.Now()
	}
	h.ring.Add(l)
	if h.next != nil && h.next.Enabled(ctx, rec.Level) {
		return h.next.Handle(ctx, rec)
	}
	return nil
}

func (h *handler) WithAttrs(as []slog.Attr) slog.Handler {
	c := *h
	c.attrs = bytes.Clone(h.attrs)
	for _, a := range as {
		c.attrs = appendAttr(c.attrs, h.group, a)
	}
	if c.next != nil {
		c.next = c.next.WithAttrs(as)
	}
	return &c
}

func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	c := *h
	c.group += name + "."
	if c.next != nil {
		c.next = c.next.WithGroup(name)
	}
	return &c
}

func object(members []byte) json.RawMessage {
	if len(members) == 0 {
		return nil
	}
	return append(append([]byte{'{'}, bytes.TrimSuffix(members, []byte{','})...), '}')
}

// maxAttr bounds one value; maxAttrs one record's, as rendered.
const (
	maxAttr  = 1 << 10
	maxAttrs = 8 << 10
)

// appendAttr renders at once: the program may change the value afterwards.
func appendAttr(b []byte, group string, a slog.Attr) []byte {
	if len(b) > maxAttrs {
		return b
	}
	v := resolve(a.Value)
	if v.Kind() == slog.KindGroup {
		if a.Key != "" {
			group += a.Key + "."
		}
		for _, m := range v.Group() {
			b = appendAttr(b, group, m)
		}
		return b
	}
	if a.Key == "" {
		return b
	}
	b = appendString(b, group+a.Key)
	b = append(b, ':')
	b = appendValue(b, v)
	return append(b, ',')
}

// resolve survives a LogValuer that panics.
func resolve(v slog.Value) (out slog.Value) {
	defer func() {
		if p := recover(); p != nil {
			out = slog.StringValue(fmt.Sprintf("!PANIC: %v", p))
		}
	}()
	return v.Resolve()
}

func appendValue(b []byte, v slog.Value) []byte {
	switch v.Kind() {
	case slog.KindBool:
		return strconv.AppendBool(b, v.Bool())
	case slog.KindInt64:
		return strconv.AppendInt(b, v.Int64(), 10)
	case slog.KindUint64:
		return strconv.AppendUint(b, v.Uint64(), 10)
	case slog.KindFloat64:
		if f := v.Float64(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return strconv.AppendFloat(b, f, 'g', -1, 64)
		}
		return appendString(b, v.String())
	case slog.KindAny:
		return appendAny(b, v.Any())
	}
	return appendString(b, v.String())
}

func appendAny(b []byte, v any) (out []byte) {
	defer func() {
		if p := recover(); p != nil {
			out = appendString(b, fmt.Sprintf("!PANIC: %v", p))
		}
	}()
	switch x := v.(type) {
	case error:
		return appendString(b, x.Error())
	case fmt.Stringer:
		return appendString(b, x.String())
	case []byte:
		return appendString(b, string(x))
	}
	j, err := json.Marshal(v)
	switch {
	case err != nil: // printing a value that refers to itself would never end
		return appendString(b, fmt.Sprintf("(%T)", v))
	case len(j) > maxAttr:
		return appendString(b, string(j))
	}
	return append(b, j...)
}

func appendString(b []byte, s string) []byte {
	s = words.Clip(strings.ToValidUTF8(s, "\uFFFD"), maxAttr)
	j, _ := json.Marshal(s)
	return append(b, j...)
}
