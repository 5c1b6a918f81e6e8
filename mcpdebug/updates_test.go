//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loupe-ecs/loupe/tools"
)

// subscriber is the official client with a loop that polls behind it.
type subscriber struct {
	t       *testing.T
	s       *Server
	session *mcp.ClientSession
	modern  bool
	heard   chan string
}

func newSubscriber(t *testing.T, version string) *subscriber {
	s, err := Listen("127.0.0.1:0", nil)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	b := &subscriber{t: t, s: s, modern: version == "2026-07-28", heard: make(chan string, 1024)}
	bindArche(s, nil)
	end, ended := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(end); <-ended })
	go func() {
		defer close(ended)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
			}
			s.Poll()
		}
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "subscriber", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { b.heard <- r.Params.URI },
	})
	b.session, err = client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL()}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	must(t, err)
	t.Cleanup(func() { b.session.Close() })
	return b
}

// subscribe: the client of the era without sessions blocks for as long as it
// listens.
func (b *subscriber) subscribe(uris ...string) {
	b.t.Helper()
	for _, uri := range uris {
		if !b.modern {
			must(b.t, b.session.Subscribe(b.t.Context(), &mcp.SubscribeParams{URI: uri}))
			continue
		}
		go b.session.Subscribe(b.t.Context(), &mcp.SubscribeParams{URI: uri})
	}
	deadline := time.Now().Add(10 * time.Second)
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for missing := true; missing; {
		<-look.C
		missing = false
		watched := b.s.front.Watched()
		for _, uri := range uris {
			missing = missing || !watched[uri]
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("watched: %v, want %v", watched, uris)
		}
	}
	if b.modern {
		return
	}
	// The session's stream must have begun too.
	b.s.registry.ResourceUpdated(uris[0])
	b.hears(uris[0])
}

// hears waits for an update of each; others may come between.
func (b *subscriber) hears(uris ...string) {
	b.t.Helper()
	timeout := time.After(10 * time.Second)
	for len(uris) > 0 {
		select {
		case got := <-b.heard:
			uris = slices.DeleteFunc(uris, func(u string) bool { return u == got })
		case <-timeout:
			b.t.Fatalf("no update of %s", uris)
		}
	}
}

// until gives what is heard until marker is.
func (b *subscriber) until(marker string) map[string]int {
	b.t.Helper()
	got := map[string]int{}
	timeout := time.After(10 * time.Second)
	for {
		select {
		case uri := <-b.heard:
			if uri == marker {
				return got
			}
			got[uri]++
		case <-timeout:
			b.t.Fatalf("no update of %s, but %v", marker, got)
		}
	}
}

func (b *subscriber) call(tool, args string) map[string]any {
	b.t.Helper()
	r, err := b.session.CallTool(b.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	must(b.t, err)
	if r.IsError {
		b.t.Fatalf("%s: %v", tool, r.Content[0].(*mcp.TextContent).Text)
	}
	var m map[string]any
	raw, err := json.Marshal(r.StructuredContent)
	must(b.t, err)
	must(b.t, json.Unmarshal(raw, &m))
	return m
}

// Built-in resources tell their subscribers when they change, in both eras.
func TestSubscribersHearOfChanges(t *testing.T) {
	for _, version := range []string{version, "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			b := newSubscriber(t, version)
			s := b.s
			first := b.call("query", `{"with":["Health"]}`)["entities"].([]any)[0].(map[string]any)["entity"].(string)
			slot, _, _ := strings.Cut(first, "v")
			full, bare := "ecs://entity/"+first, "ecs://entity/"+slot
			b.subscribe("ecs://crash", "ecs://log", "ecs://world", "ecs://context", "ecs://tools", full, bare)

			s.SetCrashed("panic: out of ammunition")
			b.hears("ecs://crash")
			s.SetCrashed("")
			b.hears("ecs://crash")

			slog.New(s.LogHandler(nil)).Info("a line")
			b.hears("ecs://log")

			// One more entity is news of the world, but not of the context.
			b.call("spawn", `{"components":{"Position":{}}}`)
			b.hears("ecs://world")

			must(t, s.Register(plain("fresh", nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })))
			b.hears("ecs://tools")

			b.call("modify", `{"entity":"`+first+`","component":"Health","values":{"HP":3}}`)
			b.hears(full, bare)
			b.call("run_lua", `{"code":"world.entity('`+first+`').Health.HP = 4"}`)
			b.hears(full, bare)
			b.call("set", `{"entity":"`+first+`","component":"Health","value":{"HP":9,"Max":9}}`)
			b.hears(full, bare)

			// What changes nothing, and what changes another one, says nothing.
			b.call("modify", `{"entity":"`+first+`","component":"Health","values":{"HP":9}}`)
			b.call("modify", `{"query":{"with":["Position"],"without":["Health"]},"component":"Position","values":{"X":77}}`)
			s.SetCrashed("panic: again")
			if got := b.until("ecs://crash"); got[full]+got[bare] > 0 {
				t.Errorf("heard of %v, which did not change", got)
			}
			s.SetCrashed("")
			b.hears("ecs://crash")

			b.call("despawn", `{"entity":"`+first+`"}`)
			b.hears(full, bare, "ecs://context")              // no Health lives now
			b.call("spawn", `{"components":{"Position":{}}}`) // takes the slot
			b.hears(bare)
		})
	}
}

func TestSubscriptionsToNothingAreRefused(t *testing.T) {
	b := newSubscriber(t, version)
	for uri, want := range map[string]string{
		"ecs://entity/hero": "names no entity", "ecs://entity/42v": "names no entity", "ecs://wolrd": "no resource"} {
		err := b.session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", uri, err)
		}
	}
	// The client of the era without sessions does not wait for the refusal.
	r, err := http.NewRequestWithContext(t.Context(), "POST", b.s.URL(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen",
		"params":{"notifications":{"resourceSubscriptions":["ecs://world","ecs://entity/hero"]},
		"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	must(t, err)
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"subscriptions/listen"}}
	resp, err := http.DefaultClient.Do(r)
	must(t, err)
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), "names no entity") || !strings.Contains(string(body), "invalid_arguments") {
		t.Errorf("without a session: %s %v", body, err)
	}
	if w := b.s.front.Watched(); w != nil {
		t.Errorf("refused, yet watched: %v", w)
	}
}

// Without a subscriber nothing is announced, and calls look at no entity.
func TestNothingIsWatchedForNobody(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		bindArche(s, nil)
		n := 0
		defer s.registry.WatchUpdates(func(string) { n++ })()
		spec := tools.Spec{Name: "modify"}
		if s.updates.Around(&spec) != nil {
			t.Error("entities are looked at for nobody")
		}
		s.SetCrashed("panic: one")
		slog.New(s.LogHandler(nil)).Info("a line")
		time.Sleep(3 * time.Second)
		if n != 0 {
			t.Errorf("%d updates with nobody there", n)
		}
	})
}
