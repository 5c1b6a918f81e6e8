package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/session"
	"github.com/loupe-ecs/loupe/cmd/loupe/internal/wire"
	"github.com/loupe-ecs/loupe/tools"
)

// Options configures a bridge.
type Options struct {
	Root    string       // games may be started in and under it; "": none may
	Stay    bool         // started games run on when the bridge ends
	Token   string       // for games that ask for one
	Query   string       // of the games' URLs: "schemas=full", "tools=world,session"
	Version string       // of the bridge
	Logger  *slog.Logger // default: silent
}

// Bridge is one client's connection and the games behind it.
type Bridge struct {
	o     Options
	log   *slog.Logger
	out   *writer
	table *session.Table
	own   *tools.Registry
	lane  *lane
	ctx   context.Context

	kick  chan struct{}  // something about the sessions has changed
	tasks sync.WaitGroup // requests under way
	// hearing are the streams of what games say by themselves.
	hearing sync.WaitGroup

	mu       sync.Mutex
	client   client
	inflight map[string]context.CancelFunc // by id, as it came
	links    map[*session.Session]*link
	asked    map[string]question // requests of games to the client, by the id given here
	askedNo  int
}

// client is what the bridge knows of the program that it serves.
type client struct {
	ready  bool            // it may be notified
	modern bool            // it speaks the era without sessions
	hello  json.RawMessage // its initialize's parameters, for the games
	level  json.RawMessage // of logging/setLevel, its parameters
	uris   map[string]bool // resources that it wants to hear of
}

// lookEvery is how often games are looked for that come and go by themselves.
const lookEvery = 500 * time.Millisecond

// lastAnswers bounds the wait for answers when the client has hung up.
const lastAnswers = 5 * time.Second

// maxLine bounds a message from the client.
const maxLine = 16 << 20

// Run serves one client until its messages end, or ctx does. Games that it has
// started have ended when it returns.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := &Bridge{o: o, log: o.Logger, out: &writer{w: out}, ctx: ctx, kick: make(chan struct{}, 1),
		inflight: map[string]context.CancelFunc{}, links: map[*session.Session]*link{}, asked: map[string]question{}}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	b.client.uris = map[string]bool{}
	b.table = session.New(session.Options{Root: o.Root, Token: o.Token, Stay: o.Stay, Changed: b.changed})
	defer b.table.Close()
	b.own = sessionTools{b}.registry()
	b.lane = newLane(b)
	var background sync.WaitGroup
	background.Go(func() { b.follow(ctx) })
	served := make(chan error, 1)
	go func() { served <- b.lane.run(ctx) }()

	read := make(chan error, 1)
	go func() { read <- b.read(in) }()
	var err error
	select {
	case err = <-read:
	case <-ctx.Done():
	}
	b.lane.close()
	answered := make(chan struct{})
	go func() { b.tasks.Wait(); <-served; close(answered) }()
	select {
	case <-answered:
	case <-time.After(lastAnswers):
	case <-ctx.Done():
	}
	cancel()
	background.Wait()
	b.hangUp()
	b.hearing.Wait()
	return err
}

// read takes messages, one a line, until they end.
func (b *Bridge) read(in io.Reader) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(lines)
		if len(bytes.TrimSpace(line)) > 0 {
			b.take(line)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// readLine is ReadBytes with a limit.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxLine {
			return nil, fmt.Errorf("a message has more than %d bytes", maxLine)
		}
	}
}

// take decides who answers a message. It does not block.
func (b *Bridge) take(line []byte) {
	e, err := wire.Parse(line)
	if err != nil {
		code := -32600
		if !json.Valid(line) {
			code = -32700
		}
		b.out.send(rpcError(e.ID, code, err.Error(), nil))
		return
	}
	modern := e.Method != "" && wire.ModernOf(e.Params)
	if modern {
		b.isModern()
	}
	switch e.Method {
	case "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
		"prompts/list", "prompts/get", "completion/complete":
		if e.IsRequest() {
			b.serve(e, bytes.TrimSpace(line), modern)
		}
		return
	case "notifications/cancelled":
		if b.cancel(wire.Member(e.Params, "requestId"), line) {
			return
		}
	case "initialize":
		b.mu.Lock()
		b.client.hello = e.Params
		b.mu.Unlock()
	case "notifications/initialized":
		b.isReady()
	case "logging/setLevel":
		b.setLevel(e.Params)
	case "notifications/roots/list_changed":
		b.toGame(line)
	case "":
		if b.answerToGame(e) {
			return
		}
	}
	b.lane.take(e, line)
}

// serve answers a request in a goroutine of its own.
func (b *Bridge) serve(e wire.Envelope, line []byte, modern bool) {
	ctx, cancel := context.WithCancel(b.ctx)
	id := string(e.ID)
	b.mu.Lock()
	b.inflight[id] = cancel
	b.mu.Unlock()
	b.tasks.Go(func() {
		defer func() {
			b.mu.Lock()
			delete(b.inflight, id)
			b.mu.Unlock()
			cancel()
		}()
		b.answer(&request{Envelope: e, line: line, modern: modern, ctx: ctx})
	})
}

// cancel ends a request under way; its game hears of it too.
func (b *Bridge) cancel(id json.RawMessage, line []byte) bool {
	b.mu.Lock()
	end := b.inflight[string(id)]
	modern := b.client.modern
	b.mu.Unlock()
	if end == nil {
		return false
	}
	if !modern {
		b.toGame(line)
	}
	end()
	return true
}

func (b *Bridge) isReady() {
	b.mu.Lock()
	b.client.ready = true
	b.mu.Unlock()
	b.changed()
}

func (b *Bridge) isModern() {
	b.mu.Lock()
	first := !b.client.modern
	b.client.modern = true
	b.mu.Unlock()
	if first {
		b.isReady()
	}
}

// changed wakes follow. It does not block.
func (b *Bridge) changed() {
	select {
	case b.kick <- struct{}{}:
	default:
	}
}

// writer puts messages on lines of their own.
type writer struct {
	mu sync.Mutex
	w  io.Writer
}

// send writes a message, which it may change: line breaks between its tokens
// become blanks.
func (w *writer) send(message []byte) error {
	for i := bytes.IndexByte(message, '\n'); i >= 0; i = bytes.IndexByte(message, '\n') {
		message[i] = ' '
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.w.Write(append(message, '\n'))
	return err
}
