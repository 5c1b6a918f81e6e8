package front

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/rawjson"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"

	"github.com/loupe-ecs/loupe/tools"
)

// metaOperation is where a client names a call, so that it can ask for its
// outcome, or send it again without it being done twice.
const metaOperation = "loupe/operation"

// callParams are the parts of tools/call's params, as they came.
type callParams struct {
	name      string
	arguments []byte
	progress  []byte // the progress token; nil: none
	logLevel  string // modern requests only
	caps      []byte // modern requests only
	responses []byte // answers to the questions of the round before
	state     string // what that round gave to send back
	operation string // the client's own name for the call
}

func parseCall(params []byte) (p callParams, failed *rpcError) {
	var name, meta []byte
	rawjson.Members(params, func(key, value []byte) {
		switch string(key) {
		case "name":
			name = value
		case "arguments":
			p.arguments = value
		case "_meta":
			meta = value
		case "inputResponses":
			p.responses = value
		case "requestState":
			p.state, _ = rawjson.Text(value)
		}
	})
	var ok bool
	if p.name, ok = rawjson.Text(name); !ok || p.name == "" {
		return p, rpcErrorf(codeParams, `"name" is missing: tools/list names the tools`)
	}
	switch {
	case p.arguments == nil, rawjson.IsNull(p.arguments):
		p.arguments = nil
	case !rawjson.IsObject(p.arguments) && p.arguments[0] != '"':
		return p, rpcErrorf(codeParams, `"arguments" must be an object, got %.40s`, p.arguments)
	}
	rawjson.Members(meta, func(key, value []byte) {
		switch string(key) {
		case "progressToken":
			if c := value[0]; c == '"' || c == '-' || '0' <= c && c <= '9' {
				p.progress = value
			}
		case metaLogLevel:
			p.logLevel, _ = rawjson.Text(value)
		case metaCapabilities:
			p.caps = value
		case metaOperation:
			if p.operation, ok = rawjson.Text(value); !ok || p.operation == "" || len(p.operation) > loop.MaxOperation {
				failed = rpcErrorf(codeParams, "_meta[%q] must be a string of 1 to %d bytes", metaOperation, loop.MaxOperation)
			}
		}
	})
	return p, failed
}

// callTool serves tools/call: the path that matters.
func (x *exchange) callTool() {
	f := x.f
	p, failed := parseCall(x.e.params)
	if failed != nil {
		x.send(nil, failed)
		return
	}
	known, found := listing.Of(f.b.Registry()).Lookup(p.name)
	if found && x.lasting(known, &p) && x.callTask(known, &p) {
		return
	}
	x.cancellable(func() {
		info := &loop.Arrival{Request: tools.Request{Name: p.name, Arguments: p.arguments, Client: x.client}, Ticket: x.ticket, End: x.cancel, Operation: p.operation}
		n := &notifier{f: f, w: x.w}
		if x.streamOK {
			x.wireNotifications(n, &p, info)
		}
		info.Tool = known // the one look-up of the call
		if found && !known.Spec.OffFrame {
			f.waiting.enter(info.Ticket)
			defer f.waiting.leave(info.Ticket)
			if n.token != nil {
				n.watch(f.o.WaitNotice, info.Ticket)
			}
		}
		var ask *replay
		if found && known.Spec.Interactive {
			switch {
			case x.era.modern:
				ask = newReplay(&p)
				info.Session = ask
			case x.session.canAsk && x.streamOK:
				x.callInteractive(info, n)
				return
			}
		}
		r := f.b.Call(x.ctx, info)
		n.finish()
		if ask != nil && ask.questions() {
			x.finish(n, http.StatusOK, ask.appendResult(x.buffer(), x.e.id, x.era))
			return
		}
		if ask != nil && r.IsError {
			if failed := ask.lacks(); failed != nil {
				x.finish(n, x.status(failed.code), appendError(x.buffer(), x.e.id, failed))
				return
			}
		}
		status := http.StatusOK
		if r.RPC != nil {
			status = x.status(r.RPC.Code)
		}
		x.finish(n, status, appendReply(x.buffer(), x.e.id, r, x.era))
	})
}

// finish sends the answer the way that is still open.
func (x *exchange) finish(n *notifier, status int, answer []byte) {
	if n.started {
		x.w.event(answer)
	} else {
		x.write(status, answer)
	}
	x.release(answer)
}

func (x *exchange) wireNotifications(n *notifier, p *callParams, info *loop.Arrival) {
	if n.token = p.progress; n.token != nil {
		info.OnProgress = n.progress
	}
	level := slog.LevelInfo // the server's choice as long as a session sets none
	switch {
	case x.era.modern:
		l, ok := parseLevel(p.logLevel)
		if !ok {
			return // modern clients opt in, request by request
		}
		level = l
	case x.session.leveled.Load():
		level = slog.Level(x.session.level.Load())
	}
	info.OnLog = func(l slog.Level, logger string, data any) {
		if l >= level {
			n.emit(notification("notifications/message", logParams(l, logger, data)))
		}
	}
}

// waiting is the set of calls on their way to the frame.
type waiting struct {
	mu      sync.Mutex
	tickets []uint64
}

func (q *waiting) enter(ticket uint64) {
	q.mu.Lock()
	q.tickets = append(q.tickets, ticket)
	q.mu.Unlock()
}

func (q *waiting) leave(ticket uint64) {
	q.mu.Lock()
	for i, t := range q.tickets {
		if t == ticket {
			last := len(q.tickets) - 1
			q.tickets[i] = q.tickets[last]
			q.tickets = q.tickets[:last]
			break
		}
	}
	q.mu.Unlock()
}

// ahead counts the calls before one.
func (q *waiting) ahead(ticket uint64) (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.tickets {
		if t < ticket {
			n++
		}
	}
	return n
}

// notifier sends notifications on a call's own stream. emit never blocks: a
// goroutine of its own writes, begun by the first notification, so that a call
// without any costs nothing and is answered as plain JSON.
type notifier struct {
	f     *Front
	w     *writer
	token []byte

	mu      sync.Mutex
	queue   [][]byte
	last    float64     // progress sent last; it must increase
	sent    time.Time   // when
	first   int         // how many of the first have gone at once
	unsent  []byte      // progress that came too soon after
	flush   *time.Timer // sends it
	closed  bool
	started bool // the stream is begun
	wake    chan struct{}
	gone    chan struct{}
	timer   *time.Timer

	reported bool // there was progress
	spoke    bool // by the tool itself
}

// maxPending bounds what a client that reads slowly can pile up; what is
// dropped is the oldest.
const maxPending = 64

func (n *notifier) emit(message []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.emitLocked(message)
}

func (n *notifier) emitLocked(message []byte) {
	if n.closed {
		return
	}
	if len(n.queue) >= maxPending {
		n.queue = append(n.queue[:0], n.queue[1:]...)
	}
	n.queue = append(n.queue, message)
	if !n.started {
		n.started = true
		n.wake, n.gone = make(chan struct{}, 1), make(chan struct{})
		go n.run()
	}
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *notifier) run() {
	defer close(n.gone)
	for {
		n.mu.Lock()
		batch, closed := n.queue, n.closed
		n.queue = nil
		n.mu.Unlock()
		for _, m := range batch {
			if n.w.event(m) != nil {
				break
			}
		}
		if closed {
			return
		}
		<-n.wake
	}
}

// finish sends what is pending and ends; nothing is emitted afterwards.
func (n *notifier) finish() {
	n.mu.Lock()
	n.flushLocked()
	n.closed = true
	if n.timer != nil {
		n.timer.Stop()
	}
	started := n.started
	n.mu.Unlock()
	if started {
		select {
		case n.wake <- struct{}{}:
		default:
		}
		<-n.gone
	}
}

func (n *notifier) progress(done, total float64, message string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.spoke = true
	n.progressLocked(done, total, message)
}

func (n *notifier) progressLocked(done, total float64, message string) {
	if math.IsNaN(done) || math.IsInf(done, 0) {
		return
	}
	if n.reported && done <= n.last {
		return
	}
	n.reported, n.last = true, done
	dst := append([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`), n.token...)
	dst = strconv.AppendFloat(append(dst, `,"progress":`...), done, 'g', -1, 64)
	if total > 0 && !math.IsInf(total, 0) {
		dst = strconv.AppendFloat(append(dst, `,"total":`...), total, 'g', -1, 64)
	}
	if message != "" {
		dst = rawjson.AppendString(append(dst, `,"message":`...), message)
	}
	dst = append(dst, "}}"...)
	// What comes faster than a client can use is summed up: the newest counts.
	// The first few go at once: short work has no more.
	wait := progressEvery - time.Since(n.sent)
	switch {
	case n.first < progressFirst || wait <= 0:
		n.first++
		n.unsent = dst
		n.flushLocked()
	case n.unsent == nil:
		n.unsent = dst
		n.flush = time.AfterFunc(wait, func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.flushLocked()
		})
	default:
		n.unsent = dst
	}
}

// progressEvery is the least time between two notifications of progress.
// The first few of a call are sent as they come.
const (
	progressEvery = 100 * time.Millisecond
	progressFirst = 4
)

func (n *notifier) flushLocked() {
	if n.flush != nil {
		n.flush.Stop()
	}
	if n.unsent != nil {
		n.sent = time.Now()
		n.emitLocked(n.unsent)
		n.unsent = nil
	}
}

// watch tells the client its place in the queue from time to time, until the
// tool reports progress of its own.
func (n *notifier) watch(every time.Duration, ticket uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.timer = time.AfterFunc(every, func() {
		ahead := n.f.waiting.ahead(ticket)
		state := n.f.b.Status().State
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.closed || n.spoke {
			return
		}
		// Values too small to get in the way of the tool's own.
		n.progressLocked(n.last+1e-6, 0, fmt.Sprintf("waiting for a frame: place %d in the queue, the game is %s", ahead+1, state))
		n.timer.Reset(every)
	})
}

func notification(method string, params []byte) []byte {
	dst := rawjson.AppendString([]byte(`{"jsonrpc":"2.0","method":`), method)
	return append(append(append(dst, `,"params":`...), params...), '}')
}

// logParams encodes at once: data may be memory that the game goes on changing.
func logParams(level slog.Level, logger string, data any) []byte {
	dst := rawjson.AppendString([]byte(`{"level":`), levelName(level))
	if logger != "" {
		dst = rawjson.AppendString(append(dst, `,"logger":`...), logger)
	}
	dst = append(dst, `,"data":`...)
	switch v := data.(type) {
	case string:
		dst = rawjson.AppendString(dst, v)
	case json.RawMessage:
		dst = append(dst, v...)
	default:
		b, err := json.Marshal(v)
		if err != nil {
			b = rawjson.AppendString(nil, fmt.Sprint(v))
		}
		dst = append(dst, b...)
	}
	return append(dst, '}')
}
