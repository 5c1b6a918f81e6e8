package front

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// The limits of the HTTP server. WriteTimeout stays 0: it would cut event
// streams; each write has a deadline of its own instead. ReadTimeout covers
// header and body only, not the wait for a frame.
type limits struct{ readHeader, read, idle time.Duration }

var measured = limits{readHeader: 5 * time.Second, read: 15 * time.Second, idle: 120 * time.Second}

const maxHeaderBytes = 16 << 10

// Listen binds addr and serves it until Close. The error of a taken port says
// which port it is and, if that can be told, what answers there; an address
// that other machines can reach is refused unless the options permit it and a
// token is set.
func (f *Front) Listen(addr string) (net.Addr, error) {
	if f.guard.broken != nil {
		return nil, f.guard.broken
	}
	if err := mayBind(addr, f.o.BeyondLoopback, f.guard.locked); err != nil {
		return nil, err
	}
	if err := platform(runtime.GOOS); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		if portInUse(err) {
			e := &InUseError{Addr: addr, err: err}
			e.Who, e.Loupe = whoAnswers(addr)
			return nil, e
		}
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	f.Serve(l)
	return l.Addr(), nil
}

// InUseError is the error of a port that somebody else has.
type InUseError struct {
	Addr  string
	Who   string // what answers there, for people
	Loupe bool   // it is another debug server of this kind
	err   error
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("%s is in use: %s. Stop it, or choose another port (port 0 takes any free one): %v", e.Addr, e.Who, e.err)
}

func (e *InUseError) Unwrap() error { return e.err }

// platform refuses where nobody outside could connect: a browser's net.Listen
// succeeds, and only the program itself reaches it.
func platform(goos string) error {
	if goos == "js" || goos == "wasip1" {
		return fmt.Errorf("a program for %s cannot be connected to: drive it with Dispatch", goos)
	}
	return nil
}

// mayBind refuses addresses beyond loopback without permission.
func mayBind(addr string, permitted, locked bool) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("address %q: %w (write it as 127.0.0.1:7100)", addr, err)
	}
	if host != "" && loopbackName(host) {
		return nil
	}
	if host != "" {
		// Any other name may mean this machine, too.
		if ips, err := net.LookupHost(host); err == nil && len(ips) > 0 {
			all := true
			for _, ip := range ips {
				a, err := netip.ParseAddr(ip)
				all = all && err == nil && a.Unmap().IsLoopback()
			}
			if all {
				return nil
			}
		}
	}
	switch {
	case !permitted:
		return fmt.Errorf("%q can be reached from other machines: use 127.0.0.1:%s, or set Options.AllowNonLoopback and a token", addr, port)
	case !locked:
		return fmt.Errorf("%q can be reached from other machines: set a token (Options.Token, %s or a token file)", addr, TokenEnv)
	}
	return nil
}

func portInUse(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || strings.Contains(err.Error(), "Only one usage of each socket address")
}

// Serve serves a listener until Close, in goroutines of its own.
func (f *Front) Serve(l net.Listener) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.server == nil {
		f.server = &http.Server{
			Handler:                      http.HandlerFunc(f.route),
			ConnState:                    connState,
			ReadHeaderTimeout:            f.limits.readHeader,
			ReadTimeout:                  f.limits.read,
			IdleTimeout:                  f.limits.idle,
			MaxHeaderBytes:               maxHeaderBytes,
			DisableGeneralOptionsHandler: true, // OPTIONS * passes the guard too
			ErrorLog:                     slog.NewLogLogger(f.b.Logger().Handler(), slog.LevelDebug),
			BaseContext:                  func(net.Listener) context.Context { return f.ctx },
		}
	}
	f.bound = append(f.bound, l)
	server, limited := f.server, &limitListener{Listener: l, max: f.o.MaxConns}
	select {
	case <-f.quit:
		l.Close()
		return
	default:
	}
	f.served.Go(func() { server.Serve(limited) })
}
