//go:build !nomcpdebug

package mcpdebug

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/internal/buildinfo"
	"github.com/loupe-ecs/loupe/internal/discovery"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/front"
	"github.com/loupe-ecs/loupe/tools/host"
)

// lastPort ends the range that is tried from DefaultAddr's port on: one machine
// runs a few games at a time, and a client that looks for them by hand tries a
// few ports.
const lastPort = 7115

// bind takes addr. Where that is the default and another Loupe has it, a second
// game on the machine is meant, and the next free port is as good.
func (s *Server) bind(addr string) (net.Addr, error) {
	bound, err := s.front.Listen(addr)
	var taken *front.InUseError
	if !errors.As(err, &taken) || !taken.Loupe {
		return bound, err
	}
	host, first, _ := net.SplitHostPort(addr)
	port, _ := strconv.Atoi(first)
	if e, found := discovery.At(port); found && !strings.Contains(taken.Who, e.App) {
		taken.Who += fmt.Sprintf(" (%s, pid %d)", e.App, e.PID)
	}
	if addr != DefaultAddr || s.opts.FixedPort {
		return nil, err
	}
	for port++; port <= lastPort; port++ {
		if bound, next := s.front.Listen(net.JoinHostPort(host, strconv.Itoa(port))); next == nil {
			return bound, nil
		}
	}
	return nil, err
}

// enlist lets the user's bridges and command lines find the server.
func (s *Server) enlist() {
	if s.opts.NoDiscovery {
		return
	}
	b := buildinfo.Process()
	url := s.URL()
	if a, ok := s.addr.(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		url = "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(a.Port)) + "/mcp"
	}
	e := discovery.Entry{URL: url, App: programName(), StartedAt: s.started, Token: s.front.Locked(),
		Build: discovery.Build{Package: buildinfo.Package(), Version: b.Version, Revision: b.Revision, Modified: b.Dirty, Go: b.Go}}
	var err error
	if s.found, err = discovery.Announce(e); err != nil {
		s.log.Warn("the server is not announced: clients need its address", "err", err)
	}
}

// enlistApp adds the app's name, off the frame: it writes a file.
func (s *Server) enlistApp(app *host.App) {
	if found := s.found; found != nil && app != nil && app.Name != "" {
		name := app.Name
		go func() {
			if err := found.SetApp(name); err != nil {
				s.log.Warn("the app's name is not announced", "err", err)
			}
		}()
	}
}
