//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/internal/discovery"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/builtin"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/front"
	"github.com/loupe-ecs/loupe/tools"
)

// face is the protocol side of a server.
type face struct {
	front *front.Front
	addr  net.Addr // nil without a port
	found *discovery.Announcement
}

// Listen makes a server and serves it at addr ("127.0.0.1:0" lets the platform
// choose the port). If another Loupe has DefaultAddr, the next free port after
// it is taken, unless Options.FixedPort is set; URL tells which. If it cannot
// bind, the server is nil, which is a valid no-op, and the error says why and,
// if it can be told, what answers there. Any goroutine.
func Listen(addr string, o *Options) (*Server, error) {
	s := New(o)
	bound, err := s.bind(addr)
	if err != nil {
		s.Close()
		return nil, err
	}
	s.face.addr = bound
	s.enlist()
	return s, nil
}

func (s *Server) openFace() {
	s.face.front = front.New(backend{s}, front.Options{
		Name: "loupe", Version: buildInfo().Version,
		Instructions:   strings.TrimSpace(builtin.Instructions + "\n" + s.opts.Instructions),
		List:           s.listed,
		Logs:           s.logsAfter,
		AllowOrigins:   s.opts.AllowedOrigins,
		AllowHosts:     s.opts.AllowedHosts,
		Token:          s.opts.Token,
		TokenFile:      s.opts.TokenFile,
		BeyondLoopback: s.opts.AllowNonLoopback,
	})
	if err := s.registry.RegisterResource(builtin.Resources(host{s}, s.opts.Components.Scheme)...); err != nil {
		s.log.Error("a built-in resource cannot be registered", "err", err)
	}
}

// listed leaves out what Allow and Deny leave out.
func (s *Server) listed(l *tools.Listing) []*tools.Published {
	if len(s.opts.Allow) == 0 && len(s.opts.Deny) == 0 {
		return l.Tools
	}
	return slices.DeleteFunc(slices.Clone(l.Tools), func(p *tools.Published) bool { return !s.offers(&p.Spec) })
}

func (f *face) close() error { return errors.Join(f.found.Remove(), f.front.Close()) }

// Dispatch answers one JSON-RPC message without a connection: on the calling
// goroutine, which must be the frame's, with the tool and all its parts run
// inline. A notification gives "". A message that cannot be read is answered
// in band. A nil server gives "". Frame goroutine.
func (s *Server) Dispatch(text string) string {
	if s == nil {
		return ""
	}
	return s.face.front.Dispatch(text)
}

// Handler serves the protocol under a host's own HTTP server, on any path. A
// nil server answers 503. Any goroutine.
func (s *Server) Handler() http.Handler {
	if s == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "no debug server", http.StatusServiceUnavailable)
		})
	}
	return s.face.front
}

// URL is the address that clients connect to; "" without a port. Any goroutine.
func (s *Server) URL() string {
	if s == nil || s.face.addr == nil {
		return ""
	}
	return "http://" + s.face.addr.String() + "/mcp"
}

// Port is the bound port, also where the platform chose it; 0 without one.
// Any goroutine.
func (s *Server) Port() int {
	if s == nil {
		return 0
	}
	if a, ok := s.face.addr.(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}

// backend is the server as the front sees it.
type backend struct{ s *Server }

var _ front.Backend = backend{}

func (b backend) Registry() *tools.Registry { return b.s.registry }
func (b backend) Ticket() uint64            { return b.s.tickets.Add(1) }
func (b backend) Catalog() *ecs.Catalog     { return b.s.view.Load().catalog }
func (b backend) Logger() *slog.Logger      { return b.s.log }
func (b backend) Closed() <-chan struct{}   { return b.s.closed }

func (b backend) Call(ctx context.Context, c *front.CallInfo) *tools.Reply { return b.s.call(ctx, c) }
func (b backend) CallInline(c *front.CallInfo) *tools.Reply                { return b.s.callInline(c) }

func (b backend) Status() front.Status {
	st := host(b).Status()
	return front.Status{State: st.State, Operation: st.Operation, Crash: st.Crash, Frame: st.Frame, Waiting: st.Waiting}
}

// Connected asks for a fresh Catalog at once when the first client comes.
func (b backend) Connected(delta int) {
	if n := b.s.connected.Add(int64(delta)); delta > 0 && n == int64(delta) {
		b.s.word.Or(bitRefresh)
	}
}
