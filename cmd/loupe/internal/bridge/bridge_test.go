package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/wire"
	"github.com/loupe-ecs/loupe/internal/discovery"
)

// peer is a client on the other end of a bridge's pipes, which sees every byte.
type peer struct {
	t     *testing.T
	in    io.WriteCloser
	lines chan []byte
	notes []string // methods of notifications, in order
	done  chan error
}

// limit bounds every wait of a test.
const limit = 60 * time.Second

func connect(t *testing.T, o Options) *peer {
	t.Helper()
	p := raw(t, o)
	p.rpc(`0`, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

func runtimeDir(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("LOCALAPPDATA", t.TempDir())
}

func raw(t *testing.T, o Options) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{t: t, in: inW, lines: make(chan []byte, 4096), done: make(chan error, 1)}
	go func() {
		r := bufio.NewReader(outR)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				close(p.lines)
				return
			}
			p.lines <- line
		}
	}()
	go func() {
		err := Run(context.Background(), inR, outW, o)
		outW.Close()
		p.done <- err
	}()
	t.Cleanup(func() {
		inW.Close()
		select {
		case err := <-p.done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(limit):
			t.Error("the bridge does not end with its input")
		}
	})
	return p
}

func (p *peer) send(message string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, message+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// next returns the next message that is no notification.
func (p *peer) next() []byte {
	p.t.Helper()
	for {
		line, e := p.message()
		if e.Method == "" {
			return line
		}
	}
}

func (p *peer) message() ([]byte, wire.Envelope) {
	p.t.Helper()
	select {
	case line, ok := <-p.lines:
		if !ok {
			p.t.Fatal("the bridge has ended")
		}
		e, err := wire.Parse(line)
		if err != nil {
			p.t.Fatalf("%v: %s", err, line)
		}
		if e.Method != "" {
			p.notes = append(p.notes, e.Method)
		}
		return bytes.TrimSpace(line), e
	case <-time.After(limit):
		p.t.Fatal("no message")
	}
	return nil, wire.Envelope{}
}

// rpc makes a request and returns its whole answer.
func (p *peer) rpc(id, method, params string) []byte {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	for {
		line := p.next()
		if wire.Answers(line, []byte(id)) {
			return line
		}
	}
}

func (p *peer) call(tool, arguments string) (r wire.Result) {
	p.t.Helper()
	line := p.rpc(`"c"`, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
	e, _ := wire.Parse(line)
	if e.Error != nil || json.Unmarshal(e.Result, &r) != nil {
		p.t.Fatalf("%s: %s", tool, line)
	}
	return r
}

func (p *peer) refused(tool, arguments string) (code, text string) {
	p.t.Helper()
	r := p.call(tool, arguments)
	var doc struct{ Error struct{ Code string } }
	_ = json.Unmarshal(r.StructuredContent, &doc)
	if !r.IsError {
		p.t.Errorf("%s %s is not refused: %s", tool, arguments, r.StructuredContent)
	}
	return doc.Error.Code, r.Content[0].Text
}

func (p *peer) names() (names []string) {
	p.t.Helper()
	e, _ := wire.Parse(p.rpc(`"l"`, "tools/list", `{}`))
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(e.Result, &list); err != nil {
		p.t.Fatal(err)
	}
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	return names
}

// until waits for a notification.
func (p *peer) until(method string) {
	p.t.Helper()
	for !slices.Contains(p.notes, method) {
		p.message()
	}
}

// find waits for a game to be announced.
func find(t *testing.T, app string, not ...int) discovery.Entry {
	t.Helper()
	deadline := time.After(limit)
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		for _, e := range discovery.List() {
			if e.App == app && !slices.Contains(not, e.PID) {
				return e
			}
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("no game %s", app)
		}
	}
}

func TestWithNothingRunningThereAreSessionTools(t *testing.T) {
	runtimeDir(t)
	p := connect(t, Options{Root: t.TempDir()})
	want := []string{"session_list", "session_start", "session_stop", "session_restart", "session_use", "session_log"}
	if got := p.names(); !slices.Equal(got, want) {
		t.Errorf("tools %v", got)
	}
	code, text := p.refused("query", `{}`)
	if code != "no_session" || !strings.Contains(text, "session_start") {
		t.Errorf("query: %s %s", code, text)
	}
	if code, text := p.refused("session_start", `{"package":"./nowhere"}`); code != "not_found" {
		t.Errorf("a package that is not there: %s %s", code, text)
	}
	if code, _ := p.refused("session_start", `{"packages":"."}`); code != "invalid_arguments" {
		t.Errorf("an unknown argument: %s", code)
	}
	for method, want := range map[string]string{"resources/list": `{"resources":[]}`, "prompts/list": `{"prompts":[]}`, "ping": `{}`} {
		if e, _ := wire.Parse(p.rpc(`7`, method, `{}`)); string(e.Result) != want {
			t.Errorf("%s: %s %s", method, e.Result, e.Error)
		}
	}
	p.send(`{"jsonrpc":"2.0","id":`)
	if e, _ := wire.Parse(p.next()); !strings.Contains(string(e.Error), "-32700") {
		t.Errorf("broken JSON: %s", e.Error)
	}
}

func TestABridgeMayBeKeptFromStarting(t *testing.T) {
	runtimeDir(t)
	p := connect(t, Options{})
	if code, text := p.refused("session_start", `{}`); code != "not_supported" || !strings.Contains(text, "-no-start") {
		t.Errorf("%s %s", code, text)
	}
}

// TestAGamePassesUnchanged compares what comes over the bridge with what comes
// without it, byte for byte.
func TestAGamePassesUnchanged(t *testing.T) {
	runtimeDir(t)
	p := connect(t, Options{})
	startGame(t, "alpha")
	e := find(t, "alpha")
	p.until("notifications/tools/list_changed")
	direct, err := wire.Dial(t.Context(), wire.Target{URL: e.URL}, wire.Hello("direct", "1"))
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	both := func(id, method, params string) (bridged, plain []byte) {
		t.Helper()
		bridged = p.rpc(id, method, params)
		err := direct.Do(t.Context(), wire.Request([]byte(id), method, []byte(params)), nil, func(m []byte) error {
			if wire.Answers(m, []byte(id)) {
				plain = m
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return bridged, plain
	}
	bridged, plain := both(`1`, "tools/list", `{}`)
	own := append((&Bridge{own: sessionTools{}.registry()}).ownEntries(), ',')
	if got := bytes.Replace(bridged, own, nil, 1); !bytes.Equal(got, plain) || len(got) == len(bridged) {
		t.Errorf("the list differs:\n%.300s\n%.300s", got, plain)
	}
	for _, q := range [][3]string{
		{`9007199254740993`, "tools/call", `{"name":"exact","arguments":{}}`},
		{`"a\u00e9"`, "tools/call", `{"name":"query","arguments":{"wher":"x"}}`},
		{`1.5`, "tools/call", `{"name":"qwery"}`},
		{`-1`, "resources/list", `{}`},
		{`2`, "prompts/list", `{}`},
		{`3`, "resources/read", `{"uri":"ecs://component/health"}`},
		{`4`, "resources/read", `{"uri":"ecs://nothing"}`},
		{`5`, "tools/call", `{"name":"picture","arguments":{"n":300000}}`},
	} {
		bridged, plain := both(q[0], q[1], q[2])
		if noFrame(bridged) != noFrame(plain) {
			t.Errorf("%v:\n%.400s\n%.400s", q, bridged, plain)
		}
	}
	bridged, _ = both(`6`, "tools/call", `{"name":"picture","arguments":{"n":1000}}`)
	var data []byte
	for i := range 1000 {
		data = append(data, byte(i*7))
	}
	if !bytes.Contains(bridged, []byte(base64.StdEncoding.EncodeToString(data))) {
		t.Errorf("the picture is another: %.300s", bridged)
	}
	second := raw(t, Options{})
	init, _ := wire.Parse(second.rpc(`0`, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"late","version":"1"}}`))
	if got := wire.Text(init.Result, "instructions"); got != direct.Instructions || !strings.Contains(got, "This is alpha.") {
		t.Errorf("instructions: %q", got)
	}
	if got := wire.Text(init.Result, "protocolVersion"); got != "2025-06-18" {
		t.Errorf("version %s", got)
	}
}

// noFrame blanks the frame, which goes on between two calls.
func noFrame(message []byte) string {
	s := string(message)
	for _, key := range []string{`"frame":`, `\"frame\":`} {
		if i := strings.Index(s, key); i >= 0 {
			j := i + len(key)
			for j < len(s) && s[j] >= '0' && s[j] <= '9' {
				j++
			}
			s = s[:i+len(key)] + s[j:]
		}
	}
	return s
}

func TestProgressAndCancellationPass(t *testing.T) {
	runtimeDir(t)
	g := startGame(t, "alpha")
	find(t, "alpha")
	p := connect(t, Options{})
	p.rpc(`1`, "tools/call", `{"name":"count","arguments":{"n":3},"_meta":{"progressToken":"tok"}}`)
	if n := strings.Count(strings.Join(p.notes, " "), "notifications/progress"); n == 0 {
		t.Errorf("no progress: %v", p.notes)
	}
	p.notes = nil
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"forever","arguments":{},"_meta":{"progressToken":1}}}`)
	p.until("notifications/progress")
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if line, err := bufio.NewReader(g.out).ReadString('\n'); err != nil || line != "cancelled\n" {
		t.Errorf("the game heard %q %v", line, err)
	}
	if r := p.call("exact", `{}`); r.IsError { // and the cancelled one has no answer
		t.Error("the bridge is of no use after a cancellation")
	}
}

func TestTheBridgeOutlivesItsGame(t *testing.T) {
	runtimeDir(t)
	g := startGame(t, "alpha")
	first := find(t, "alpha")
	p := connect(t, Options{})
	if !slices.Contains(p.names(), "die") {
		t.Fatal("the game's tools are missing")
	}
	code, text := p.refused("die", `{}`)
	if code != "outcome_unknown" || !strings.Contains(text, "session_") {
		t.Errorf("killed in a call that changes things: %s %s", code, text)
	}
	g.Wait() // its connections are closed a moment before it is no more
	if code, text = p.refused("query", `{}`); code != "no_session" || !strings.Contains(text, "alpha") {
		t.Errorf("after the end: %s %s", code, text)
	}
	if got := p.names(); len(got) != 6 {
		t.Errorf("tools after the end: %v", got)
	}
	p.notes = nil
	startGame(t, "alpha")
	second := find(t, "alpha", first.PID)
	p.until("notifications/tools/list_changed")
	if r := p.call("ping", `{}`); !strings.Contains(string(r.StructuredContent), fmt.Sprintf(`"pid":%d`, second.PID)) {
		t.Errorf("the next call reaches another process: %s", r.StructuredContent)
	}
	p.names()
	if code, text = p.refused("die_reading", `{}`); code != "not_run" {
		t.Errorf("killed in a call that changes nothing: %s %s", code, text)
	}
	deadline := time.After(limit)
	for tick := time.NewTicker(time.Millisecond); len(discovery.List()) > 0; {
		select {
		case <-tick.C: // a killed process takes a moment to end
		case <-deadline:
			t.Fatalf("left behind: %v", discovery.List())
		}
	}
}

// TestSubscriptionsOutliveAGame: the client subscribes once.
func TestSubscriptionsOutliveAGame(t *testing.T) {
	runtimeDir(t)
	p := connect(t, Options{})
	if e, _ := wire.Parse(p.rpc(`1`, "resources/subscribe", `{"uri":"ecs://log"}`)); e.Error != nil {
		t.Fatalf("before any game: %s", e.Error)
	}
	var not []int
	for range 2 {
		g := startGame(t, "alpha")
		e := find(t, "alpha", not...)
		not = append(not, e.PID)
		p.until("notifications/tools/list_changed")
		p.notes = nil
		// The bridge subscribes in its own time: until it has, nothing is heard.
		for !slices.Contains(p.notes, "notifications/resources/updated") {
			p.call("speak", `{}`)
		}
		g.Process.Kill()
		for len(p.names()) > 6 { // until the end is known
		}
		p.notes = nil
	}
	if e, _ := wire.Parse(p.rpc(`2`, "resources/unsubscribe", `{"uri":"ecs://log"}`)); e.Error != nil {
		t.Errorf("unsubscribe: %s", e.Error)
	}
}

func TestTwoGames(t *testing.T) {
	runtimeDir(t)
	startGame(t, "alpha")
	startGame(t, "beta")
	alpha, beta := find(t, "alpha"), find(t, "beta")
	p := connect(t, Options{})
	code, text := p.refused("ping", `{}`)
	if code != "no_session" || !strings.Contains(text, "alpha") || !strings.Contains(text, "beta") {
		t.Errorf("which of two: %s %s", code, text)
	}
	pid := func(arguments string) string {
		t.Helper()
		var r struct{ Build struct{ PID json.Number } }
		_ = json.Unmarshal(p.call("ping", arguments).StructuredContent, &r)
		return r.Build.PID.String()
	}
	for _, ref := range []string{"beta", fmt.Sprint(beta.PID), fmt.Sprint(beta.Port())} {
		if got := pid(fmt.Sprintf(`{"session":%q}`, ref)); got != fmt.Sprint(beta.PID) {
			t.Errorf("session %s reached %s", ref, got)
		}
	}
	if code, text := p.refused("ping", `{"session":"gamma"}`); code != "no_session" || !strings.Contains(text, "alpha") {
		t.Errorf("a session that there is not: %s %s", code, text)
	}
	if r := p.call("session_use", `{"id":"alpha"}`); !strings.Contains(string(r.StructuredContent), "This is alpha.") {
		t.Errorf("session_use: %s", r.StructuredContent)
	}
	if got := pid(`{}`); got != fmt.Sprint(alpha.PID) {
		t.Errorf("in use: %s", got)
	}
	if code, _ := p.refused("session_stop", `{}`); code != "not_supported" {
		t.Errorf("a game of somebody else's is stopped: %s", code)
	}
}

// TestTheSDKsClient: what an official client of the newest era makes of it.
func TestTheSDKsClient(t *testing.T) {
	runtimeDir(t)
	startGame(t, "alpha")
	find(t, "alpha")
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Run(context.Background(), inR, outW, Options{Version: "1"}); outW.Close() }()
	heard := make(chan string, 16)
	c := mcp.NewClient(&mcp.Implementation{Name: "sdk", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			select {
			case heard <- r.Params.URI:
			default:
			}
		},
	})
	s, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := s.InitializeResult().ProtocolVersion; v != wire.ModernVersion {
		t.Errorf("version %s", v)
	}
	n := 0
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.Name == "session_list" || tool.Name == "query" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d of two tools are listed", n)
	}
	for _, tool := range []string{"exact", "session_list"} {
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
		if err != nil || r.IsError {
			t.Errorf("%s: %+v %v", tool, r, err)
		}
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ecs://world"}); err != nil {
		t.Error(err)
	}
	if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "ecs://log"}); err != nil {
		t.Fatal(err)
	}
	for told := false; !told; {
		if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "speak"}); err != nil {
			t.Fatal(err)
		}
		select {
		case uri := <-heard:
			if told = true; uri != "ecs://log" {
				t.Errorf("heard of %s", uri)
			}
		default:
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	inW.Close()
	select {
	case <-done:
	case <-time.After(limit):
		t.Error("the bridge does not end")
	}
}
