package front

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/internal/rawjson"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
)

// Path is where a Front with a port of its own answers.
const Path = "/mcp"

// route is the handler of the Front's own port: there is nothing but [Path].
// Clients look for other documents (/.well-known/..., /register) to find out
// whether they must authorize elsewhere; 404 says that they need not.
func (f *Front) route(w http.ResponseWriter, r *http.Request) {
	f.serve(w, r, r.URL.Path == Path || r.URL.Path == Path+"/")
}

// ServeHTTP answers one request. It may be mounted on any path.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.serve(w, r, true) }

func (f *Front) serve(w http.ResponseWriter, r *http.Request, here bool) {
	f.active.Add(1)
	defer f.active.Add(-1)
	rw := &writer{w: w, rc: http.NewResponseController(w), d: f.o.WriteTimeout}
	// The deadline of the connection's last answer may have passed since.
	rw.rc.SetWriteDeadline(time.Time{})
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			f.b.Logger().Error("panic while answering", "panic", p, "stack", string(debug.Stack()))
			f.fail(rw, http.StatusInternalServerError, nil, rpcErrorf(codeInternal, "the server panicked: %v", p))
		}
	}()
	select {
	case <-f.quit:
		f.fail(rw, http.StatusServiceUnavailable, nil, rpcErrorf(codeServer, "the server is closed"))
		return
	default:
	}
	if d := f.guard.check(r, here); d != nil {
		if d.status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="loupe"`)
		}
		f.refusals.log(f, d, r.RemoteAddr)
		rw.json(d.status, d.body())
		return
	}
	if !here && r.URL.Path == "/" && f.o.Page != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		f.o.Page(w, r)
		return
	}
	if !here {
		f.fail(rw, http.StatusNotFound, nil, rpcErrorf(codeServer, "nothing is at %s: the address is %s", clip(r.URL.Path), Path))
		return
	}
	if f.guard.listed(r.Header) {
		// Only listed origins: their pages could not read an answer otherwise.
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
		h.Set("Access-Control-Expose-Headers", headerSession)
		h.Set("Vary", "Origin")
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
			h.Set("Access-Control-Allow-Headers", "Content-Type, Accept, Authorization, "+strings.Join([]string{headerVersion, headerSession, headerMethod, headerName}, ", "))
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	version := first(r.Header, headerVersion)
	modern := version == modernVersion
	if version != "" && !modern && !slices.Contains(sessionVersions, version) {
		e := rpcErrorf(codeUnsupported, "protocol version %q is not supported", clip(version))
		e.data = append(rawjson.AppendString(append(rawjson.AppendStrings([]byte(`{"supported":`), allVersions), `,"requested":`...), clip(version)), '}')
		f.fail(rw, http.StatusBadRequest, f.idOf(r), e)
		return
	}
	switch {
	case r.Method == http.MethodPost:
		f.post(rw, r, modern)
	case r.Method == http.MethodGet && !modern:
		f.get(rw, r)
	case r.Method == http.MethodDelete && !modern:
		f.delete(rw, r)
	default:
		allow := "GET, POST, DELETE"
		if modern {
			allow = "POST"
		}
		w.Header().Set("Allow", allow)
		f.fail(rw, http.StatusMethodNotAllowed, nil, rpcErrorf(codeServer, "method %s is not allowed here: %s are", clip(r.Method), allow))
	}
}

// first is Header.Get of a canonical name.
func first(h http.Header, name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// idOf reads the body of a request that is refused anyway, so that the refusal
// carries the id.
func (f *Front) idOf(r *http.Request) []byte {
	if r.Method != http.MethodPost {
		return nil
	}
	body, failed, _ := f.body(r)
	if failed != nil {
		return nil
	}
	e, _ := parseEnvelope(body)
	return e.id
}

func (f *Front) body(r *http.Request) (body []byte, failed *rpcError, status int) {
	tooLarge := func() ([]byte, *rpcError, int) {
		return nil, rpcErrorf(codeServer, "the request body is larger than %d bytes", f.o.MaxBody), http.StatusRequestEntityTooLarge
	}
	if r.ContentLength > f.o.MaxBody {
		return tooLarge()
	}
	if r.ContentLength >= 0 {
		// Not from a pool: a call that timed out may still hold its arguments.
		// And not whole at once: a header alone must not cost 4 MiB.
		body = make([]byte, 0, min(r.ContentLength+1, 64<<10))
	}
	limited := io.LimitReader(r.Body, f.o.MaxBody+1)
	for {
		if len(body) == cap(body) {
			body = slices.Grow(body, max(512, len(body)))
		}
		n, err := limited.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if int64(len(body)) > f.o.MaxBody {
			return tooLarge()
		}
		if errors.Is(err, io.EOF) {
			return body, nil, 0
		}
		if err != nil {
			return nil, rpcErrorf(codeInvalid, "the request body could not be read: %v", err), http.StatusBadRequest
		}
	}
}

func (f *Front) post(w *writer, r *http.Request, modern bool) {
	jsonOK, streamOK := accepts(r.Header["Accept"])
	if !jsonOK && !streamOK {
		f.fail(w, http.StatusNotAcceptable, nil, rpcErrorf(codeServer, "answers are application/json or text/event-stream, and Accept takes neither"))
		return
	}
	body, failed, status := f.body(r)
	if failed != nil {
		if status == http.StatusRequestEntityTooLarge {
			w.w.Header().Set("Connection", "close")
		}
		f.fail(w, status, nil, failed)
		return
	}
	if i := rawjson.SkipSpace(body, 0); i < len(body) && body[i] == '[' && !modern {
		f.batch(w, r, body, jsonOK)
		return
	}
	e, failed := parseEnvelope(body)
	if failed != nil {
		f.fail(w, http.StatusBadRequest, e.id, failed)
		return
	}
	x := &exchange{f: f, w: w, r: r, e: &e, body: body, jsonOK: jsonOK, streamOK: streamOK}
	x.asker = asker{ctx: r.Context(), era: f.legacy}
	if r.URL.RawQuery != "" {
		x.asker.query = r.URL.Query()
	}
	if modern {
		x.modern()
	} else {
		x.legacy()
	}
}

// exchange is one POST on its way.
type exchange struct {
	f    *Front
	w    *writer
	r    *http.Request
	e    *envelope
	body []byte
	asker
	cancel           context.CancelFunc // of asker.ctx, while cancellable runs
	jsonOK, streamOK bool
}

// legacy serves the eras with sessions.
func (x *exchange) legacy() {
	f, e := x.f, x.e
	if v, _ := rawjson.Text(rawjson.Member(rawjson.Member(e.params, "_meta"), metaVersion)); v >= modernVersion || e.method == "server/discover" {
		f.fail(x.w, http.StatusBadRequest, e.id, rpcErrorf(codeHeader, "a request of protocol version %s needs the header MCP-Protocol-Version", modernVersion))
		return
	}
	if e.method == "initialize" && e.id != nil {
		x.initialize()
		return
	}
	id := first(x.r.Header, headerSession)
	if id == "" {
		if e.method == "ping" && e.id != nil {
			x.send(f.answer(nil, &x.asker, e))
			return
		}
		f.fail(x.w, http.StatusBadRequest, e.id, rpcErrorf(codeInvalid,
			"no session: call initialize first and send the Mcp-Session-Id of its answer with every request (clients of %s need none)", modernVersion))
		return
	}
	s := f.sessions.get(id)
	if s == nil {
		f.noSession(x.w, e.id)
		return
	}
	s.begin()
	defer s.done()
	x.session, x.client = s, s.client
	switch {
	case e.response:
		x.clientResponse()
	case e.id == nil:
		if e.method == "notifications/cancelled" {
			s.cancelCall(rawjson.Member(e.params, "requestId"))
		}
		x.w.w.WriteHeader(http.StatusAccepted)
	case e.method == "tools/call":
		x.callTool()
	case e.method == "resources/read":
		x.cancellable(func() { x.send(f.answer(x.buffer(), &x.asker, e)) })
	case e.method == "resources/subscribe", e.method == "resources/unsubscribe":
		x.subscribe()
	default:
		x.send(f.answer(x.buffer(), &x.asker, e))
	}
}

func (f *Front) noSession(w *writer, id []byte) {
	f.fail(w, http.StatusNotFound, id, rpcErrorf(codeNoSession, "unknown session: it ended, or the game was started again. Call initialize for a new one"))
}

func (x *exchange) initialize() {
	f := x.f
	if _, ok := rawjson.Text(rawjson.Member(x.e.params, "protocolVersion")); !ok {
		x.send(nil, rpcErrorf(codeParams, `"protocolVersion" is missing: one of %s`, strings.Join(sessionVersions, ", ")))
		return
	}
	if n := len(x.e.params); n > maxInit {
		x.send(nil, rpcErrorf(codeParams, "the parameters of initialize have %d bytes: at most %d are kept for a session", n, maxInit))
		return
	}
	s := f.sessions.create(x.e.params)
	if s == nil {
		f.fail(x.w, http.StatusServiceUnavailable, x.e.id, rpcErrorf(codeServer,
			"all %d sessions are in use: close one (DELETE with its Mcp-Session-Id), or wait a few seconds", f.o.MaxSessions))
		return
	}
	x.w.w.Header()[headerSession] = []string{s.id}
	x.send(f.initialize(x.buffer(), x.e), nil)
}

// cancellable runs a request whose id notifications/cancelled may name. DELETE
// and the expiry of its session end it too.
func (x *exchange) cancellable(run func()) {
	ctx, end := context.WithCancelCause(x.r.Context())
	cancel := func() { end(nil) }
	defer cancel()
	x.asker.ctx, x.cancel = ctx, cancel
	x.ticket = x.f.b.Ticket()
	if x.session != nil {
		c := &inflight{id: x.e.id, cancel: func() { end(loop.ErrCancelled) }}
		x.session.track(c)
		defer x.session.untrack(c)
	}
	run()
}

func (f *Front) delete(w *writer, r *http.Request) {
	id := r.Header.Get(headerSession)
	switch {
	case id == "":
		f.fail(w, http.StatusBadRequest, nil, rpcErrorf(codeInvalid, "DELETE ends a session: send its Mcp-Session-Id"))
	case !f.sessions.remove(id):
		f.noSession(w, nil)
	default:
		w.w.WriteHeader(http.StatusNoContent)
	}
}

// send writes an answer, or the error that came instead.
func (x *exchange) send(answer []byte, failed *rpcError) {
	status := http.StatusOK
	if failed != nil {
		answer = appendError(answer[:0], x.e.id, failed)
		status = x.status(failed.code)
	}
	x.write(status, answer)
	x.release(answer)
}

// status is the HTTP status of a JSON-RPC error: the older eras get every
// answered request as 200.
func (x *exchange) status(code int) int {
	if !x.era.modern {
		return http.StatusOK
	}
	switch code {
	case codeNoMethod:
		return http.StatusNotFound
	case codeParams, codeHeader, codeCapability, codeUnsupported, codeInvalid:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// write sends the one answer as JSON, or as the only event of a stream to a
// client that takes nothing else.
func (x *exchange) write(status int, answer []byte) {
	if x.jsonOK || status != http.StatusOK {
		x.w.json(status, answer)
		return
	}
	x.w.beginStream()
	x.w.event(answer)
}

// fail answers outside of any era: JSON with a status that says it failed.
func (f *Front) fail(w *writer, status int, id []byte, e *rpcError) {
	w.json(status, appendError(nil, id, e))
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4096); return &b }}

func (x *exchange) buffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

// release gives an answer's buffer back; huge ones are left to the collector.
func (x *exchange) release(b []byte) {
	if c := cap(b); c >= 4096 && c <= 1<<20 {
		buffers.Put(&b)
	}
}

// accepts reads the Accept header; without one everything is taken.
func accepts(values []string) (jsonOK, streamOK bool) {
	if len(values) == 0 {
		return true, true
	}
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			media, _, _ := strings.Cut(part, ";")
			media = strings.TrimSpace(media)
			switch {
			case media == "*/*":
				jsonOK, streamOK = true, true
			case strings.EqualFold(media, "application/json"), strings.EqualFold(media, "application/*"):
				jsonOK = true
			case strings.EqualFold(media, "text/event-stream"), strings.EqualFold(media, "text/*"):
				streamOK = true
			}
		}
	}
	return jsonOK, streamOK
}
