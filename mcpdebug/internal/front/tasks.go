package front

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/rawjson"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tasks"
	"github.com/loupe-ecs/loupe/tools"
)

// ExtensionTasks is the protocol's extension for calls that outlast their
// request.
const ExtensionTasks = "io.modelcontextprotocol/tasks"

// taskAfter is how long a call has to be answered as any other: a refusal, or
// work that is done at once, needs no task.
const taskAfter = 30 * time.Millisecond

// lasting reports whether a call is to become a task: the client knows what that
// is, and the tool says that such a call may last.
func (x *exchange) lasting(known *listing.Tool, p *callParams) bool {
	if !x.era.modern || !x.knows(x.e, ExtensionTasks, x.f.o.Extensions) {
		return false
	}
	arguments := p.arguments
	if known.Spec.Name == tools.CallName {
		name, _ := rawjson.Text(rawjson.Member(arguments, "tool"))
		var found bool
		if known, found = listing.Of(x.f.b.Registry()).Lookup(name); !found {
			return false
		}
		arguments = rawjson.Member(arguments, "arguments")
	}
	return known.Spec.Lasts != nil && known.Spec.Lasts(arguments)
}

// callTask begins a call as a task and answers with it. false: there are too many,
// and it is to be answered like any other.
func (x *exchange) callTask(known *listing.Tool, p *callParams) bool {
	f := x.f
	ctx, end := context.WithCancelCause(f.ctx)
	cancel := func() { end(loop.ErrCancelled) }
	t := f.tasks.Add(cancel)
	if t == nil {
		cancel()
		return false
	}
	info := &loop.Arrival{Request: tools.Request{Name: p.name, Arguments: p.arguments, Client: x.client}, Ticket: f.b.Ticket(), Tool: known,
		Operation: p.operation, Lasting: true, Stopping: t.Stopping, OnProgress: func(done, total float64, message string) {
			t.Progress(progressText(done, total, message))
		}}
	f.waiting.enter(info.Ticket)
	f.b.Connected(1)
	answered := make(chan []byte, 1)
	go func() {
		defer cancel()
		defer f.b.Connected(-1)
		r := f.b.Call(ctx, info)
		f.waiting.leave(info.Ticket)
		answer := appendReply(nil, x.e.id, r, x.era)
		if r.RPC != nil {
			t.End(tasks.Failed, rawjson.Member(answer, "error"), "")
		} else {
			hint, _ := rawjson.Text(rawjson.Member(r.Structured, "hint"))
			t.End(tasks.Completed, rawjson.Member(answer, "result"), hint)
		}
		answered <- answer
	}()
	soon := time.NewTimer(taskAfter)
	defer soon.Stop()
	select {
	case answer := <-answered:
		f.tasks.Drop(t)
		x.write(http.StatusOK, answer)
	case <-soon.C:
		dst := append(appendHead(x.buffer(), x.e.id), `,"result":{"resultType":"task",`...)
		dst = append(t.AppendNew(dst), `,"_meta":{`...)
		x.send(append(append(dst, x.era.serverInfo...), "}}}"...), nil)
	case <-x.r.Context().Done(): // nobody will ever ask for it
		t.Cancel()
	}
	return true
}

func progressText(done, total float64, message string) string {
	if total > 0 {
		return fmt.Sprintf("%.0f of %.0f %s", done, total, message)
	}
	return fmt.Sprintf("%.0f %s", done, message)
}

// taskMethod answers tasks/get, tasks/update and tasks/cancel.
func (f *Front) taskMethod(dst []byte, a *asker, e *envelope) ([]byte, *rpcError) {
	if failed := f.needsTasks(a, e); failed != nil {
		return dst, failed
	}
	id, ok := rawjson.Text(rawjson.Member(e.params, "taskId"))
	if !ok {
		return dst, rpcErrorf(codeParams, `"taskId" is missing`)
	}
	t := f.tasks.Find(id)
	if t == nil {
		return dst, rpcErrorf(codeParams, "unknown task %q: it never was, or it ended more than %v ago", clip(id), tasks.Kept)
	}
	dst = a.era.open(dst, e.id, false)
	switch e.method {
	case "tasks/get":
		dst = t.Append(dst)
	case "tasks/cancel":
		t.Cancel()
	case "tasks/update":
		// No task here asks anything: answers that come all the same change nothing.
	}
	return closeResult(dst), nil
}

// needsTasks refuses a client that has not declared the extension.
func (f *Front) needsTasks(a *asker, e *envelope) *rpcError {
	if a.knows(e, ExtensionTasks, f.o.Extensions) {
		return nil
	}
	failed := rpcErrorf(codeCapability, "%s needs the extension %s among the client's capabilities", clip(e.method), ExtensionTasks)
	failed.data = []byte(`{"requiredCapabilities":{"extensions":{"` + ExtensionTasks + `":{}}}}`)
	return failed
}

// metaSubscription is where a notification names the request whose stream it is on.
const metaSubscription = "io.modelcontextprotocol/subscriptionId"

// taskStream writes tasks to the stream of a subscription. Its watcher must not
// block: a goroutine of its own writes what each task is by then.
type taskStream struct {
	w    *writer
	id   []byte // of the request
	wake chan struct{}

	mu      sync.Mutex
	changed []*tasks.Task // each once, however slowly the client reads
}

func newTaskStream(w *writer, id []byte) *taskStream {
	return &taskStream{w: w, id: id, wake: make(chan struct{}, 1)}
}

func (s *taskStream) tell(t *tasks.Task) {
	s.mu.Lock()
	if !slices.Contains(s.changed, t) {
		s.changed = append(s.changed, t)
	}
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *taskStream) take() (changed []*tasks.Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed, s.changed = s.changed, nil
	return changed
}

// run ends with ctx, or when the client reads no more. quiet is when to say that
// the stream is still there.
func (s *taskStream) run(ctx context.Context, quiet <-chan time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-quiet:
			s.w.comment()
		case <-s.wake:
			for _, t := range s.take() {
				params := append(t.Append([]byte{'{'}), `,"_meta":{"`+metaSubscription+`":`...)
				params = append(append(params, s.id...), "}}"...)
				if s.w.event(notification("notifications/tasks", params)) != nil {
					return
				}
			}
		}
	}
}

// listenTasks serves a stream that tells of tasks alone.
func (f *Front) listenTasks(ctx context.Context, x *exchange, ids []string) {
	s := newTaskStream(x.w, x.e.id)
	x.w.beginStream()
	ack := append([]byte(`{"_meta":{"`+metaSubscription+`":`), x.e.id...)
	ack = rawjson.AppendStrings(append(ack, `},"notifications":{"taskIds":`...), f.tasks.Known(ids))
	if x.w.event(notification("notifications/subscriptions/acknowledged", append(ack, "}}"...))) != nil {
		return
	}
	stop := f.tasks.Watch(ids, s.tell)
	defer stop()
	quiet := time.NewTicker(f.o.KeepAlive)
	defer quiet.Stop()
	s.run(ctx, quiet.C)
}
