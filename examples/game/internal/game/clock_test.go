//go:build !nomcpdebug

package game

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/host"
)

// waited is a call that is answered over several frames: it goes through the
// server's HTTP side while the test is the loop. How many frames pass before it
// arrives varies: hold the clock first where that matters.
func (c *client) waited(tool string, args any) (a answer) {
	c.t.Helper()
	srv := httptest.NewServer(c.dbg.Handler())
	defer srv.Close()
	body, err := json.Marshal(obj{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": obj{"name": tool, "arguments": args, "_meta": obj{
		"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": obj{},
		"io.modelcontextprotocol/clientInfo": obj{"name": "test", "version": "1"}}}})
	if err != nil {
		c.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		req, _ := http.NewRequest("POST", srv.URL+"/mcp", bytes.NewReader(body))
		for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool} {
			req.Header.Set(k, v)
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			err = json.NewDecoder(resp.Body).Decode(&a)
			resp.Body.Close()
		}
		done <- err
	}()
	for {
		select {
		case err := <-done:
			if err != nil || a.Error != nil {
				c.t.Fatalf("%s: %v %s", tool, err, a.Error)
			}
			return a
		default:
			c.dbg.Poll()
			c.dbg.Guard(func() { run(c.g, 1) })
		}
	}
}

type ran struct {
	host.ClockInfo
	Before  uint64
	Ticks   int
	Matched bool
	Reason  string
	Count   int
}

func (a answer) ran(t *testing.T) (r ran) {
	t.Helper()
	if a.Result.IsError {
		t.Fatalf("refused: %s", a.Result.StructuredContent)
	}
	if err := json.Unmarshal(a.Result.StructuredContent, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// However the ticks come about, the game is the same: as they would in play, step
// by step, until a condition holds, at another speed.
func TestTicksAreTheSameHoweverTheyCome(t *testing.T) {
	t.Parallel()
	c := connect(t, play(t, Options{Seed: 1, Enemies: 40}, 0))
	c.frames(150)
	c.ok("clock_set", obj{"paused": true}, nil)
	before := c.g.Hash()
	c.frames(40)
	if c.g.Hash() != before || c.g.Ticks() != 150 || c.g.frame != 190 {
		t.Fatalf("paused at tick 150: the game went on to tick %d, frame %d", c.g.Ticks(), c.g.frame)
	}
	a := c.waited("clock_set", obj{"step": 130})
	if r := a.ran(t); r.Before != 150 || r.Tick != 280 || r.Ticks != 130 || !r.Paused || r.Pending != 0 {
		t.Errorf("%+v", r)
	}
	c.frames(10)
	a = c.waited("run_until", obj{"where": "Enemy.Aggro < 0", "maxTicks": 120})
	if r := a.ran(t); r.Reason != "maxTicks" || r.Ticks != 120 || r.Tick != 400 {
		t.Errorf("%+v", r)
	}
	c.ok("clock_set", obj{"paused": false, "scale": 0.1}, nil)
	c.frames(500)
	if c.g.Ticks() != 450 {
		t.Errorf("at a tenth of the speed 500 frames made %d ticks", c.g.Ticks()-400)
	}
	c.ok("clock_set", obj{"scale": 7.5}, nil)
	c.frames(20)
	if got, want := c.g.Hash(), wantInPlay(t); got != want || c.g.Ticks() != 600 {
		t.Errorf("tick %d: state %016x, in play %016x", c.g.Ticks(), got, want)
	}
}

// A run ends at the first tick at which the condition holds, not later.
func TestRunUntilIsExact(t *testing.T) {
	t.Parallel()
	opts := Options{Seed: 3, Enemies: 30}
	ref := play(t, opts, 0)
	wounded := func() bool {
		q := ref.hurt.Query(&ref.World)
		for q.Next() {
			if _, h, _ := q.Get(); h.HP < h.Max {
				q.Close()
				return true
			}
		}
		return false
	}
	for !wounded() && ref.Ticks() < 1000 {
		run(ref, 1)
	}
	c := connect(t, play(t, opts, 0))
	until := obj{"where": "Health.HP < Health.Max", "with": []string{"Enemy"}, "maxTicks": 1000}
	c.ok("clock_set", obj{"paused": true}, nil)
	a := c.waited("run_until", until)
	if r := a.ran(t); r.Ticks == 0 || r.Tick != ref.Ticks() || r.Ticks != int(r.Tick) || !r.Matched || r.Count == 0 || !r.Paused || c.g.Hash() != ref.Hash() {
		t.Errorf("%+v, want tick %d; state %016x, want %016x", r, ref.Ticks(), c.g.Hash(), ref.Hash())
	}
	c.frames(5)
	if c.g.Hash() != ref.Hash() {
		t.Error("the game went on")
	}
	// It holds already: also in Dispatch, where nothing could be waited for.
	var r ran
	if c.ok("run_until", until, &r); r.Ticks != 0 || !r.Matched {
		t.Errorf("%+v", r)
	}
	c.refused("run_until", obj{"where": "Health.HP < 0"}, refusal.NotSupported)
}

func TestTheClockAndTheRestOfTheGame(t *testing.T) {
	t.Parallel()
	c := connect(t, play(t, Options{Seed: 2, Enemies: 40}, 60))
	// Another state holds the ticks: steps are refused, not kept for later.
	c.g.States.Push(Paused)
	if e := c.refused("clock_set", obj{"step": 1}, refusal.NotRunning); !strings.Contains(e.Message, Paused) {
		t.Errorf("%+v", e)
	}
	c.refused("run_until", obj{"where": "Health.HP < 0"}, refusal.NotSupported)
	if a := c.waited("run_until", obj{"where": "Health.HP < 0"}); !a.Result.IsError {
		t.Errorf("ran in the state paused: %s", a.Result.StructuredContent)
	}
	c.g.States.Pop()
	// A snapshot takes the world back; the clock stays as it is.
	c.ok("snapshot_save", obj{"name": "before"}, nil)
	c.ok("clock_set", obj{"paused": true, "scale": 3}, nil)
	c.waited("clock_set", obj{"step": 5})
	c.ok("snapshot_load", obj{"name": "before"}, nil)
	var info host.ClockInfo
	if c.ok("clock_info", obj{}, &info); !info.Paused || info.Scale != 3 || info.Tick != c.g.Ticks() || info.Pending != 0 {
		t.Errorf("%+v at tick %d", info, c.g.Ticks())
	}
	// A crash on the way is told as one, and no tick waits for the game to go on.
	c.g.opts.CrashAt = c.g.frame + 1
	a := c.waited("clock_set", obj{"step": 10000})
	var r struct{ Error refusal.Error }
	json.Unmarshal(a.Result.StructuredContent, &r)
	if r.Error.Code != refusal.Crashed || !strings.Contains(r.Error.Message, "combat") {
		t.Fatalf("%s", a.Result.StructuredContent)
	}
	at := c.g.Ticks()
	c.ok("clear_crash", obj{"unlock": true}, nil)
	for range 20 {
		c.dbg.Poll()
		c.dbg.Guard(func() { run(c.g, 1) })
	}
	if c.ok("clock_info", obj{}, &info); c.g.Ticks() != at || !info.Paused || info.Pending != 0 {
		t.Errorf("after the crash: tick %d, then %d; %+v", at, c.g.Ticks(), info)
	}
	if a := c.waited("clock_set", obj{"step": 3}); a.ran(t).Ticks != 3 {
		t.Errorf("%s", a.Result.StructuredContent)
	}
}
