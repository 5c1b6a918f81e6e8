//go:build !nomcpdebug

package mcpdebug

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"runtime"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/buildinfo"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/builtin"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/front"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/inspector"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/tools"
)

// Listen makes a server and serves it at addr ("127.0.0.1:0" lets the platform
// choose the port). If another Loupe has DefaultAddr, the next free port after
// it is taken, unless Options.FixedPort is set; URL tells which. If it cannot
// bind, the server is nil, which is a valid no-op, and the error says why and,
// if it can be told, what answers there. In a browser (js/wasm) nobody could
// connect: there it is always an error. Any goroutine.
func Listen(addr string, o *Options) (*Server, error) {
	if err := reachable(runtime.GOOS); err != nil {
		return nil, err
	}
	s := New(o)
	bound, err := s.bind(addr)
	if err != nil {
		s.Close()
		return nil, err
	}
	s.addr = bound
	s.enlist()
	return s, nil
}

// reachable refuses systems whose network is a pretence within the program: it
// takes any address, and nobody ever connects.
func reachable(goos string) error {
	if goos != "js" && goos != "wasip1" {
		return nil
	}
	return &refusal.Error{Code: refusal.NotSupported, Got: goos, Message: "a program under " + goos + " cannot be connected to: it has no network to listen on",
		Hint: "run the game as a native program to debug it, or pass messages to New(nil).Dispatch yourself"}
}

func (s *Server) frontOptions() front.Options {
	o := front.Options{
		Name: "loupe", Version: buildinfo.Process().Version,
		Instructions:   instructions(s.opts.Instructions),
		App:            s.appName,
		List:           s.opts.listed,
		Logs:           s.logsAfter,
		AllowOrigins:   s.opts.AllowedOrigins,
		AllowHosts:     s.opts.AllowedHosts,
		Token:          s.opts.Token,
		TokenFile:      s.opts.TokenFile,
		BeyondLoopback: s.opts.AllowNonLoopback,
	}
	o.Extensions = append(o.Extensions, front.ExtensionTasks)
	if !s.opts.NoInspector {
		o.Page, o.Extensions = inspector.ServePage, append(o.Extensions, front.ExtensionUI)
	}
	return o
}

// textLine tells of call_text, and maxInstructions is what some clients show
// their models of a server's instructions: what is last has to fit.
const (
	textLine        = `Without tool calling: call_text {"text":"<ping/>"} runs calls in a text; the document convention says how.`
	maxInstructions = 2048
)

// instructions are the host's, then the server's own, then, where there is room,
// that calls can be written in text.
func instructions(own string) string {
	all := strings.TrimSpace(own + "\n\n" + builtin.Instructions)
	if len(all)+len(textLine) < maxInstructions {
		all += "\n" + textLine
	}
	return all
}

// appName is the host's name as it was bound last, or that of the program.
func (s *Server) appName() string {
	if app := s.loop.View().App; app != nil && app.Name != "" {
		return app.Name
	}
	return programName()
}

func (s *Server) closeFront() error { return errors.Join(s.found.Remove(), s.front.Close()) }

// Dispatch answers one JSON-RPC message without a connection: on the calling
// goroutine, which must be the frame's, with the tool and all its parts run
// inline. A notification gives "". A message that cannot be read is answered
// in band. A nil server gives "". Frame goroutine.
func (s *Server) Dispatch(text string) string {
	if s == nil {
		return ""
	}
	return s.front.Dispatch(text)
}

// DispatchText runs the calls that are found in a text a model wrote, each
// under its gates, and answers them in order and in the form they had; ""
// if there is none to answer. Like Dispatch it runs them inline, on the calling
// goroutine, which must be the frame's. A nil server gives "". Frame goroutine.
func (s *Server) DispatchText(messy string) string {
	if s == nil {
		return ""
	}
	return s.builtIns.tools.Text.Dispatch(messy, func(tool string, arguments json.RawMessage) *tools.Reply {
		return s.loop.CallInline(&loop.Arrival{Request: tools.Request{Name: tool, Arguments: arguments, Client: "dispatch"}})
	})
}

// Handler serves the protocol under a host's own HTTP server, on any path. A
// nil server answers 503. Builds with the tag nomcpdebug lack this one method,
// so that they link no HTTP: mount it in a file with the constraint !nomcpdebug.
// Any goroutine.
func (s *Server) Handler() http.Handler {
	if s == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "no debug server", http.StatusServiceUnavailable)
		})
	}
	return s.front
}

// URL is the address that clients connect to; "" without a port. Any goroutine.
func (s *Server) URL() string {
	if s == nil || s.addr == nil {
		return ""
	}
	return "http://" + s.addr.String() + "/mcp"
}

// Port is the bound port, also where the platform chose it; 0 without one.
// Any goroutine.
func (s *Server) Port() int {
	if s == nil {
		return 0
	}
	if a, ok := s.addr.(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}
