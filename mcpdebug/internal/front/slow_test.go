package front

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/tools"
)

// smallWindow connects with a tiny receive buffer, so that a client which does
// not read fills it at once.
func smallWindow(t testing.TB, url string) net.Conn {
	c := dial(t, url)
	c.(*net.TCPConn).SetReadBuffer(4096)
	return c
}

// A client that asks for megabytes and never reads is cut by the write
// deadline, and others do not notice it.
func TestClientThatNeverReads(t *testing.T) {
	_, f, url := serve(t, Options{WriteTimeout: 100 * time.Millisecond}, true)
	sid := connect(t, url)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{"bytes":30000000}}}`
	var stuck []net.Conn
	for range 3 {
		c := smallWindow(t, url)
		fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", sid, len(body), body)
		stuck = append(stuck, c)
	}
	eventually(t, "stuck requests served", func() bool { return f.active.Load() == 3 })
	start := time.Now()
	if a := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, headerSession, sid); a.status != 200 {
		t.Errorf("another client: %d", a.status)
	}
	t.Logf("another client waited %v", time.Since(start))
	eventually(t, "stuck clients cut", func() bool { return f.active.Load() == 0 })
	for _, c := range stuck {
		c.Close()
	}
}

// A stream whose client stops reading is cut; the others go on hearing.
func TestStreamThatNeverReads(t *testing.T) {
	log := &hostLog{}
	b, f, url := serve(t, Options{WriteTimeout: time.Second, Burst: time.Millisecond, Logs: log.after, LogEvery: time.Millisecond}, false)
	b.reg.RegisterResource(&tools.Resource{URI: "test:x", Name: "w", Read: func(*tools.Call, tools.ResourceRequest) ([]tools.ResourceContents, error) { return nil, nil }})
	dead, alive := connect(t, url), connect(t, url)
	for _, sid := range []string{dead, alive} {
		post(t, url, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`, headerSession, sid)
	}
	c := smallWindow(t, url)
	fmt.Fprintf(c, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: %s\r\n\r\n", dead)
	ch, _ := openStream(t, url, alive)
	eventually(t, "streams open", func() bool {
		return f.sessions.get(dead).streaming.Load() != nil && f.sessions.get(alive).streaming.Load() != nil
	})
	long := strings.Repeat("x", 64<<10)
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		for ev := range ch {
			if strings.Contains(ev, "the last") {
				return
			}
		}
	}()
	lines := 0
	eventually(t, "silent stream cut", func() bool {
		// Enough to fill every buffer on the way, and no more: on a loaded machine
		// the other client must be able to keep up.
		if lines < 100 {
			lines++
			log.add(slog.LevelInfo, long)
		}
		return f.sessions.get(dead).streaming.Load() == nil
	})
	log.add(slog.LevelInfo, "the last")
	<-heard
}

// A client that closes its connection in the middle of a reply harms nobody.
func TestClientThatVanishesMidReply(t *testing.T) {
	_, f, url := serve(t, Options{}, true)
	sid := connect(t, url)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{"bytes":5000000}}}`
	for range 10 {
		c := smallWindow(t, url)
		fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", sid, len(body), body)
		io.ReadFull(c, make([]byte, 100))
		c.(*net.TCPConn).SetLinger(0) // a reset, not a polite end
		c.Close()
	}
	eventually(t, "requests ended", func() bool { return f.active.Load() == 0 })
	if a := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, headerSession, sid); a.status != 200 {
		t.Errorf("afterwards: %d", a.status)
	}
}
