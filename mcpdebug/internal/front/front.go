package front

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tasks"
)

// Options configures a Front. The zero value is the default of every field.
type Options struct {
	Name         string // server name that clients see. Default "loupe"
	Version      string // its version. Default "0.0.0"
	Instructions string // sent to clients once, at initialize. Default: none
	// App is the game's name, for who finds the port taken. Any goroutine.
	// Default: none.
	App func() string

	// List chooses and orders what tools/list shows; unlisted tools are left out
	// afterwards. What it leaves out must follow from the listing alone: clients
	// hear of a change when the registry changes. Any goroutine. Default: every
	// registered tool.
	List func(*listing.Listing) []*listing.Tool

	// Logs returns what was logged after a record, at a level or above, oldest
	// first, and the number to go on from; after the greatest number it returns
	// nothing, and the number to begin from. Streams of sessions that set a level
	// read it a few times a second. Any goroutine. Default: none are sent.
	Logs func(after uint64, level slog.Level) (records []LogRecord, next uint64)
	// LogEvery is how often streams read Logs. Default 250 ms.
	LogEvery time.Duration

	// AllowOrigins are web origins ("https://tool.example") whose pages may
	// connect. Default: loopback origins only.
	AllowOrigins []string
	// AllowHosts are further values of the Host header ("box.lan:7100", or
	// "box.lan" for any port). Default: loopback names with the server's own port.
	AllowHosts []string
	// Token must be presented as a bearer token on every request. Default: the
	// environment variable LOUPE_TOKEN, then TokenFile, else none is asked for.
	Token string
	// TokenFile holds the token; the file must be readable by its owner alone.
	TokenFile string
	// BeyondLoopback permits Listen on other addresses; it needs a token.
	BeyondLoopback bool

	// Extensions are the protocol extensions that the server announces; of those
	// it may use, each with each client that declares it too. Default: none.
	Extensions []string
	// Page answers a browser that opens the address of the Front's own port
	// (GET or HEAD /). It is asked for no token. Default: 404.
	Page http.HandlerFunc

	MaxSessions int           // sessions at a time; idle ones make room for new ones. Default 256
	MaxConns    int           // connections at a time. Default 256
	MaxStreams  int           // modern subscription streams at a time. Default 64
	MaxBody     int64         // bytes of a request body. Default 4 MiB
	IdleTimeout time.Duration // a session without requests and streams ends. Default 30 min
	// WriteTimeout bounds each write: a client that does not read for so long
	// is cut. Default 10 s.
	WriteTimeout time.Duration
	// KeepAlive is the time between comments on quiet event streams. Default 60 s.
	KeepAlive time.Duration
	// WaitNotice is after how long, and how often, a waiting call that asked for
	// progress hears its place in the queue. Default 500 ms.
	WaitNotice time.Duration
	// Burst is how long list changes are gathered into one notification,
	// counted from the first. Default 50 ms.
	Burst time.Duration
}

// LogRecord is a line of the log, for clients.
type LogRecord struct {
	Level  slog.Level
	Logger string // "" is none
	Data   any    // encodes as JSON
}

func orDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// Front answers the protocol over HTTP and for Dispatch. Its methods may be
// called from any goroutine, except where one says otherwise.
type Front struct {
	b        Backend
	o        Options
	guard    guard
	limits   limits
	refusals refusals

	documents      documents
	legacy, modern *era
	capabilities   []byte
	sessions       sessions
	stateless      presence
	waiting        waiting
	announcer      announcer
	tasks          tasks.Store
	listens        listens

	ctx    context.Context // ends with the Front
	cancel context.CancelFunc
	quit   chan struct{} // closed at the start of Close: streams end
	closed sync.Once

	active atomic.Int64 // requests being served
	mu     sync.Mutex
	server *http.Server
	bound  []net.Listener
	served sync.WaitGroup
}

// New makes a Front before b. A token that cannot be read is reported by
// Listen and by every request.
func New(b Backend, o Options) *Front {
	orDefault(&o.Name, "loupe")
	orDefault(&o.Version, "0.0.0")
	orDefault(&o.MaxSessions, 256)
	orDefault(&o.MaxConns, 256)
	orDefault(&o.MaxStreams, 64)
	orDefault(&o.MaxBody, 4<<20)
	orDefault(&o.IdleTimeout, 30*time.Minute)
	orDefault(&o.WriteTimeout, 10*time.Second)
	orDefault(&o.KeepAlive, time.Minute)
	orDefault(&o.WaitNotice, 500*time.Millisecond)
	orDefault(&o.LogEvery, 250*time.Millisecond)
	orDefault(&o.Burst, 50*time.Millisecond)
	f := &Front{b: b, o: o, documents: documents{b}, limits: measured, quit: make(chan struct{})}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.legacy = &era{}
	f.modern = &era{modern: true, serverInfo: `"` + metaServer + `":` + string(appendInfo(nil, o.Name, o.Version))}
	f.capabilities = capabilitiesWith(o.Extensions)
	f.guard = newGuard(&f.o)
	f.sessions.init(f)
	f.stateless.init(f)
	f.listens.all = map[*peer][]string{}
	f.announcer.init(f)
	return f
}

// Locked reports whether every request needs a token.
func (f *Front) Locked() bool { return f.guard.locked }

// Close ends streams and sessions, waits a moment for the answers under way
// and closes every connection. The backend must be closed before, so that
// waiting calls are answered. It takes less than 100 ms and may be called
// more than once.
func (f *Front) Close() error {
	f.closed.Do(func() {
		close(f.quit)
		f.announcer.stop()
		f.stateless.stop()
		f.mu.Lock()
		server, bound := f.server, f.bound
		f.mu.Unlock()
		for _, l := range bound {
			l.Close()
		}
		f.drain(30 * time.Millisecond)
		f.cancel()
		if server != nil {
			server.Close()
		}
		f.sessions.closeAll()
		f.drain(10 * time.Millisecond)
		f.served.Wait()
	})
	return nil
}

// drain waits until no request is being served, at most for d.
func (f *Front) drain(d time.Duration) {
	for end := time.Now().Add(d); f.active.Load() > 0 && time.Now().Before(end); {
		time.Sleep(200 * time.Microsecond)
	}
}
