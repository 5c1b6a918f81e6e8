package front

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// limitListener bounds the connections. When all places are taken, one that
// serves nothing yields to a new one: first those that have not yet sent a
// whole header, then those that wait for another request, the oldest first. So
// nobody is locked out by connections that only sit there. A new connection is
// turned away, and told so, when every other is being served.
type limitListener struct {
	net.Listener
	max int

	mu    sync.Mutex
	conns []*placedConn // in the order in which they came to their state
}

// placedConn is a connection that has one of the places.
type placedConn struct {
	net.Conn
	l     *limitListener
	state http.ConnState
}

func (l *limitListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		p := &placedConn{Conn: c, l: l}
		if l.place(p) {
			return p, nil
		}
		body := appendError(nil, nil, rpcErrorf(codeServer, "all %d connections are in use: close some, or try again later", l.max))
		c.SetDeadline(time.Now().Add(100 * time.Millisecond))
		fmt.Fprintf(c, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\nRetry-After: 1\r\n\r\n%s", len(body), body)
		c.Close()
	}
}

func (l *limitListener) place(p *placedConn) bool {
	l.mu.Lock()
	var yields *placedConn
	if len(l.conns) >= l.max {
		if yields = l.oldest(http.StateNew); yields == nil {
			yields = l.oldest(http.StateIdle)
		}
		if yields == nil {
			l.mu.Unlock()
			return false
		}
		l.remove(yields)
	}
	l.conns = append(l.conns, p)
	l.mu.Unlock()
	if yields != nil {
		yields.Conn.Close()
	}
	return true
}

func (l *limitListener) oldest(state http.ConnState) *placedConn {
	for _, c := range l.conns {
		if c.state == state {
			return c
		}
	}
	return nil
}

func (l *limitListener) remove(p *placedConn) bool {
	i := slices.Index(l.conns, p)
	if i >= 0 {
		l.conns = slices.Delete(l.conns, i, i+1)
	}
	return i >= 0
}

// connState follows what the server does with a connection.
func connState(c net.Conn, state http.ConnState) {
	p, ok := c.(*placedConn)
	if !ok || state == http.StateNew {
		return
	}
	p.l.mu.Lock()
	defer p.l.mu.Unlock()
	if p.l.remove(p) {
		p.state = state
		p.l.conns = append(p.l.conns, p)
	}
}

func (p *placedConn) Close() error {
	p.l.mu.Lock()
	p.l.remove(p)
	p.l.mu.Unlock()
	return p.Conn.Close()
}
