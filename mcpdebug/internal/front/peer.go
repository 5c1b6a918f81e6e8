//lint:file-ignore SA1019 The older eras have logging and sampling; their clients are served.

package front

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/internal/rawjson"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loupe-ecs/loupe/tools"
)

// peer is the SDK's half of a session: what needs a way from the server to the
// client (streams, questions, subscriptions). It is made when a client first
// needs it; most never do. Each session has an SDK server of its own, because
// one server notifies its sessions one after the other, and a client that does
// not read would hold the others up.
type peer struct {
	f         *Front
	server    *mcp.Server
	transport *mcp.StreamableServerTransport
	session   *mcp.ServerSession

	outbox chan *event

	mu   sync.Mutex
	asks map[string]*asking
}

// event is something that the server tells its clients unasked.
type event struct {
	tools, resources, prompts bool   // a list changed
	updated                   string // URI of a resource
	log                       []byte // params of notifications/message
}

// asking is an interactive call that runs inside the SDK.
type asking struct {
	run   func(sdk context.Context, s *mcp.ServerSession)
	final atomic.Pointer[[]byte] // the answer, once there is one
}

// relay is the one tool that the SDK knows: interactive calls go through it.
const relay = "loupe"

func (f *Front) newServer() *mcp.Server {
	ok := func(context.Context, *mcp.SubscribeRequest) error { return nil }
	return mcp.NewServer(&mcp.Implementation{Name: f.o.Name, Version: f.o.Version}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{
			Logging:   &mcp.LoggingCapabilities{},
			Tools:     &mcp.ToolCapabilities{ListChanged: true},
			Prompts:   &mcp.PromptCapabilities{ListChanged: true},
			Resources: &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
		},
		SubscribeHandler:   ok,
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
}

func newPeer(f *Front) *peer {
	p := &peer{f: f, server: f.newServer(), outbox: make(chan *event, 256), asks: map[string]*asking{}}
	p.server.AddTool(relayTool, p.relay)
	return p
}

var relayTool = &mcp.Tool{Name: relay, InputSchema: json.RawMessage(`{"type":"object"}`)}

// connected returns the session's peer, making it on the first need.
func (s *session) connected(f *Front) (*peer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.peer != nil {
		return s.peer, nil
	}
	if s.ctx.Err() != nil {
		return nil, errors.New("the session has ended")
	}
	var init mcp.InitializeParams
	if err := json.Unmarshal(s.init, &init); err != nil {
		return nil, err
	}
	init.ProtocolVersion = negotiate(init.ProtocolVersion)
	p := newPeer(f)
	p.transport = &mcp.StreamableServerTransport{SessionID: s.id}
	ss, err := p.server.Connect(s.ctx, p.transport, &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{
		InitializeParams:          &init,
		NegotiatedProtocolVersion: init.ProtocolVersion,
		InitializedParams:         &mcp.InitializedParams{},
		LogLevel:                  "debug", // the front has filtered already
	}})
	if err != nil {
		return nil, err
	}
	p.session, s.peer = ss, p
	return p, nil
}

// close ends the SDK's session. It may wait for handlers, whose contexts have
// ended; whatever ignores that is left behind.
func (p *peer) close() {
	if p.session == nil {
		return
	}
	ended := make(chan struct{})
	go func() { defer close(ended); p.session.Close() }()
	select {
	case <-ended:
	case <-time.After(10 * time.Millisecond):
	}
}

// post hands an event to the stream's worker, never blocking: a client that
// cannot keep up misses some.
func (p *peer) post(ev *event) {
	select {
	case p.outbox <- ev:
	default:
	}
}

// work sends the events for as long as a stream is open. It may block on the
// client, up to the write deadline.
func (p *peer) work(ctx context.Context, w *writer, s *session, from uint64) {
	quiet := time.NewTicker(p.f.o.KeepAlive)
	defer quiet.Stop()
	var logs <-chan time.Time
	var last uint64 // sent or passed over
	if p.f.o.Logs != nil && s != nil {
		every := time.NewTicker(p.f.o.LogEvery)
		defer every.Stop()
		logs = every.C
		last = from
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-quiet.C:
			w.comment()
		case <-logs:
			after := last
			if !s.leveled.Load() {
				after = math.MaxUint64
			}
			var records []LogRecord
			records, last = p.f.o.Logs(after, slog.Level(s.level.Load()))
			for _, r := range records {
				p.send(ctx, &event{log: logParams(r.Level, r.Logger, r.Data)})
			}
		case ev := <-p.outbox:
			p.send(ctx, ev)
		}
	}
}

func (p *peer) send(ctx context.Context, ev *event) {
	// The SDK announces a list when a feature of that kind is added, also again.
	if ev.tools {
		p.server.AddTool(relayTool, p.relay)
	}
	if ev.prompts {
		p.server.AddPrompt(&mcp.Prompt{Name: relay}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		})
	}
	if ev.resources {
		p.server.AddResource(&mcp.Resource{Name: relay, URI: "loupe:changed"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{}, nil
		})
	}
	if ev.updated != "" {
		p.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: ev.updated})
	}
	if ev.log != nil && p.session != nil {
		var params mcp.LoggingMessageParams
		if json.Unmarshal(ev.log, &params) == nil {
			p.session.Log(ctx, &params)
		}
	}
}

// get serves the stream on which a session hears what it did not ask for.
func (f *Front) get(w *writer, r *http.Request) {
	if _, streamOK := accepts(r.Header["Accept"]); !streamOK {
		f.fail(w, http.StatusNotAcceptable, nil, rpcErrorf(codeServer, "GET opens an event stream: send Accept: text/event-stream (people: this address is for an MCP client)"))
		return
	}
	id := r.Header.Get(headerSession)
	if id == "" {
		f.fail(w, http.StatusBadRequest, nil, rpcErrorf(codeInvalid, "GET opens a session's event stream: send its Mcp-Session-Id (initialize, by POST, gives one)"))
		return
	}
	s := f.sessions.get(id)
	if s == nil {
		f.noSession(w, nil)
		return
	}
	s.begin()
	defer s.done()
	f.announcer.baseline()
	p, err := s.connected(f)
	if err != nil {
		f.fail(w, http.StatusInternalServerError, nil, rpcErrorf(codeInternal, "the stream cannot be opened: %v", err))
		return
	}
	// From where on the log is sent is settled before anybody can see the
	// stream: what is logged once it is open is not passed over.
	var from uint64
	if f.o.Logs != nil {
		_, from = f.o.Logs(math.MaxUint64, 0)
	}
	if !s.streaming.CompareAndSwap(nil, p) {
		f.fail(w, http.StatusConflict, nil, rpcErrorf(codeServer, "the session has a stream open already"))
		return
	}
	defer s.streaming.Store(nil)
	ctx, cancel := f.streamContext(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	var worker sync.WaitGroup
	worker.Go(func() { p.work(ctx, w, s, from) })
	p.transport.ServeHTTP(&relayWriter{writer: w}, forwarded(r.WithContext(ctx), nil))
	cancel()
	worker.Wait()
}

// streamContext ends with the request and at the start of Close.
func (f *Front) streamContext(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	go func() {
		select {
		case <-f.quit:
			cancel()
		case <-f.b.Closed():
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// forwarded is r as the SDK gets it, with another body.
func forwarded(r *http.Request, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.Header.Del("Last-Event-Id") // nothing is kept for a replay
	if body != nil {
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
	}
	return r
}

// relayWriter is what the SDK writes to. Each of its writes is a whole event.
type relayWriter struct {
	*writer
	token []byte  // stands for an id of the client in what the SDK writes
	ask   *asking // has the answer that goes in place of the one with the token
	id    []byte  // what goes in place of the token itself
	// The SDK knows no tasks: what it acknowledges gets their ids, and then what
	// tells of them may begin.
	taskIDs      []string
	acknowledged func()
}

func (w *relayWriter) Header() http.Header         { return w.w.Header() }
func (w *relayWriter) Unwrap() http.ResponseWriter { return w.w }

func (w *relayWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.header(status)
}

func (w *relayWriter) header(status int) {
	if !w.wrote {
		w.wrote = true
		w.w.WriteHeader(status)
	}
}

func (w *relayWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.header(http.StatusOK)
	out := p
	if w.token != nil && bytes.Contains(p, w.token) {
		if w.id != nil {
			out = w.withTasks(bytes.ReplaceAll(p, w.token, w.id))
		} else if final := w.ask.final.Load(); final != nil {
			out = appendEvent(nil, *final)
		}
	}
	if _, err := w.writer.write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *relayWriter) withTasks(p []byte) []byte {
	if w.acknowledged == nil || !bytes.Contains(p, []byte(`"notifications/subscriptions/acknowledged"`)) {
		return p
	}
	w.acknowledged()
	w.acknowledged = nil
	return bytes.Replace(p, []byte(`"notifications":{`), append(rawjson.AppendStrings([]byte(`"notifications":{"taskIds":`), w.taskIDs), ','), 1)
}

func (w *relayWriter) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush()
}

func (w *relayWriter) Flush() { w.FlushError() }

// callInteractive has the SDK carry a call, so that its questions travel on the
// call's own stream and their answers find back. Ids of the client never reach
// the SDK: it would mangle some and take repeated ones for an error.
func (x *exchange) callInteractive(info *loop.Arrival, n *notifier) {
	f := x.f
	p, err := x.session.connected(f)
	if err != nil {
		n.finish()
		x.send(nil, rpcErrorf(codeInternal, "the client cannot be asked: %v", err))
		return
	}
	token := rand.Text()
	ask := &asking{}
	ask.run = func(sdk context.Context, ss *mcp.ServerSession) {
		info.Session = &questions{ss: ss, sdk: sdk}
		r := f.b.Call(x.ctx, info)
		n.finish()
		final := appendReply(nil, x.e.id, r, x.era)
		ask.final.Store(&final)
	}
	p.mu.Lock()
	p.asks[token] = ask
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.asks, token)
		p.mu.Unlock()
	}()
	w := &relayWriter{writer: x.w, token: []byte(token), ask: ask}
	body := `{"jsonrpc":"2.0","id":"` + token + `","method":"tools/call","params":{"name":"` + relay + `","arguments":{"call":"` + token + `"}}}`
	p.transport.ServeHTTP(w, forwarded(x.r, []byte(body)))
	n.finish()
}

// relay is the handler of the SDK's one tool.
func (p *peer) relay(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token, _ := rawjson.Text(rawjson.Member(req.Params.Arguments, "call"))
	p.mu.Lock()
	ask := p.asks[token]
	p.mu.Unlock()
	if ask != nil {
		ask.run(ctx, req.Session)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
}

// questions is the [tools.Session] of a client with a session.
type questions struct {
	ss  *mcp.ServerSession
	sdk context.Context // routes the question to the call's stream
}

var _ tools.Session = (*questions)(nil)

func (q *questions) Sample(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var p mcp.CreateMessageWithToolsParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	ctx, cancel := q.context(ctx)
	defer cancel()
	return encoded(q.ss.CreateMessageWithTools(ctx, &p))
}

func (q *questions) Elicit(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var p mcp.ElicitParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	ctx, cancel := q.context(ctx)
	defer cancel()
	return encoded(q.ss.Elicit(ctx, &p))
}

func encoded(result any, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

func (q *questions) context(ctx context.Context) (context.Context, context.CancelFunc) {
	both, cancel := context.WithCancel(q.sdk)
	stop := context.AfterFunc(ctx, cancel)
	return both, func() { stop(); cancel() }
}

// clientResponse takes a client's answer to a question.
func (x *exchange) clientResponse() {
	x.session.mu.Lock()
	p := x.session.peer
	x.session.mu.Unlock()
	if p == nil {
		x.w.w.WriteHeader(http.StatusAccepted) // nobody asked
		return
	}
	p.transport.ServeHTTP(&relayWriter{writer: x.w}, forwarded(x.r, x.body))
}
