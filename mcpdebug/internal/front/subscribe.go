package front

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/rawjson"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loupe-ecs/loupe/tools"
)

// subscribe serves resources/subscribe and unsubscribe: the SDK keeps the
// subscription, the front answers.
func (x *exchange) subscribe() {
	uri, ok := rawjson.Text(rawjson.Member(x.e.params, "uri"))
	if !ok {
		x.send(nil, rpcErrorf(codeParams, `"uri" is missing`))
		return
	}
	on := x.e.method == "resources/subscribe"
	if err := x.f.canSubscribe(uri); on && err != nil {
		x.send(nil, refusedError(err))
		return
	}
	s := x.session
	p, err := s.connected(x.f)
	if err != nil {
		x.send(nil, rpcErrorf(codeInternal, "%v", err))
		return
	}
	s.mu.Lock()
	full := on && !s.subs[uri] && len(s.subs) >= maxSubscriptions
	s.mu.Unlock()
	if full {
		x.send(nil, rpcErrorf(codeServer, "a session has at most %d subscriptions", maxSubscriptions))
		return
	}
	body := rawjson.AppendString([]byte(`{"jsonrpc":"2.0","id":"`+rand.Text()+`","method":"`+x.e.method+`","params":{"uri":`), uri)
	answer := &recorder{header: http.Header{}}
	p.transport.ServeHTTP(answer, forwarded(x.r, append(body, "}}"...)))
	if answer.status != http.StatusOK || !bytes.Contains(answer.body.Bytes(), []byte(`"result":`)) {
		x.send(nil, rpcErrorf(codeInternal, "%s failed", x.e.method))
		return
	}
	s.mu.Lock()
	if on {
		s.subs[uri] = true
	} else {
		delete(s.subs, uri)
	}
	s.mu.Unlock()
	x.send(append(appendHead(x.buffer(), x.e.id), `,"result":{}}`...), nil)
}

const maxSubscriptions = 256

// recorder keeps what the SDK answers.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}
func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(p)
}

// listens are the open streams of subscriptions/listen.
type listens struct {
	once    sync.Once
	handler *mcp.StreamableHTTPHandler
	mu      sync.Mutex
	all     map[*peer][]string // and the URIs that it subscribed to
}

type peerKey struct{}

// listen serves a modern client's stream of notifications; the SDK knows what
// it subscribed to.
func (f *Front) listen(x *exchange) {
	if !x.streamOK {
		f.fail(x.w, http.StatusNotAcceptable, x.e.id, rpcErrorf(codeServer, "subscriptions/listen answers an event stream: Accept must take text/event-stream"))
		return
	}
	var wanted struct {
		Notifications struct {
			ResourceSubscriptions []string `json:"resourceSubscriptions"`
			TaskIDs               []string `json:"taskIds"`
			Tools                 bool     `json:"toolsListChanged"`
			Prompts               bool     `json:"promptsListChanged"`
			Resources             bool     `json:"resourcesListChanged"`
		} `json:"notifications"`
	}
	_ = json.Unmarshal(x.e.params, &wanted) // the SDK refuses what is malformed
	uris, ids := wanted.Notifications.ResourceSubscriptions, wanted.Notifications.TaskIDs
	if len(ids) > 0 {
		if failed := f.needsTasks(&x.asker, x.e); failed != nil {
			x.send(nil, failed)
			return
		}
	}
	if len(uris)+len(ids) > maxSubscriptions {
		x.send(nil, rpcErrorf(codeServer, "a stream has at most %d subscriptions", maxSubscriptions))
		return
	}
	for _, uri := range uris {
		if err := f.canSubscribe(uri); err != nil {
			x.send(nil, refusedError(err))
			return
		}
	}
	l := &f.listens
	l.once.Do(func() {
		l.handler = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
			return r.Context().Value(peerKey{}).(*peer).server
		}, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: f.o.MaxBody})
	})
	f.announcer.baseline()
	p := newPeer(f)
	l.mu.Lock()
	full := len(l.all) >= f.o.MaxStreams
	if !full {
		l.all[p] = uris
	}
	l.mu.Unlock()
	if full {
		f.fail(x.w, http.StatusServiceUnavailable, x.e.id, rpcErrorf(codeServer, "all %d subscription streams are in use", f.o.MaxStreams))
		return
	}
	defer func() {
		l.mu.Lock()
		delete(l.all, p)
		l.mu.Unlock()
	}()
	f.b.Connected(1)
	defer f.b.Connected(-1)
	ctx, cancel := f.streamContext(context.WithValue(x.r.Context(), peerKey{}, p))
	defer cancel()
	if n := wanted.Notifications; len(ids) > 0 && len(uris) == 0 && !n.Tools && !n.Prompts && !n.Resources {
		f.listenTasks(ctx, x, ids)
		return
	}
	id := rand.Text()
	body := append([]byte(`{"jsonrpc":"2.0","id":"`+id+`","method":"subscriptions/listen","params":`), x.e.params...)
	r := forwarded(x.r.WithContext(ctx), append(body, '}'))
	r.Header["Accept"] = []string{"application/json, text/event-stream"}
	var worker sync.WaitGroup
	worker.Go(func() { p.work(ctx, x.w, nil, 0) })
	relay := &relayWriter{writer: x.w, token: []byte(`"` + id + `"`), id: x.e.id}
	if len(ids) > 0 {
		s := newTaskStream(x.w, x.e.id)
		relay.acknowledged = func() {
			worker.Go(func() {
				defer f.tasks.Watch(ids, s.tell)()
				s.run(ctx, nil)
			})
		}
		relay.taskIDs = f.tasks.Known(ids)
	}
	l.handler.ServeHTTP(relay, r)
	cancel()
	worker.Wait()
}

// announcer turns a burst of changes into one announcement: it is made a fixed
// time after the first change, so that changes which never stop cannot put it
// off.
type announcer struct {
	f       *Front
	mu      sync.Mutex
	timer   *time.Timer
	over    bool
	tools   bool
	updated map[string]bool
	told    toldOf
	listed  []*listing.Tool
	stops   []func()
}

func (a *announcer) init(f *Front) {
	a.f = f
	a.told = a.documents()
	a.updated = map[string]bool{}
	reg := f.b.Registry()
	a.stops = append(a.stops, reg.Watch(func() { a.change(true, "") }), reg.WatchUpdates(func(uri string) { a.change(false, uri) }))
}

// toldOf are the resources and prompts that clients have been told of.
type toldOf struct {
	resources []*tools.RegisteredResource
	prompts   []*tools.Prompt
}

func (a *announcer) documents() toldOf {
	r := a.f.b.Registry()
	return toldOf{r.Resources(), r.Prompts()}
}

// relist tells whether the listing is another than at the last announcement:
// whoever reports a change need not know whether it shows.
func (a *announcer) relist() bool {
	now := a.f.listed()
	same := func(x, y *listing.Tool) bool { return x == y || bytes.Equal(x.Entry(true, true), y.Entry(true, true)) }
	if a.listed != nil && slices.EqualFunc(a.listed, now, same) {
		return false
	}
	a.listed = now
	return true
}

// baseline notes what is listed when the first client begins to listen.
func (a *announcer) baseline() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listed == nil {
		a.listed = a.f.listed()
	}
}

func (a *announcer) change(list bool, uri string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return
	}
	a.tools = a.tools || list
	if uri != "" {
		a.updated[uri] = true
	}
	if a.timer == nil {
		a.timer = time.AfterFunc(a.f.o.Burst, a.announce)
	}
}

func (a *announcer) announce() {
	a.mu.Lock()
	a.timer = nil
	now := a.documents()
	ev := &event{tools: a.tools && a.relist(), resources: !slices.Equal(now.resources, a.told.resources), prompts: !slices.Equal(now.prompts, a.told.prompts)}
	updated := a.updated
	a.told, a.tools, a.updated = now, false, map[string]bool{}
	over := a.over
	a.mu.Unlock()
	if over {
		return
	}
	tell := func(p *peer, wants func(string) bool) {
		if ev.tools || ev.resources || ev.prompts {
			p.post(ev)
		}
		for uri := range updated {
			if wants(uri) {
				p.post(&event{updated: uri})
			}
		}
	}
	a.f.sessions.each(func(s *session) {
		if p := s.streaming.Load(); p != nil {
			tell(p, s.subscribed)
		}
	})
	a.f.listens.mu.Lock()
	defer a.f.listens.mu.Unlock()
	for p := range a.f.listens.all {
		tell(p, func(string) bool { return true })
	}
}

func (a *announcer) stop() {
	a.mu.Lock()
	a.over = true
	if a.timer != nil {
		a.timer.Stop()
	}
	stops := a.stops
	a.mu.Unlock()
	for _, s := range stops {
		s()
	}
}
