package front

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestSessionLife(t *testing.T) {
	b, f, url := serve(t, Options{}, true)
	a := post(t, url, initialize)
	for _, want := range []string{`"protocolVersion":"2025-06-18"`, `"serverInfo":{"name":"loupe"`, `"listChanged":true`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("initialize lacks %s: %s", want, a.body)
		}
	}
	sid := a.header.Get(headerSession)
	if len(sid) < 26 || sid == connect(t, url) {
		t.Errorf("session id %q can be guessed", sid)
	}
	if b.connected.Load() != 2 || f.sessions.len() != 2 {
		t.Errorf("%d connected, %d sessions, want 2", b.connected.Load(), f.sessions.len())
	}
	if a := post(t, url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headerSession, sid); a.status != 202 || a.body != "" {
		t.Errorf("a notification: %d %q", a.status, a.body)
	}
	list := `{"jsonrpc":"2.0","id":"a","method":"tools/list"}`
	if a := post(t, url, list, headerSession, sid, headerVersion, "2025-06-18"); a.status != 200 {
		t.Errorf("tools/list: %d", a.status)
	}
	if a := post(t, url, list); a.status != 400 || !strings.Contains(a.body, `"id":"a","error":{"code":-32600`) {
		t.Errorf("without a session: %d %s", a.status, a.body)
	}
	if a := post(t, url, list, headerSession, "stale"); a.status != 404 || !strings.Contains(a.body, `"id":"a"`) {
		t.Errorf("a stale session: %d %s", a.status, a.body)
	}
	if a := post(t, url, list, headerSession, sid, headerVersion, "1999-01-01"); a.status != 400 || !strings.Contains(a.body, `-32022`) || !strings.Contains(a.body, `"id":"a"`) {
		t.Errorf("an unknown version: %d %s", a.status, a.body)
	}
	r, _ := http.NewRequest("DELETE", url, nil)
	r.Header.Set(headerSession, sid)
	resp, err := http.DefaultClient.Do(r)
	if err != nil || resp.StatusCode != 204 {
		t.Fatalf("DELETE: %v %v", resp, err)
	}
	resp.Body.Close()
	if a := post(t, url, list, headerSession, sid); a.status != 404 {
		t.Errorf("after DELETE: %d", a.status)
	}
	if b.connected.Load() != 1 {
		t.Errorf("%d connected after DELETE, want 1", b.connected.Load())
	}
}

func TestNegotiation(t *testing.T) {
	_, _, url := serve(t, Options{}, false)
	for asked, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-11-25": "2025-11-25", "2026-07-28": "2025-11-25", "2030-01-01": "2025-11-25", "x": "2025-11-25"} {
		a := post(t, url, strings.Replace(initialize, "2025-06-18", asked, 1))
		if !strings.Contains(a.body, `"protocolVersion":"`+want+`"`) {
			t.Errorf("asked for %s: %s", asked, a.body)
		}
	}
}

// A game that was started again knows none of its clients' sessions: their
// next call must tell them so, on the same port at once.
func TestRestartUnderAClient(t *testing.T) {
	_, f, url := serve(t, Options{}, true)
	sid := connect(t, url)
	addr := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	f.Close()
	again := New(newFake(), Options{})
	defer again.Close()
	if _, err := again.Listen(addr); err != nil {
		t.Fatalf("the port is not free right after Close: %v", err)
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping"}}`
	a, err := tryPost(context.Background(), url, call, headerSession, sid)
	if err != nil { // the idle connection of before
		a = post(t, url, call, headerSession, sid)
	}
	if a.status != 404 {
		t.Fatalf("a session of the game before: %d %s", a.status, a.body)
	}
	if a := post(t, url, call, headerSession, connect(t, url)); !strings.Contains(a.body, `"ok":true`) {
		t.Errorf("after initialising again: %s", a.body)
	}
}

func TestSessionCap(t *testing.T) {
	_, f, url := serve(t, Options{MaxSessions: 3}, false)
	for range 3 {
		connect(t, url)
	}
	a := post(t, url, initialize)
	if a.status != 503 || !strings.Contains(a.body, "all 3 sessions are in use") || f.sessions.len() != 3 {
		t.Errorf("a fourth session: %d %s", a.status, a.body)
	}
	f.sessions.each(func(s *session) { s.last.Add(-int64(2 * evictable)) })
	if connect(t, url); f.sessions.len() != 3 {
		t.Errorf("%d sessions after one made room", f.sessions.len())
	}
}

func TestIdleSessionsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newFake()
		f := New(b, Options{IdleTimeout: 10 * time.Minute})
		defer f.Close()
		send := func(body, sid string) *httptest.ResponseRecorder {
			r := httptest.NewRequest("POST", "http://localhost/mcp", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set(headerSession, sid)
			w := httptest.NewRecorder()
			f.ServeHTTP(w, r)
			return w
		}
		idle := send(initialize, "").Header().Get(headerSession)
		busy := send(initialize, "").Header().Get(headerSession)
		for range 4 {
			time.Sleep(5 * time.Minute)
			if w := send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, busy); w.Code != 200 {
				t.Fatalf("a session in use expired: %d", w.Code)
			}
		}
		if w := send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, idle); w.Code != 404 {
			t.Errorf("an idle session is still there after 20 minutes: %d", w.Code)
		}
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		if f.sessions.len() != 0 || b.connected.Load() != 0 {
			t.Errorf("%d sessions, %d connected, want none", f.sessions.len(), b.connected.Load())
		}
	})
}

func TestStatelessClientsCountWhileTheyAreHeardOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newFake()
		f := New(b, Options{})
		defer f.Close()
		for range 3 {
			f.stateless.seen()
			time.Sleep(40 * time.Second)
		}
		if b.connected.Load() != 1 {
			t.Errorf("%d connected, want 1", b.connected.Load())
		}
		time.Sleep(2 * gone)
		synctest.Wait()
		if b.connected.Load() != 0 {
			t.Errorf("%d connected after a long silence", b.connected.Load())
		}
	})
}

// Many clients use the same ids on one session at the same time; each must get
// the answer to its own call.
func TestRepliesNeverCross(t *testing.T) {
	_, _, url := serve(t, Options{}, true)
	sid := connect(t, url)
	var wait sync.WaitGroup
	for client := range 16 {
		wait.Go(func() {
			for i := range 30 {
				mark := fmt.Sprintf("c%d-%d", client, i)
				a, err := tryPost(context.Background(), url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"mark":"`+mark+`"}}}`, headerSession, sid)
				if err != nil || !strings.Contains(a.body, `{"got":{"mark":"`+mark+`"}`) {
					t.Errorf("%s got %s (%v)", mark, a.body, err)
				}
			}
		})
	}
	wait.Wait()
}

func TestQueuedCallsOfGoneClientsNeverRun(t *testing.T) {
	b, _, url := serve(t, Options{}, false)
	sid := connect(t, url)
	call := func(id, note string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"echo","arguments":{"note":"` + note + `"}}}`
	}
	ctx, leave := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	wait.Go(func() { tryPost(ctx, url, call("1", "gone"), headerSession, sid) })
	eventually(t, "first call queued", func() bool { return b.waiting() == 1 })
	cancelled := make(chan answer, 1)
	wait.Go(func() {
		a, _ := tryPost(context.Background(), url, call("1.50", "cancelled"), headerSession, sid)
		cancelled <- a
	})
	eventually(t, "second call queued", func() bool { return b.waiting() == 2 })
	wait.Go(func() { tryPost(context.Background(), url, call("3", "stays"), headerSession, sid) })
	eventually(t, "third call queued", func() bool { return b.waiting() == 3 })

	leave() // closes the connection
	other := connect(t, url)
	post(t, url, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`, headerSession, other) // not its call
	post(t, url, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.50}}`, headerSession, sid)
	if a := <-cancelled; !strings.Contains(a.body, `"cancelled"`) {
		t.Errorf("the cancelled call got %s", a.body)
	}
	eventually(t, "server noticed the closed connection", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.queue[0].ctx.Err() != nil
	})
	for b.poll() {
	}
	wait.Wait()
	if b.notes() != "stays" {
		t.Errorf("ran %q, want only the call whose client stayed", b.notes())
	}
}

func TestDeleteCancelsTheSessionsCalls(t *testing.T) {
	b, _, url := serve(t, Options{}, false)
	sid := connect(t, url)
	done := make(chan answer, 1)
	go func() {
		a, _ := tryPost(context.Background(), url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"note":"x"}}}`, headerSession, sid)
		done <- a
	}()
	eventually(t, "call queued", func() bool { return b.waiting() == 1 })
	r, _ := http.NewRequest("DELETE", url, nil)
	r.Header.Set(headerSession, sid)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	<-done
	if b.poll(); b.notes() != "" {
		t.Errorf("the call ran after its session was gone: %s", b.notes())
	}
}

func TestInitializeIsKeptForEverySessionSoItIsBounded(t *testing.T) {
	_, f, url := serve(t, Options{}, false)
	big := strings.Replace(initialize, `"capabilities":{`, `"capabilities":{"experimental":{"x":"`+strings.Repeat("x", maxInit)+`"},`, 1)
	if a := post(t, url, big); !strings.Contains(a.body, `"code":-32602`) || !strings.Contains(a.body, "at most 65536") || f.sessions.len() != 0 {
		t.Errorf("%.300s, %d sessions", a.body, f.sessions.len())
	}
}

// A request may have found its session just before that ends.
func TestCallOfASessionThatHasJustEndedIsCancelled(t *testing.T) {
	f := New(newFake(), Options{})
	defer f.Close()
	s := f.sessions.create([]byte(`{}`))
	var before, after bool
	s.track(&inflight{cancel: func() { before = true }})
	if before {
		t.Error("cancelled while the session lives")
	}
	if !f.sessions.remove(s.id) || !before {
		t.Errorf("the end of the session did not cancel its call")
	}
	s.track(&inflight{cancel: func() { after = true }})
	if !after {
		t.Error("a call that came after the end goes on")
	}
}
