package tasks

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// Status is where a task is.
type Status string

// The statuses that tasks here have.
const (
	Working   Status = "working"
	Completed Status = "completed" // with a result, be it a refusal
	Failed    Status = "failed"    // with an error of JSON-RPC
	Cancelled Status = "cancelled"
)

// Patience is how long a task that is cancelled has to end by itself.
const Patience = 500 * time.Millisecond

// tellEvery is the least time between two changes that watchers hear of, while a
// task works.
const tellEvery = 100 * time.Millisecond

// Task is one of them.
type Task struct {
	id      string
	cancel  func()
	created time.Time

	mu       sync.Mutex
	updated  time.Time
	over     time.Time // zero while it works
	status   Status
	message  string
	outcome  []byte // of a completed task its result, of a failed one its error
	stopping bool   // the client has cancelled it
	noticed  bool   // and the tool has asked
	told     time.Time
	watchers []*watcher
}

// ID names it to its client.
func (t *Task) ID() string { return t.id }

// Progress says how far it is.
func (t *Task) Progress(message string) {
	now := time.Now()
	t.mu.Lock()
	if t.status != Working || t.message == message {
		t.mu.Unlock()
		return
	}
	t.message, t.updated = message, now
	tell := now.Sub(t.told) >= tellEvery
	t.mu.Unlock()
	if tell {
		t.tell(now)
	}
}

// End gives its outcome. One that was cancelled and knew of it is cancelled,
// whatever it answers; message says more, "" nothing.
func (t *Task) End(status Status, outcome []byte, message string) {
	now := time.Now()
	t.mu.Lock()
	if t.status != Working {
		t.mu.Unlock()
		return
	}
	if t.stopping && t.noticed {
		status = Cancelled
	}
	if t.status, t.message = status, message; status != Cancelled {
		t.outcome = outcome
	}
	t.updated, t.over = now, now
	t.mu.Unlock()
	t.tell(now)
}

// Cancel asks it to end, and ends it by force when it has not heard.
func (t *Task) Cancel() {
	t.mu.Lock()
	first := t.status == Working && !t.stopping
	t.stopping = t.stopping || first
	t.mu.Unlock()
	if first {
		time.AfterFunc(Patience, func() {
			t.mu.Lock()
			t.noticed = true
			t.mu.Unlock()
			t.cancel()
		})
	}
}

// Stopping reports whether the task is to end. It is for who carries it out.
func (t *Task) Stopping() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.noticed = t.noticed || t.stopping
	return t.stopping
}

func (t *Task) ended() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.status != Working
}

func (t *Task) expired(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.status != Working && now.Sub(t.created) > TTL && now.Sub(t.over) > Kept
}

func (t *Task) watch(w *watcher) {
	t.mu.Lock()
	t.watchers = append(t.watchers, w)
	t.mu.Unlock()
	w.tell(t)
}

func (t *Task) unwatch(w *watcher) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.watchers = slices.DeleteFunc(t.watchers, func(x *watcher) bool { return x == w })
}

func (t *Task) tell(now time.Time) {
	t.mu.Lock()
	t.told = now
	list := slices.Clone(t.watchers)
	t.mu.Unlock()
	for _, w := range list {
		w.tell(t)
	}
}

// AppendNew appends the members of a task that has just begun.
func (t *Task) AppendNew(dst []byte) []byte {
	return t.append(dst, Working, "", t.created)
}

// Append appends the members of the task as it is, with its outcome.
func (t *Task) Append(dst []byte) []byte {
	t.mu.Lock()
	status, message, updated, outcome := t.status, t.message, t.updated, t.outcome
	t.mu.Unlock()
	dst = t.append(dst, status, message, updated)
	switch status {
	case Completed:
		dst = append(append(dst, `,"result":`...), outcome...)
	case Failed:
		dst = append(append(dst, `,"error":`...), outcome...)
	}
	return dst
}

func (t *Task) append(dst []byte, status Status, message string, updated time.Time) []byte {
	dst = rawjson.AppendString(append(dst, `"taskId":`...), t.id)
	dst = rawjson.AppendString(append(dst, `,"status":`...), string(status))
	if message != "" {
		dst = rawjson.AppendString(append(dst, `,"statusMessage":`...), message)
	}
	dst = rawjson.AppendString(append(dst, `,"createdAt":`...), iso(t.created))
	dst = rawjson.AppendString(append(dst, `,"lastUpdatedAt":`...), iso(updated))
	dst = strconv.AppendInt(append(dst, `,"ttlMs":`...), TTL.Milliseconds(), 10)
	return strconv.AppendInt(append(dst, `,"pollIntervalMs":`...), PollEvery.Milliseconds(), 10)
}

func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
