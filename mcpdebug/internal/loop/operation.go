package loop

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// ErrCancelled is the cause of a call's context where its client has said that it
// does not want the answer any more; a client that is merely gone may come back
// and ask for the outcome of a call that it has named.
var ErrCancelled = errors.New("the client has cancelled the call")

// MaxOperation is how many bytes the name of an operation may have.
const MaxOperation = 64

// The outcome of an operation is kept for as long, and of so many.
const (
	operationsFor  = 10 * time.Minute
	operationsMost = 1000
)

// OperationState is what became of a call that its client has named.
type OperationState string

// The states of an operation.
const (
	OperationCommitted OperationState = "committed" // it was carried out and answered
	OperationRunning   OperationState = "running"
	OperationNotRun    OperationState = "not_run" // it was refused or given up, and changed nothing
	OperationUnknown   OperationState = "unknown" // nobody has named it, or it broke off
)

// operation is a call that its client has named: the same name a second time is
// the same call.
type operation struct {
	tool      string
	arguments []byte
	done      chan struct{} // closed when reply and ended are set
	reply     *tools.Reply
	ended     time.Time
}

func (o *operation) state() OperationState {
	select {
	case <-o.done:
	default:
		return OperationRunning
	}
	switch code, _ := CodeOf(o.reply); code {
	case "":
		return OperationCommitted
	case refusal.OutcomeUnknown, refusal.Panicked:
		return OperationUnknown
	}
	return OperationNotRun
}

// operations are the named calls, oldest first. Any goroutine.
type operations struct {
	mu    sync.Mutex
	byID  map[string]*operation
	order []string
}

// enter finds the operation of a name, or begins it with o. One that did not
// run may be begun again.
func (t *operations) enter(id string, o *operation) (first *operation, again bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget()
	if old := t.byID[id]; old != nil {
		if old.state() != OperationNotRun {
			return old, true
		}
		t.drop(id)
	}
	if t.byID == nil {
		t.byID = map[string]*operation{}
	}
	t.byID[id] = o
	t.order = append(t.order, id)
	return o, false
}

func (t *operations) find(id string) *operation {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget()
	return t.byID[id]
}

// forget drops what is too old or too much. One that runs stays.
func (t *operations) forget() {
	limit := time.Now().Add(-operationsFor)
	for len(t.order) > 0 {
		o := t.byID[t.order[0]]
		if o.state() == OperationRunning || len(t.order) < operationsMost && o.ended.After(limit) {
			return
		}
		t.drop(t.order[0])
	}
}

func (t *operations) drop(id string) {
	delete(t.byID, id)
	for i, x := range t.order {
		if x == id {
			t.order = append(t.order[:i:i], t.order[i+1:]...)
			return
		}
	}
}

// once runs a named call, or answers what the call of that name did. The call
// goes on when its client has gone in the middle of it, so that its outcome can
// be asked for; one that still waits for its turn does not run.
func (c *call) once() *tools.Reply {
	client := c.ctx
	o, again := c.l.named.enter(c.in.Operation, &operation{tool: c.in.Request.Name, arguments: bytes.Clone(c.in.Request.Arguments), done: make(chan struct{})})
	switch {
	case !again:
		in := *c.in
		in.End = nil // the client's context tells whether it is still there
		whole, stop := context.WithCancel(context.WithoutCancel(client))
		c.in, c.ctx = &in, whole
		context.AfterFunc(client, func() {
			if errors.Is(context.Cause(client), ErrCancelled) {
				stop() // the client does not want it: that is more than being gone
			}
		})
		go func() {
			defer stop()
			r := c.through(c.await)
			o.reply, o.ended = r, time.Now()
			close(o.done)
		}()
	case o.tool != c.in.Request.Name || !bytes.Equal(o.arguments, c.in.Request.Arguments):
		return c.refuse(&refusal.Error{Code: refusal.InvalidArguments, Got: c.in.Operation,
			Message: "this operation id names another call (" + o.tool + ", or other arguments): every call needs an id of its own",
			Hint:    "operation_info tells what became of it", Next: "operation_info"})
	}
	select {
	case <-o.done:
		return named(o.reply, again)
	case <-client.Done():
	}
	if !again && c.abandon() {
		c.l.queue.clean()
		c.answer(c.refuse(&refusal.Error{Code: refusal.Cancelled, Message: "the client has gone; the call did not run"}))
	}
	return c.refuse(&refusal.Error{Code: refusal.Cancelled, Message: "the client has gone",
		Hint: "operation_info tells what became of the call", Next: "operation_info"})
}

// named is the reply of an operation; repeated: it is that of an earlier call.
func named(r *tools.Reply, repeated bool) *tools.Reply {
	if !repeated {
		return r
	}
	c := *r
	c.Meta = maps.Clone(r.Meta)
	if c.Meta == nil {
		c.Meta = map[string]any{}
	}
	c.Meta["loupe/repeated"] = true
	return &c
}

// Operation tells what became of a named call; tool and reply are empty for one
// that nobody has named, reply while it runs. Any goroutine.
func (l *Loop) Operation(id string) (state OperationState, tool string, reply *tools.Reply) {
	o := l.named.find(id)
	if o == nil {
		return OperationUnknown, "", nil
	}
	if state = o.state(); state == OperationRunning {
		return state, o.tool, nil
	}
	return state, o.tool, o.reply
}
