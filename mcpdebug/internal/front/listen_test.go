package front

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

func TestPortInUseTellsWhoAnswers(t *testing.T) {
	t.Setenv(TokenEnv, "")
	try := func(addr string) string {
		f := New(newFake(), Options{})
		defer f.Close()
		start := time.Now()
		got, err := f.Listen(addr)
		if err == nil {
			t.Fatalf("listened on %v, a port that is taken", got)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("asking took %v", took)
		}
		if !strings.Contains(err.Error(), addr) {
			t.Errorf("the error does not name %s: %v", addr, err)
		}
		return err.Error()
	}
	_, f, url := serve(t, Options{}, true)
	addr := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	if got := try(addr); !strings.Contains(got, fmt.Sprintf("this very process (pid %d)", os.Getpid())) {
		t.Error(got)
	}
	eventually(t, "probe's session gone", func() bool { return f.sessions.len() == 0 })
	_, _, url = serve(t, Options{Token: "x"}, true)
	if got := try(strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")); !strings.Contains(got, "does not let this process in (token)") {
		t.Error(got)
	}
	for _, c := range []struct{ answer, want string }{
		{"", "does not speak HTTP"},
		{"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", "no Loupe answers there (HTTP 404)"},
		{"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nevent: message\ndata: {\"result\":{\"serverInfo\":{\"name\":\"other\",\"version\":\"3\"}}}\n\n", "another MCP server answers there: other 3"},
		{"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"result\":{\"serverInfo\":{\"name\":\"loupe\"},\"_meta\":{\"loupe\":{\"pid\":99999,\"module\":\"example.com/game\"}}}}", "another Loupe answers there: example.com/game, pid 99999"},
		{"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"result\":{\"serverInfo\":{\"name\":\"loupe\"},\"_meta\":{\"loupe\":{\"pid\":99999,\"module\":\"example.com/game\",\"app\":\"arena\"}}}}", "another Loupe answers there: arena (example.com/game), pid 99999"},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			if c.answer == "" {
				io.Copy(io.Discard, conn) // says nothing until the probe gives up
				return
			}
			conn.Read(make([]byte, 4096))
			io.WriteString(conn, c.answer)
		}()
		if got := try(l.Addr().String()); !strings.Contains(got, c.want) {
			t.Errorf("got %s, want %s", got, c.want)
		}
		l.Close()
		<-done
	}
}

// A connection yields its place only while nothing is served on it.
func TestConnectionCap(t *testing.T) {
	b, _, url := serve(t, Options{MaxConns: 2}, false)
	sid := connect(t, url)
	var one net.Conn
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`
	call := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", sid, len(body), body)
	ping := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for i := range 2 {
		c := dial(t, url)
		if i == 0 {
			one = c
		}
		io.WriteString(c, call)
		eventually(t, "a call under way", func() bool {
			if b.waiting() == i+1 {
				return true
			}
			// The connection that the session was begun on yields its place once its
			// answer is out, which may be after the client has read it.
			c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
			if n, _ := c.Read(make([]byte, 512)); n > 0 {
				if c = dial(t, url); i == 0 {
					one = c
				}
				io.WriteString(c, call)
			}
			return false
		})
	}
	if a := raw(t, url, ping); a.status != 503 || !strings.Contains(a.body, "all 2 connections are in use") {
		t.Errorf("a third connection: %d %s", a.status, a.body)
	}
	one.Close()
	b.poll()
	b.poll()
	eventually(t, "room for a connection", func() bool {
		c, err := net.Dial("tcp", one.RemoteAddr().String())
		if err != nil {
			return false
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(c, ping)
		b := make([]byte, 12)
		io.ReadFull(c, b)
		return string(b) == "HTTP/1.1 200"
	})
}

// Connections that only sit there, with half a header or after an answer, lock
// nobody out.
func TestIdleConnectionsYield(t *testing.T) {
	for name, sent := range map[string]string{
		"half a header": "POST /mcp HTTP/1.1\r\nHost: localhost\r\n",
		"an answer ago": "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, _, url := serve(t, Options{MaxConns: 4}, false)
			for range 10 {
				c := dial(t, url)
				io.WriteString(c, sent)
				if !strings.Contains(sent, "half") && strings.Contains(sent, "ping") {
					c.Read(make([]byte, 1))
				}
			}
			eventually(t, "an answer", func() bool {
				a := raw(t, url, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 40\r\n\r\n"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
				return a.status == 200
			})
		})
	}
}

func TestABrowserCannotBeConnectedTo(t *testing.T) {
	for goos, works := range map[string]bool{"js": false, "wasip1": false, "linux": true, "windows": true, "darwin": true} {
		if err := platform(goos); (err == nil) != works {
			t.Errorf("%s: %v", goos, err)
		}
	}
}

func TestOtherPathsAreNowhere(t *testing.T) {
	_, _, url := serve(t, Options{Token: "secret"}, false)
	for _, path := range []string{"/", "/admin", "/mcp/x", "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server/mcp", "/register"} {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS"} {
			a := raw(t, url, method+" "+path+" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			if a.status != 404 || !strings.Contains(a.body, "/mcp") {
				t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
			}
		}
	}
	// Who may not talk to the server at all hears of no path either.
	if a := raw(t, url, "GET /admin HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"); a.status != 403 {
		t.Errorf("another host: %d", a.status)
	}
}

// Scaled down: a slow header, a dripping body and an idle connection are cut; a
// call that waits longer than any of these limits is not.
func TestSlowConnectionsAreCut(t *testing.T) {
	checkLeaks(t)
	b := newFake()
	f := New(b, Options{})
	f.limits = limits{readHeader: 50 * time.Millisecond, read: 100 * time.Millisecond, idle: 50 * time.Millisecond}
	addr, err := f.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer f.Close()
	defer b.close()
	url := "http://" + addr.String() + "/mcp"
	head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	for name, begin := range map[string]string{
		"header": head,
		"body":   head + "Content-Length: 1000\r\n\r\n{",
		"idle":   head + "Content-Length: 40\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
	} {
		c := dial(t, url)
		io.WriteString(c, begin)
		c.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Errorf("slow %s: the connection was not closed: %v", name, err)
		}
	}
	sid := connect(t, url)
	done := make(chan answer, 1)
	go func() {
		a, _ := tryPost(context.Background(), url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, headerSession, sid)
		done <- a
	}()
	eventually(t, "call queued", func() bool { return b.waiting() == 1 })
	<-time.After(300 * time.Millisecond)
	if b.poll(); (<-done).status != 200 {
		t.Error("a call that waited for 0.3 s was cut")
	}
}

// The limits are those that were measured: none of them may cut a long call or
// a quiet stream.
func TestServerLimits(t *testing.T) {
	_, f, _ := serve(t, Options{}, false)
	s := f.server
	if s.ReadHeaderTimeout != 5*time.Second || s.ReadTimeout != 15*time.Second || s.IdleTimeout != 2*time.Minute || s.MaxHeaderBytes != 16<<10 {
		t.Errorf("limits %v %v %v %d", s.ReadHeaderTimeout, s.ReadTimeout, s.IdleTimeout, s.MaxHeaderBytes)
	}
	if s.WriteTimeout != 0 {
		t.Errorf("WriteTimeout %v cuts event streams", s.WriteTimeout)
	}
	var _ http.Handler = f
}
