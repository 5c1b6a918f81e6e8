package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpgo "github.com/mark3labs/mcp-go/server"

	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

type echoArgs struct {
	Text string `json:"text" jsonschema:"what to say"`
}

type echoReply struct {
	Text  string `json:"text" jsonschema:"what was said"`
	Frame uint64 `json:"frame" jsonschema:"host frame"`
}

const spoken = "the quick brown fox"

var echoBody = callBody("echo", echoArgs{spoken})

// target is one server with a loop that answers its calls.
type target struct {
	client *client
	poll   func() bool
	close  func()
}

func echoServer(c *mcpdebug.Server) error {
	return c.Register(tools.New(tools.Spec{Name: "echo", Effect: tools.ReadOnly, Description: "Says it again."},
		func(f *tools.Frame, in echoArgs) (echoReply, error) { return echoReply{in.Text, f.Number}, nil }))
}

// loupeTarget serves the world with every built-in tool, as a game does.
func loupeTarget(n int) (*target, *mcpdebug.Server, error) {
	s, err := mcpdebug.Listen("127.0.0.1:0", nil)
	if err != nil {
		return nil, nil, err
	}
	s.Bind(newArche(n).loupe, &host.App{Name: "benchmark"})
	if err := echoServer(s); err != nil {
		return nil, nil, err
	}
	t := &target{client: newClient(s.URL(), echoBody, spoken), poll: s.Poll}
	t.close = func() { t.client.close(); s.Close() }
	s.Poll()
	return t, s, t.client.connect()
}

type rpcCall struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

type rpcAnswer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  rpcResult       `json:"result"`
}

type rpcResult struct {
	Content    []rpcContent    `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
}

type rpcContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// answer is a call decoded, routed and encoded by hand, without any of the
// checks a server of a protocol owes.
func answer(body []byte, run map[string]func(json.RawMessage) (any, error)) ([]byte, error) {
	var m rpcCall
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, err
	}
	f, ok := run[m.Params.Name]
	if m.Method != "tools/call" || !ok {
		return nil, fmt.Errorf("no tool %q", m.Params.Name)
	}
	out, err := f(m.Params.Arguments)
	if err != nil {
		return nil, err
	}
	structured, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return json.Marshal(rpcAnswer{"2.0", m.ID, rpcResult{[]rpcContent{{"text", string(structured)}}, structured}})
}

// bareTarget is a net/http handler of JSON with the same hand-off to the loop.
func bareTarget() (*target, error) {
	h := &handOff{}
	run := map[string]func(json.RawMessage) (any, error){"echo": func(raw json.RawMessage) (any, error) {
		var in echoArgs
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, err
		}
		return h.call(in.Text), nil
	}}
	return serve(h, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			body, err = answer(body, run)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	}))
}

// mcpgoTarget is mcp-go's server with a typed tool and the same hand-off.
func mcpgoTarget() (*target, error) {
	h := &handOff{}
	s := mcpgo.NewMCPServer("benchmark", "1", mcpgo.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("echo", mcp.WithDescription("Says it again."), mcp.WithInputSchema[echoArgs](), mcp.WithOutputSchema[echoReply]()),
		mcp.NewStructuredToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in echoArgs) (echoReply, error) {
			return h.call(in.Text), nil
		}))
	t, err := serve(h, mcpgo.NewStreamableHTTPServer(s))
	if err != nil {
		return nil, err
	}
	return t, t.client.connect()
}

func serve(h *handOff, handler http.Handler) (*target, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &http.Server{Handler: handler}
	go s.Serve(l)
	t := &target{client: newClient("http://"+l.Addr().String()+"/mcp", echoBody, spoken), poll: h.poll}
	t.close = func() { t.client.close(); s.Close() }
	return t, nil
}

// latency is the median time of a call on each side, round by round, in turn.
func latency(c *config, a, b *target, callers int) (s sides, err error) {
	n := 4000
	if c.quick {
		n = 1200
	}
	n = c.size(n)
	one := func(t *target, into *[]float64) {
		defer loop(t.poll)()
		runtime.GC()
		times, e := t.client.burst(callers, n)
		if e != nil {
			err = e
			return
		}
		*into = append(*into, float64(quantile(times, 0.5)))
	}
	var warm []float64
	one(a, &warm)
	one(b, &warm)
	for i := 0; i < c.rounds && err == nil; i++ {
		if i%2 == 0 {
			one(a, &s.a)
			one(b, &s.b)
		} else {
			one(b, &s.b)
			one(a, &s.a)
		}
	}
	return s, err
}

func callVsHTTP(c *config) ([]line, error) {
	return callVersus(c, "call_vs_http", "≤ 1.25", 1.25, bareTarget)
}

func callVsMcpgo(c *config) ([]line, error) {
	return callVersus(c, "call_vs_mcpgo", "≤ 1.0", 1, mcpgoTarget)
}

func callVersus(c *config, name, goal string, limit float64, peer func() (*target, error)) ([]line, error) {
	loupe, _, err := loupeTarget(1000)
	if err != nil {
		return nil, err
	}
	defer loupe.close()
	other, err := peer()
	if err != nil {
		return nil, err
	}
	defer other.close()
	var lines []line
	for _, callers := range []int{1, 8} {
		s, err := latency(c, loupe, other, callers)
		if err != nil {
			return nil, err
		}
		l := s.line(name, goal, limit)
		l.detail = "p50 with 1 client: " + l.detail
		if callers > 1 {
			l = s.line(fmt.Sprintf("%s_%d", name, callers), goal, limit)
			l.detail = fmt.Sprintf("p50 with %d clients: %s", callers, l.detail)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// callBytes compares what a call leaves to the collector, client and server
// together: the client is the same on both sides.
func callBytes(c *config) ([]line, error) {
	loupe, _, err := loupeTarget(1000)
	if err != nil {
		return nil, err
	}
	defer loupe.close()
	bare, err := bareTarget()
	if err != nil {
		return nil, err
	}
	defer bare.close()
	peer, err := mcpgoTarget()
	if err != nil {
		return nil, err
	}
	defer peer.close()
	n := 5000
	if c.quick {
		n = 1000
	}
	n = c.size(n)
	var per [3][]float64
	for round := range c.rounds + 1 {
		for i, t := range []*target{loupe, bare, peer} {
			stop := loop(t.poll)
			var e error
			bytes, _ := allocated(func() { _, e = t.client.burst(1, n) })
			stop()
			if e != nil {
				return nil, e
			}
			if round > 0 { // the first fills pools and connections
				per[i] = append(per[i], float64(bytes)/float64(n))
			}
		}
	}
	s := sides{a: per[0], b: per[1]}
	m, lo, hi := s.ratio()
	return []line{
		{kind: "ratio", name: "call_bytes", value: m, goal: "≤ 1.7", limit: 1.7,
			detail: fmt.Sprintf("%.0f beside %.0f bytes, client included; spread %.3g to %.3g", medianOf(s.a), medianOf(s.b), lo, hi)},
		{kind: "figure", name: "call_bytes_loupe", value: medianOf(per[0]), unit: "B", goal: "≤ 16384", limit: 16384, detail: "client and server together"},
		{kind: "figure", name: "call_bytes_mcpgo", value: medianOf(per[2]), unit: "B", detail: "client and server together"},
	}, nil
}

// frameUs is what one small call takes of the frame: the whole Poll that
// answers it.
func frameUs(c *config) ([]line, error) {
	t, _, err := loupeTarget(1000)
	if err != nil {
		return nil, err
	}
	defer t.close()
	t.client.body, t.client.want = []byte(callBody("info", map[string]string{"entity": "42v0"})), []byte(`"alive":true`)
	times, err := pollTimes(c, t)
	if err != nil {
		return nil, err
	}
	b, err := bareTarget()
	if err != nil {
		return nil, err
	}
	defer b.close()
	bare, err := pollTimes(c, b)
	if err != nil {
		return nil, err
	}
	return []line{
		{kind: "figure", name: "frame_us", value: micros(quantile(times, 0.5)), unit: "µs", goal: "≤ 10 µs", limit: 10,
			detail: fmt.Sprintf("p50 of the Poll that answers `info` (five components); %d calls", len(times))},
		{kind: "figure", name: "frame_us_p99", value: micros(quantile(times, 0.99)), unit: "µs"},
		{kind: "figure", name: "frame_us_bare", value: micros(quantile(bare, 0.5)), unit: "µs",
			detail: "p50 of the bare hand-off's poll that answers an echo: what waking the goroutine that waits costs by itself"},
	}, nil
}

// pollTimes measures the polls that answered a call, sorted.
func pollTimes(c *config, t *target) ([]time.Duration, error) {
	n := 20_000
	if c.quick {
		n = 3000
	}
	return pollTimesOf(c.size(n), t)
}

// pollTimesOf is pollTimes of n calls.
func pollTimesOf(n int, t *target) ([]time.Duration, error) {
	var times []time.Duration
	var counting atomic.Bool
	stop := loop(func() bool {
		start := time.Now()
		answered := t.poll()
		if took := time.Since(start); answered && counting.Load() {
			times = append(times, took)
		}
		return answered
	})
	_, err := t.client.burst(1, min(200, n))
	counting.Store(true)
	if err == nil {
		_, err = t.client.burst(1, n)
	}
	stop()
	if err == nil && len(times) < n {
		err = fmt.Errorf("%d of %d calls were seen", len(times), n)
	}
	slices.Sort(times)
	return times, err
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// dispatch compares a message answered without a connection with one decoded,
// routed and encoded by hand.
func dispatch(c *config) ([]line, error) {
	s := mcpdebug.New(nil)
	defer s.Close()
	s.Bind(newArche(1000).loupe, &host.App{Name: "benchmark"})
	if err := echoServer(s); err != nil {
		return nil, err
	}
	s.Poll()
	frame := uint64(1)
	run := map[string]func(json.RawMessage) (any, error){"echo": func(raw json.RawMessage) (any, error) {
		var in echoArgs
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, err
		}
		return echoReply{in.Text, frame}, nil
	}}
	var failed error
	check := func(text string, err error) {
		if err != nil || len(text) < 100 {
			failed = fmt.Errorf("no answer: %q %w", text, err)
		}
	}
	byHand := func(n int) {
		for range n {
			out, err := answer([]byte(echoBody), run)
			check(string(out), err)
		}
	}
	same := pair(c, func(n int) {
		for range n {
			check(s.Dispatch(echoBody), nil)
		}
	}, byHand)
	// A host that dispatches once a frame: the Catalog is looked at anew.
	each := pair(c, func(n int) {
		for range n {
			s.Poll()
			check(s.Dispatch(echoBody), nil)
		}
	}, byHand)
	return []line{same.line("dispatch", "≤ 3", 3), each.line("dispatch_each_frame", "", 0)}, failed
}
