package front

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// session is what a client of the session eras has between its requests.
type session struct {
	id      string
	version string // of the protocol
	client  string // for logs: name, version and the head of the id
	init    json.RawMessage
	canAsk  bool // it declared sampling or elicitation
	ctx     context.Context
	end     context.CancelFunc
	last    atomic.Int64 // unix nanoseconds of the last request
	active  atomic.Int64 // requests and streams under way
	level   atomic.Int64 // lowest log level wanted
	leveled atomic.Bool  // logging/setLevel was called

	streaming atomic.Pointer[peer] // set while a GET stream is open

	mu    sync.Mutex
	calls []*inflight
	ended bool // close was called: calls that come now are cancelled
	subs  map[string]bool
	peer  *peer // the SDK's half; made when first needed
}

// inflight is a call that can be cancelled by its id.
type inflight struct {
	id     []byte
	cancel context.CancelFunc
}

func (s *session) begin() { s.active.Add(1) }

func (s *session) done() {
	s.last.Store(time.Now().UnixNano())
	s.active.Add(-1)
}

func (s *session) track(c *inflight) {
	s.mu.Lock()
	s.calls = append(s.calls, c)
	ended := s.ended
	s.mu.Unlock()
	if ended {
		c.cancel()
	}
}

func (s *session) untrack(c *inflight) {
	s.mu.Lock()
	for i, x := range s.calls {
		if x == c {
			last := len(s.calls) - 1
			s.calls[i] = s.calls[last]
			s.calls[last] = nil
			s.calls = s.calls[:last]
			break
		}
	}
	s.mu.Unlock()
}

// cancelCall cancels the calls with an id; there are several only if the
// client used it several times.
func (s *session) cancelCall(id []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if bytes.Equal(c.id, id) {
			c.cancel()
		}
	}
}

func (s *session) subscribed(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.subs[uri]
}

// close ends everything of the session; its id is unknown afterwards.
func (s *session) close() {
	s.end()
	s.mu.Lock()
	s.ended = true
	for _, c := range s.calls {
		c.cancel()
	}
	p := s.peer
	s.peer = nil
	s.mu.Unlock()
	if p != nil {
		p.close()
	}
}

// sessions is the table of sessions: bounded, and idle ones expire.
type sessions struct {
	f     *Front
	mu    sync.RWMutex
	byID  map[string]*session
	sweep *time.Timer
	over  bool
}

func (t *sessions) init(f *Front) { t.f, t.byID = f, map[string]*session{} }

func (t *sessions) get(id string) *session {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.byID[id]
}

func (t *sessions) len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.byID)
}

func (t *sessions) each(f func(*session)) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, s := range t.byID {
		f(s)
	}
}

// maxInit bounds what each session keeps of its initialize.
const maxInit = 64 << 10

// evictable is how long a session must have been idle to make room for a new
// one when the table is full.
const evictable = 10 * time.Second

// create makes a session of initialize's params. Nil: the table is full of
// sessions in use.
func (t *sessions) create(params []byte) *session {
	s := &session{id: rand.Text(), init: bytes.Clone(params), subs: map[string]bool{}}
	s.ctx, s.end = context.WithCancel(t.f.ctx)
	asked, _ := rawjson.Text(rawjson.Member(params, "protocolVersion"))
	s.version = negotiate(asked)
	info := rawjson.Member(params, "clientInfo")
	name, _ := rawjson.Text(rawjson.Member(info, "name"))
	version, _ := rawjson.Text(rawjson.Member(info, "version"))
	s.client = clip(name+"/"+version) + " " + s.id[:6]
	caps := rawjson.Member(params, "capabilities")
	s.canAsk = rawjson.Member(caps, "sampling") != nil || rawjson.Member(caps, "elicitation") != nil
	s.last.Store(time.Now().UnixNano())

	var evicted *session
	t.mu.Lock()
	if len(t.byID) >= t.f.o.MaxSessions {
		evicted = t.longestIdle(evictable)
		if evicted != nil {
			delete(t.byID, evicted.id)
		}
	}
	if t.over || len(t.byID) >= t.f.o.MaxSessions {
		t.mu.Unlock()
		s.end()
		return nil
	}
	t.byID[s.id] = s
	if t.sweep == nil {
		t.sweep = time.AfterFunc(t.sweepEvery(), t.expire)
	}
	t.mu.Unlock()
	if evicted != nil {
		t.f.b.Connected(-1)
		evicted.close()
	}
	t.f.b.Connected(1)
	return s
}

func (t *sessions) sweepEvery() time.Duration { return t.f.o.IdleTimeout/4 + time.Millisecond }

func (t *sessions) longestIdle(atLeast time.Duration) (oldest *session) {
	limit := time.Now().Add(-atLeast).UnixNano()
	for _, s := range t.byID {
		if s.active.Load() == 0 && s.last.Load() <= limit {
			if oldest == nil || s.last.Load() < oldest.last.Load() {
				oldest = s
			}
		}
	}
	return oldest
}

// expire ends the sessions that have been idle for too long.
func (t *sessions) expire() {
	var gone []*session
	t.mu.Lock()
	for {
		s := t.longestIdle(t.f.o.IdleTimeout)
		if s == nil {
			break
		}
		delete(t.byID, s.id)
		gone = append(gone, s)
	}
	if len(t.byID) == 0 || t.over {
		t.sweep = nil
	} else {
		t.sweep.Reset(t.sweepEvery())
	}
	t.mu.Unlock()
	for _, s := range gone {
		t.f.b.Connected(-1)
		s.close()
	}
}

// remove ends one session; false: it is unknown.
func (t *sessions) remove(id string) bool {
	t.mu.Lock()
	s := t.byID[id]
	delete(t.byID, id)
	t.mu.Unlock()
	if s == nil {
		return false
	}
	t.f.b.Connected(-1)
	s.close()
	return true
}

func (t *sessions) closeAll() {
	t.mu.Lock()
	t.over = true
	all := t.byID
	t.byID = map[string]*session{}
	if t.sweep != nil {
		t.sweep.Stop()
	}
	t.mu.Unlock()
	var wait sync.WaitGroup
	for _, s := range all {
		t.f.b.Connected(-1)
		wait.Go(s.close)
	}
	wait.Wait()
}

// presence counts the clients without a session as one connected client until
// none has been heard of for a while.
type presence struct {
	f     *Front
	mu    sync.Mutex
	timer *time.Timer
	here  bool
	last  time.Time
}

// gone is after how long a client without a session counts as gone.
const gone = time.Minute

func (p *presence) init(f *Front) { p.f = f }

func (p *presence) seen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = time.Now()
	if p.here || p.f.ctx.Err() != nil {
		return
	}
	p.here = true
	p.f.b.Connected(1)
	p.timer = time.AfterFunc(gone, p.check)
}

func (p *presence) check() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.here {
		return
	}
	if left := gone - time.Since(p.last); left > 0 {
		p.timer.Reset(left)
		return
	}
	p.here = false
	p.f.b.Connected(-1)
}

func (p *presence) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.here {
		p.timer.Stop()
		p.here = false
		p.f.b.Connected(-1)
	}
}
