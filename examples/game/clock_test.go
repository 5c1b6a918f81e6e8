package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// call asks the running game for something and wants a success.
func (p *process) call(t *testing.T, tool, args string, into any) {
	t.Helper()
	req, _ := http.NewRequest("POST", p.url, strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}}}`, tool, args)))
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool} {
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var a struct {
		Result struct {
			IsError           bool
			StructuredContent json.RawMessage
		}
		Error any
	}
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil || a.Error != nil || a.Result.IsError {
		t.Fatalf("%s: %v %v %s", tool, err, a.Error, a.Result.StructuredContent)
	}
	if into != nil {
		if err := json.Unmarshal(a.Result.StructuredContent, into); err != nil {
			t.Fatal(err)
		}
	}
}

type clockAnswer struct {
	Tick, Frame uint64
	Ticks       int
	Paused      bool
	Reason      string
}

// The loop of a paused game goes on polling; ticks that are asked for do not
// wait for their frame's time; and afterwards the game plays at its pace.
func TestTheClockOfARunningGame(t *testing.T) {
	p := start(t, "-quiet")
	p.waitFrame(t, 3)
	var held, later clockAnswer
	p.call(t, "clock_set", `{"paused":true}`, &held)
	p.waitFrame(t, held.Frame+10)
	if p.call(t, "clock_info", `{}`, &later); later.Tick != held.Tick || !later.Paused {
		t.Errorf("held at %+v, then %+v", held, later)
	}
	const ticks = 600 // ten seconds of play
	began := time.Now()
	var stepped clockAnswer
	p.call(t, "clock_set", fmt.Sprintf(`{"step":%d}`, ticks), &stepped)
	if took := time.Since(began); stepped.Ticks != ticks || stepped.Tick != held.Tick+ticks || took > 8*time.Second {
		t.Errorf("%+v after %v", stepped, took)
	}
	var until clockAnswer
	p.call(t, "run_until", `{"where":"Health.HP < 0","maxTicks":300}`, &until)
	if until.Reason != "maxTicks" || until.Ticks != 300 || until.Tick != stepped.Tick+300 || !until.Paused {
		t.Errorf("%+v", until)
	}
	// Resumed, it owes nothing for the time that it was held.
	var resumed clockAnswer
	p.call(t, "clock_set", `{"paused":false}`, &resumed)
	p.waitFrame(t, resumed.Frame+30)
	p.call(t, "clock_info", `{}`, &later)
	frames, ran := later.Frame-resumed.Frame, later.Tick-until.Tick
	if ran == 0 || ran > 4*(frames+1) {
		t.Errorf("%d ticks in %d frames after it was resumed", ran, frames)
	}
}
