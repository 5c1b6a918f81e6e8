package tooltest

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Harness runs tools over a world as the server does: Prepare, Frame, Finish.
// Every answer is held against the tool's output schema.
type Harness struct {
	T       testing.TB
	Reg     *tools.Registry
	World   ecs.World
	Arche   *arche.World
	App     *host.App
	Frame   uint64
	Between func()       // what the game does between the frames of one call
	Stale   *ecs.Catalog // what Before sees; nil: the world's own
	schema  map[string]*jsonschema.Resolved
	content []tools.Content // of the last answer, beside its JSON
}

// New registers the given tools over a fresh arche world.
func New(t testing.TB, ts ...*tools.Tool) *Harness {
	t.Helper()
	w := arche.NewWorld()
	h := &Harness{T: t, Reg: tools.NewRegistry(), Arche: &w, World: archeworld.New(&w), schema: map[string]*jsonschema.Resolved{}}
	if err := h.Reg.Register(ts...); err != nil {
		t.Fatal(err)
	}
	return h
}

// Call runs a tool and returns its structured content, or the refusal.
func (h *Harness) Call(name string, args any) (map[string]any, *refusal.Error) {
	h.T.Helper()
	raw, ok := args.(string)
	if !ok {
		b, err := json.Marshal(args)
		if err != nil {
			h.T.Fatal(err)
		}
		raw = string(b)
	}
	out, err := h.Run(name, raw)
	if err != nil {
		var e *refusal.Error
		if !errors.As(err, &e) {
			h.T.Fatalf("%s(%s): an untyped error: %v", name, raw, err)
		}
		return nil, e
	}
	var doc map[string]any
	d := json.NewDecoder(strings.NewReader(string(out)))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		h.T.Fatalf("%s(%s): broken JSON: %v\n%s", name, raw, err, out)
	}
	h.matches(name, out)
	return doc, nil
}

// Answer is a success's JSON, and its other content.
func (h *Harness) Answer(name, args string) (map[string]any, []tools.Content) {
	h.T.Helper()
	return h.OK(name, args), h.content
}

func (h *Harness) Run(name, raw string) (json.RawMessage, error) {
	h.T.Helper()
	p, ok := listing.Of(h.Reg).Lookup(name)
	if !ok {
		h.T.Fatalf("no tool %s", name)
	}
	h.Frame++
	cat := h.Stale
	if cat == nil && h.World != nil {
		cat = h.World.Catalog()
	}
	c := &tools.Call{Context: context.Background(), Request: tools.Request{Name: name, Arguments: json.RawMessage(raw)},
		Catalog: cat, FrameNo: h.Frame, Registry: h.Reg, Log: slog.New(slog.DiscardHandler)}
	job, err := p.Handler.Prepare(c, json.RawMessage(raw))
	if err != nil {
		return nil, err
	}
	if job.Frame != nil {
		f := &tools.Frame{Number: h.Frame, World: h.World, App: h.App, Call: c}
		if h.World != nil {
			f.Catalog = h.World.Catalog()
		}
		err := job.Frame(f)
		for errors.Is(err, tools.ErrLater) {
			h.Frame++
			f.Number = h.Frame
			if h.Between != nil {
				h.Between()
			}
			err = job.Frame(f)
		}
		if err != nil {
			return nil, err
		}
	}
	r, err := job.Finish(c)
	if err != nil {
		return nil, err
	}
	h.content = r.Content
	if p.Output == nil != r.Bare {
		h.T.Fatalf("%s: output schema %s, bare %v", name, p.Output, r.Bare)
	}
	return r.Structured, nil
}

// matches validates an answer against the published output schema.
func (h *Harness) matches(name string, out []byte) {
	h.T.Helper()
	r, ok := h.schema[name]
	if !ok {
		p, _ := listing.Of(h.Reg).Lookup(name)
		var s jsonschema.Schema
		if err := json.Unmarshal(OrEmptyObject(p.Output), &s); err != nil {
			h.T.Fatal(err)
		}
		var err error
		if r, err = s.Resolve(nil); err != nil {
			h.T.Fatalf("%s: output schema: %v", name, err)
		}
		h.schema[name] = r
	}
	var v any
	if err := json.Unmarshal(out, &v); err != nil {
		h.T.Fatal(err)
	}
	if err := r.Validate(v); err != nil {
		h.T.Fatalf("%s: the answer does not match its schema: %v\n%s", name, err, out)
	}
}

// OK runs a tool that must succeed.
func (h *Harness) OK(name string, args any) map[string]any {
	h.T.Helper()
	out, err := h.Call(name, args)
	if err != nil {
		h.T.Fatalf("%s(%v) was refused: %s: %s", name, args, err.Code, err.Message)
	}
	return out
}

// Refused runs a tool that must be refused with a code and mention words, and
// must leave the world as it was.
func (h *Harness) Refused(name string, args any, code refusal.Code, mention ...string) *refusal.Error {
	h.T.Helper()
	before := h.Image()
	out, err := h.Call(name, args)
	if err == nil {
		h.T.Fatalf("%s(%v) should be refused, got %v", name, args, out)
	}
	if err.Code != code {
		h.T.Fatalf("%s(%v): want %s, got %s: %s", name, args, code, err.Code, err.Message)
	}
	text, _ := json.Marshal(err)
	for _, m := range mention {
		if !strings.Contains(err.Message, m) && !slices.Contains(err.Options, m) && !strings.Contains(string(text), m) {
			h.T.Fatalf("%s(%v): the refusal does not mention %q: %s", name, args, m, text)
		}
	}
	if after := h.Image(); before != after {
		h.T.Fatalf("%s(%v): a refused call changed the world:\n%s\n%s", name, args, before, after)
	}
	return err
}

// Image is everything in the world as text.
func (h *Harness) Image() string {
	r, ok := h.World.(ecs.Restorer)
	if !ok {
		return ""
	}
	var img ecs.Image
	if err := r.Capture(&img); err != nil {
		return "locked"
	}
	cat := h.World.Catalog()
	var b strings.Builder
	for _, a := range img.Archetypes {
		if len(a.Entities) == 0 {
			continue
		}
		b.WriteString(strings.Join(entities.Names(cat, a.Components), " "))
		for i, e := range a.Entities {
			b.WriteString("\n " + e.String())
			for _, col := range a.Columns {
				out, err := value.AppendJSON([]byte(" "), col.Index(i), value.EncodeOptions{})
				if err != nil {
					out = []byte(" " + err.Error())
				}
				b.Write(out)
			}
		}
		b.WriteByte('\n')
	}
	for _, res := range img.Resources {
		if res.Value.IsValid() {
			out, _ := value.AppendJSON(nil, res.Value, value.EncodeOptions{})
			b.Write(append(out, '\n'))
		}
	}
	return b.String()
}

func (h *Harness) WantRefusal(name string, args any, code refusal.Code) *refusal.Error {
	h.T.Helper()
	out, err := h.Call(name, args)
	if err == nil || err.Code != code {
		h.T.Fatalf("%s(%v) = %v, %v; want a refusal %s", name, args, out, err, code)
	}
	return err
}

func (h *Harness) Spawn(components Obj) string {
	h.T.Helper()
	return h.OK("spawn", Obj{"components": components})["entity"].(string)
}

func (h *Harness) Component(e, name string) Obj {
	h.T.Helper()
	return h.OK("info", Obj{"entity": e})["components"].(Obj)[name].(Obj)
}

func (h *Harness) First(query map[string]any) string {
	h.T.Helper()
	out := h.OK("query", query)
	return out["entities"].([]any)[0].(map[string]any)["entity"].(string)
}

func Num(t testing.TB, v any) int64 {
	t.Helper()
	n, err := v.(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

type Obj = map[string]any

func (h *Harness) FirstEntity() string {
	for c := range h.World.Chunks(ecs.Filter{}) {
		return c.Entity(0).String()
	}
	h.T.Fatal("the world is empty")
	return ""
}

func OrEmptyObject(schema json.RawMessage) json.RawMessage {
	if schema == nil {
		return json.RawMessage("{}")
	}
	return schema
}
