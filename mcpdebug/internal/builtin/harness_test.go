package builtin

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
	"github.com/loupe-ecs/loupe/tools"
)

// harness runs tools over a world as the server does: Prepare, Frame, Finish.
// Every answer is held against the tool's output schema.
type harness struct {
	t       testing.TB
	reg     *tools.Registry
	world   ecs.World
	arche   *arche.World
	app     *tools.App
	frame   uint64
	between func()       // what the game does between the frames of one call
	stale   *ecs.Catalog // what Before sees; nil: the world's own
	schema  map[string]*jsonschema.Resolved
	content []tools.Content // of the last answer, beside its JSON
}

// newHarness registers the given tools over a fresh arche world.
func newHarness(t testing.TB, ts ...*tools.Tool) *harness {
	t.Helper()
	w := arche.NewWorld()
	h := &harness{t: t, reg: tools.NewRegistry(), arche: &w, world: archeworld.New(&w), schema: map[string]*jsonschema.Resolved{}}
	if err := h.reg.Register(ts...); err != nil {
		t.Fatal(err)
	}
	return h
}

// call runs a tool and returns its structured content, or the refusal.
func (h *harness) call(name string, args any) (map[string]any, *refusal.Error) {
	h.t.Helper()
	raw, ok := args.(string)
	if !ok {
		b, err := json.Marshal(args)
		if err != nil {
			h.t.Fatal(err)
		}
		raw = string(b)
	}
	out, err := h.run(name, raw)
	if err != nil {
		var e *refusal.Error
		if !errors.As(err, &e) {
			h.t.Fatalf("%s(%s): an untyped error: %v", name, raw, err)
		}
		return nil, e
	}
	var doc map[string]any
	d := json.NewDecoder(strings.NewReader(string(out)))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		h.t.Fatalf("%s(%s): broken JSON: %v\n%s", name, raw, err, out)
	}
	h.matches(name, out)
	return doc, nil
}

// answer is a success's JSON, and its other content.
func (h *harness) answer(name, args string) (map[string]any, []tools.Content) {
	h.t.Helper()
	return h.ok(name, args), h.content
}

func (h *harness) run(name, raw string) (json.RawMessage, error) {
	h.t.Helper()
	p, ok := h.reg.Listing().Lookup(name)
	if !ok {
		h.t.Fatalf("no tool %s", name)
	}
	h.frame++
	cat := h.stale
	if cat == nil && h.world != nil {
		cat = h.world.Catalog()
	}
	c := &tools.Call{Context: context.Background(), Request: tools.Request{Name: name, Arguments: json.RawMessage(raw)},
		Catalog: cat, FrameNo: h.frame, Registry: h.reg, Log: slog.New(slog.DiscardHandler)}
	job, err := p.Handler.Prepare(c, json.RawMessage(raw))
	if err != nil {
		return nil, err
	}
	if job.Frame != nil {
		f := &tools.Frame{Number: h.frame, World: h.world, App: h.app, Call: c}
		if h.world != nil {
			f.Catalog = h.world.Catalog()
		}
		err := job.Frame(f)
		for errors.Is(err, tools.ErrLater) {
			h.frame++
			f.Number = h.frame
			if h.between != nil {
				h.between()
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
		h.t.Fatalf("%s: output schema %s, bare %v", name, p.Output, r.Bare)
	}
	return r.Structured, nil
}

// matches validates an answer against the published output schema.
func (h *harness) matches(name string, out []byte) {
	h.t.Helper()
	r, ok := h.schema[name]
	if !ok {
		p, _ := h.reg.Listing().Lookup(name)
		var s jsonschema.Schema
		if err := json.Unmarshal(orEmptyObject(p.Output), &s); err != nil {
			h.t.Fatal(err)
		}
		var err error
		if r, err = s.Resolve(nil); err != nil {
			h.t.Fatalf("%s: output schema: %v", name, err)
		}
		h.schema[name] = r
	}
	var v any
	if err := json.Unmarshal(out, &v); err != nil {
		h.t.Fatal(err)
	}
	if err := r.Validate(v); err != nil {
		h.t.Fatalf("%s: the answer does not match its schema: %v\n%s", name, err, out)
	}
}

// ok runs a tool that must succeed.
func (h *harness) ok(name string, args any) map[string]any {
	h.t.Helper()
	out, err := h.call(name, args)
	if err != nil {
		h.t.Fatalf("%s(%v) was refused: %s: %s", name, args, err.Code, err.Message)
	}
	return out
}

// refused runs a tool that must be refused with a code and mention words, and
// must leave the world as it was.
func (h *harness) refused(name string, args any, code refusal.Code, mention ...string) *refusal.Error {
	h.t.Helper()
	before := h.image()
	out, err := h.call(name, args)
	if err == nil {
		h.t.Fatalf("%s(%v) should be refused, got %v", name, args, out)
	}
	if err.Code != code {
		h.t.Fatalf("%s(%v): want %s, got %s: %s", name, args, code, err.Code, err.Message)
	}
	text, _ := json.Marshal(err)
	for _, m := range mention {
		if !strings.Contains(err.Message, m) && !slices.Contains(err.Options, m) && !strings.Contains(string(text), m) {
			h.t.Fatalf("%s(%v): the refusal does not mention %q: %s", name, args, m, text)
		}
	}
	if after := h.image(); before != after {
		h.t.Fatalf("%s(%v): a refused call changed the world:\n%s\n%s", name, args, before, after)
	}
	return err
}

// image is everything in the world as text.
func (h *harness) image() string {
	r, ok := h.world.(ecs.Restorer)
	if !ok {
		return ""
	}
	var img ecs.Image
	if err := r.Capture(&img); err != nil {
		return "locked"
	}
	cat := h.world.Catalog()
	var b strings.Builder
	for _, a := range img.Archetypes {
		if len(a.Entities) == 0 {
			continue
		}
		b.WriteString(strings.Join(componentNames(cat, a.Components), " "))
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
