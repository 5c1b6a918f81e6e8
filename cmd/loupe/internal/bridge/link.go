package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/session"
	"github.com/loupe-ecs/loupe/cmd/loupe/internal/wire"
)

// link is the bridge's connection to one process of one session.
type link struct {
	process session.Process
	ready   chan struct{} // closed when conn or err is set
	conn    *wire.Conn
	err     error
	end     context.CancelFunc // of its stream
	ctx     context.Context

	mu       sync.Mutex
	readOnly map[string]bool // tools that change nothing, as last listed
}

// greet bounds the handshake with a game.
const greet = 5 * time.Second

// reach returns the connection to the session's present process, and makes it
// first if there is none.
func (b *Bridge) reach(ctx context.Context, s *session.Session) (*link, error) {
	p, ok := s.Process()
	if !ok {
		return nil, s.Ready()
	}
	b.mu.Lock()
	l := b.links[s]
	if l != nil && l.process == p {
		b.mu.Unlock()
		select {
		case <-l.ready:
			if l.err == nil {
				return l, nil
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		b.drop(s, l)
		return nil, l.err
	}
	old := l
	l = &link{process: p, ready: make(chan struct{}), readOnly: map[string]bool{}}
	l.ctx, l.end = context.WithCancel(b.ctx)
	b.links[s] = l
	hello := b.client.hello
	if b.client.modern || hello == nil {
		hello = wire.Hello("loupe mcp", b.o.Version)
	}
	b.mu.Unlock()
	if old != nil {
		old.close()
	}
	target := b.table.Target(p)
	if b.o.Query != "" {
		target.URL += "?" + b.o.Query
	}
	dialing, cancel := context.WithTimeout(b.ctx, greet)
	defer cancel()
	l.conn, l.err = wire.Dial(dialing, target, hello)
	close(l.ready)
	if l.err != nil {
		b.drop(s, l)
		return nil, l.err
	}
	b.hearing.Go(func() { b.hear(s, l) })
	return l, nil
}

// drop forgets a connection that is of no use any more.
func (b *Bridge) drop(s *session.Session, l *link) {
	b.mu.Lock()
	if b.links[s] == l {
		delete(b.links, s)
	}
	b.mu.Unlock()
	go l.close()
}

func (l *link) close() {
	l.end()
	<-l.ready
	if l.conn != nil {
		l.conn.Close()
	}
}

func (b *Bridge) hangUp() {
	b.mu.Lock()
	all := b.links
	b.links = map[*session.Session]*link{}
	b.mu.Unlock()
	var wait sync.WaitGroup
	for _, l := range all {
		wait.Go(l.close)
	}
	wait.Wait()
}

// current is the connection to the game in use; nil without one.
func (b *Bridge) current(ctx context.Context) *link {
	s, err := b.table.Current()
	if err != nil {
		return nil
	}
	l, err := b.reach(ctx, s)
	if err != nil {
		return nil
	}
	return l
}

// hear takes what a game says by itself, as long as its process lives. It first
// asks for what the client wants to hear.
func (b *Bridge) hear(s *session.Session, l *link) {
	b.mu.Lock()
	level := b.client.level
	var uris []string
	for uri := range b.client.uris {
		uris = append(uris, uri)
	}
	b.mu.Unlock()
	if level != nil {
		_ = b.tell(l, "logging/setLevel", level)
	}
	for _, uri := range uris {
		if err := b.tell(l, "resources/subscribe", uriParams(uri)); err != nil {
			b.log.Warn("a subscription is not carried to the game", "uri", uri, "err", err)
		}
	}
	for l.ctx.Err() == nil {
		err := l.conn.Listen(l.ctx, func(message []byte) error {
			b.relay(s, l, message)
			return nil
		})
		var denied *wire.Denied
		if l.ctx.Err() != nil || errors.As(err, &denied) {
			break
		}
		// The stream broke: the process has ended, or it closed an idle stream.
		b.table.Refresh()
		if now, ok := s.Process(); !ok || now != l.process {
			break
		}
		timer := time.NewTimer(lookEvery)
		select {
		case <-timer.C:
		case <-l.ctx.Done():
		}
	}
	b.changed()
}

func uriParams(uri string) []byte { return append(append([]byte(`{"uri":`), wire.Quote(uri)...), '}') }

// tell makes a request of the bridge's own to a game.
func (b *Bridge) tell(l *link, method string, params []byte) error {
	ctx, cancel := context.WithTimeout(l.ctx, greet)
	defer cancel()
	id := fmt.Appendf(nil, `"loupe-%s"`, method)
	return l.conn.Do(ctx, wire.Request(id, method, params), nil, func(message []byte) error {
		if e, err := wire.Parse(message); err == nil && e.Error != nil {
			return &wire.Denied{Status: 200, RPC: e.Error}
		}
		return nil
	})
}

// relay passes on one message of a game's own.
func (b *Bridge) relay(s *session.Session, l *link, message []byte) {
	e, err := wire.Parse(message)
	if err != nil {
		return
	}
	b.mu.Lock()
	modern, ready := b.client.modern, b.client.ready
	b.mu.Unlock()
	if now, err := b.table.Current(); err != nil || now != s || !ready {
		return
	}
	switch {
	case e.Method == "notifications/resources/updated":
		b.lane.updated(wire.Text(e.Params, "uri"))
	case strings.HasSuffix(e.Method, "/list_changed"):
		b.lane.announce(strings.TrimSuffix(strings.TrimPrefix(e.Method, "notifications/"), "/list_changed"))
	case modern: // hears nothing but what it has subscribed to
	case e.IsRequest():
		b.askClient(l, e)
	default:
		b.out.send(message)
	}
}

// follow keeps the connection to the game in use and tells the client when what
// it has seen is no longer so.
func (b *Bridge) follow(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var told session.Process
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			b.table.Refresh()
		case <-b.kick:
		}
		b.mu.Lock()
		ready := b.client.ready
		b.mu.Unlock()
		if !ready {
			continue
		}
		var now session.Process
		if l := b.current(ctx); l != nil {
			now = l.process
		}
		b.dropDead()
		if now != told {
			told = now
			for _, list := range []string{"tools", "resources", "prompts"} {
				b.lane.announce(list)
			}
		}
	}
}

// dropDead closes the connections to processes that are gone.
func (b *Bridge) dropDead() {
	b.mu.Lock()
	dead := map[*session.Session]*link{}
	for s, l := range b.links {
		if p, ok := s.Process(); !ok || p != l.process {
			dead[s] = l
		}
	}
	b.mu.Unlock()
	for s, l := range dead {
		b.drop(s, l)
	}
}

// toGame passes a notification on to the game in use.
func (b *Bridge) toGame(line []byte) {
	b.tasks.Go(func() {
		if l := b.current(b.ctx); l != nil {
			ctx, cancel := context.WithTimeout(b.ctx, greet)
			defer cancel()
			_ = l.conn.Do(ctx, line, nil, nil) // what it is about may be over
		}
	})
}

// setLevel remembers a log level for every game to come.
func (b *Bridge) setLevel(params json.RawMessage) {
	b.mu.Lock()
	b.client.level = params
	b.mu.Unlock()
	b.tasks.Go(func() {
		if l := b.current(b.ctx); l != nil {
			_ = b.tell(l, "logging/setLevel", params)
		}
	})
}

// subscribe and unsubscribe remember a resource for every game to come. The game
// in use may refuse one that it does not know.
func (b *Bridge) subscribe(ctx context.Context, uri string) error {
	if l := b.current(ctx); l != nil {
		var denied *wire.Denied
		if err := b.tell(l, "resources/subscribe", uriParams(uri)); errors.As(err, &denied) {
			return denied
		}
	}
	b.mu.Lock()
	b.client.uris[uri] = true
	b.mu.Unlock()
	return nil
}

func (b *Bridge) unsubscribe(ctx context.Context, uri string) {
	b.mu.Lock()
	delete(b.client.uris, uri)
	b.mu.Unlock()
	if l := b.current(ctx); l != nil {
		_ = b.tell(l, "resources/unsubscribe", uriParams(uri))
	}
}

// question is a request of a game to the client.
type question struct {
	link *link
	id   json.RawMessage // the game's own
}

// askClient carries a game's request under an id that no other game uses.
func (b *Bridge) askClient(l *link, e wire.Envelope) {
	b.mu.Lock()
	b.askedNo++
	id := fmt.Sprintf(`"loupe-ask-%d"`, b.askedNo)
	b.asked[id] = question{l, e.ID}
	b.mu.Unlock()
	b.out.send(wire.Request([]byte(id), e.Method, e.Params))
}

// answerToGame carries the client's answer back to the game that asked.
func (b *Bridge) answerToGame(e wire.Envelope) bool {
	b.mu.Lock()
	q, ok := b.asked[string(e.ID)]
	delete(b.asked, string(e.ID))
	b.mu.Unlock()
	if !ok {
		return false
	}
	answer := head(q.id)
	if e.Error != nil {
		answer = append(append(answer, `,"error":`...), e.Error...)
	} else {
		answer = append(append(answer, `,"result":`...), e.Result...)
	}
	b.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(q.link.ctx, greet)
		defer cancel()
		if err := q.link.conn.Do(ctx, append(answer, '}'), nil, nil); err != nil {
			b.log.Warn("the client's answer does not reach the game", "err", err)
		}
	})
	return true
}
