package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// An engine's own entities are arguments like Loupe's: a tool of the game is
// never called with one that does not live.
func TestEntityArgumentsMustLive(t *testing.T) {
	type args struct {
		Who  arche.Entity   `json:"who"`
		Near []arche.Entity `json:"near,omitempty"`
	}
	w := arche.NewWorld()
	a, b := w.NewEntity(), w.NewEntity()
	w.RemoveEntity(b)
	var got args
	tool := tools.New(tools.Spec{Name: "praise"}, func(_ *tools.Frame, in args) (struct{}, error) {
		got = in
		w.Alive(in.Who) // which panics for an id that never lived
		return struct{}{}, nil
	})
	call := func(raw string) error {
		got = args{}
		job, err := tool.Handler.Prepare(&tools.Call{Context: context.Background()}, json.RawMessage(raw))
		if err != nil {
			return err
		}
		return job.Frame(&tools.Frame{World: archeworld.New(&w)})
	}
	for raw, code := range map[string]refusal.Code{
		`{"who":"999999v0"}`:              refusal.UnknownEntity,
		`{"who":"2v0"}`:                   refusal.EntityDead,
		`{"who":"1v0","near":["2v0"]}`:    refusal.EntityDead,
		`{"who":"1v0","near":["nobody"]}`: refusal.InvalidArguments,
	} {
		if err := call(raw); !errors.Is(err, code) || got.Who != (arche.Entity{}) {
			t.Errorf("%s: %v, the tool got %v", raw, err, got)
		}
	}
	if err := call(`{"who":"1v0","near":["1v0",null]}`); err != nil || got.Who != a || len(got.Near) != 2 {
		t.Errorf("%v, the tool got %v", err, got)
	}
}
