package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// row is one entity of a page as one would declare it by hand.
type row struct {
	Entity     string   `json:"entity"`
	Components []string `json:"components"`
	Values     struct {
		Box      Box // keys in order, as in every object of Loupe's that is keyed by name
		Health   Health
		Position Position
		Team     Team
		Velocity Velocity
	} `json:"values"`
}

// page compares a query's first page of 100, from its arguments to its JSON,
// with encoding/json given the same rows ready made.
func page(c *config) ([]line, error) {
	a := newArche(c.size(million))
	s := mcpdebug.New(nil)
	defer s.Close()
	s.Bind(a.loupe, &host.App{Name: "benchmark"})
	s.Poll()
	args := json.RawMessage(`{"limit":100,"maxBytes":1048576}`)
	whole, err := handler(s, a.loupe, "query", args)
	if err != nil {
		return nil, err
	}
	first, err := whole()
	if err != nil {
		return nil, err
	}
	var doc struct{ Entities []row }
	if err := json.Unmarshal(first, &doc); err != nil {
		return nil, err
	}
	// Both sides carry the same content, or the comparison means nothing.
	var got struct{ Entities json.RawMessage }
	if err := json.Unmarshal(first, &got); err != nil {
		return nil, err
	}
	byHand, err := json.Marshal(doc.Entities)
	if err != nil {
		return nil, err
	}
	if len(doc.Entities) != 100 || string(byHand) != string(got.Entities) {
		return nil, fmt.Errorf("the page of %d rows is not what encoding/json makes of it:\n%.400s\n%.400s", len(doc.Entities), got.Entities, byHand)
	}

	var failed error
	run := func(f func() (json.RawMessage, error)) op {
		return func(n int) {
			for range n {
				if _, err := f(); err != nil {
					failed = err
				}
			}
		}
	}
	marshal := run(func() (json.RawMessage, error) { return json.Marshal(doc.Entities) })
	filtered, err := handler(s, a.loupe, "query", json.RawMessage(`{"where":"Health.HP < 10","limit":100,"maxBytes":1048576}`))
	if err != nil {
		return nil, err
	}
	lines := []line{pair(c, run(whole), marshal).line("page", "≤ 1", 1)}
	lines = append(lines, figure("page_where_ms", "ms", 1e6, single(c, run(filtered)), "the whole tool with `"+whereOne+"`: compile, scan and count a million, encode the first 100"))
	lines = append(lines, figure("page_dispatch_ms", "ms", 1e6, single(c, run(func() (json.RawMessage, error) {
		return json.RawMessage(s.Dispatch(callBody("query", args))), nil
	})), "`Dispatch` of the same page: the text content repeats the structured one"))
	return lines, failed
}

// handler gives one tool run whole, all its parts inline, without a server's
// front.
func handler(s *mcpdebug.Server, w ecs.World, name string, args json.RawMessage) (func() (json.RawMessage, error), error) {
	for _, t := range s.Tools() {
		if t.Name != name {
			continue
		}
		return func() (json.RawMessage, error) {
			call := &tools.Call{Context: context.Background(), Request: tools.Request{Name: name, Arguments: args}, Catalog: w.Catalog()}
			job, err := t.Handler.Prepare(call, args)
			if err != nil {
				return nil, err
			}
			if job.Frame != nil {
				if err := job.Frame(&tools.Frame{Number: 1, World: w, Catalog: w.Catalog(), Call: call}); err != nil {
					return nil, err
				}
			}
			r, err := job.Finish(call)
			if err != nil {
				return nil, err
			}
			return r.Structured, nil
		}, nil
	}
	return nil, fmt.Errorf("no tool %q", name)
}

// figure is the median of rounds, in the unit that is so many nanoseconds.
func figure(name, unit string, scale float64, rounds []float64, detail string) line {
	return line{kind: "figure", name: name, value: medianOf(rounds) / scale, unit: unit, detail: detail}
}
