package front

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/internal/rawjson"

	"github.com/loupe-ecs/loupe/tools"
)

// openStream opens a session's event stream; its events arrive on the channel.
func openStream(t testing.TB, url, sid string) (<-chan string, func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set(headerSession, sid)
	ch, wait := stream(t, r)
	stop := func() { cancel(); wait() }
	t.Cleanup(stop)
	return ch, stop
}

// stream sends r and hears the events of its answer; wait ends with the stream.
func stream(t testing.TB, r *http.Request) (_ <-chan string, wait func()) {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		b, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s: %d %s", r.Method, resp.StatusCode, b)
	}
	ch := make(chan string, 1000)
	var reader sync.WaitGroup
	reader.Go(func() {
		defer close(ch)
		defer resp.Body.Close()
		events(resp.Body, func(data string) bool { ch <- data; return true })
	})
	return ch, reader.Wait
}

func next(t testing.TB, ch <-chan string) string {
	t.Helper()
	select {
	case ev, ok := <-ch:
		if !ok {
			t.Fatal("the stream ended")
		}
		return ev
	case <-time.After(10 * time.Second):
		t.Fatal("no event came")
	}
	return ""
}

func TestOneAnnouncementPerBurst(t *testing.T) {
	b, f, url := serve(t, Options{Burst: 20 * time.Millisecond}, false)
	sid := connect(t, url)
	ch, stop := openStream(t, url, sid)
	eventually(t, "stream open", func() bool { return f.sessions.get(sid).streaming.Load() != nil })
	for i := range 50 {
		b.reg.MustRegister(&tools.Tool{Spec: tools.Spec{Name: fmt.Sprintf("t%d", i), Description: "x"}, Handler: dummy})
	}
	b.reg.RegisterPrompt(&tools.Prompt{Name: "p", Get: func(*tools.Call, map[string]string) ([]tools.PromptMessage, error) { return nil, nil }})
	got := map[string]int{}
	for range 2 {
		got[string(rawjson.Member([]byte(next(t, ch)), "method"))]++
	}
	b.reg.Unregister("t7")
	got[string(rawjson.Member([]byte(next(t, ch)), "method"))]++
	if got[`"notifications/tools/list_changed"`] != 2 || got[`"notifications/prompts/list_changed"`] != 1 {
		t.Errorf("events %v", got)
	}
	select {
	case ev := <-ch:
		t.Errorf("one more event: %s", ev)
	default:
	}
	r, _ := http.NewRequest("GET", url, nil)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set(headerSession, sid)
	resp, err := http.DefaultClient.Do(r)
	if err != nil || resp.StatusCode != http.StatusConflict {
		t.Errorf("a second stream of the session: %v %v", resp, err)
	}
	resp.Body.Close()
	stop()
	eventually(t, "stream closed", func() bool { return f.sessions.get(sid).streaming.Load() == nil })
	openStream(t, url, sid)
}

// Changes that never pause must not put the announcement off.
func TestAnnouncementIsNotStarved(t *testing.T) {
	b, f, url := serve(t, Options{Burst: 20 * time.Millisecond}, false)
	sid := connect(t, url)
	ch, _ := openStream(t, url, sid)
	eventually(t, "stream open", func() bool { return f.sessions.get(sid).streaming.Load() != nil })
	quit := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-quit:
				return
			case <-tick.C:
				b.reg.MustRegister(&tools.Tool{Spec: tools.Spec{Name: "echo", Description: fmt.Sprint(i)}, Handler: dummy})
			}
		}
	})
	next(t, ch)
	next(t, ch)
	close(quit)
	wait.Wait()
}

func TestLogsAndUpdatesOnTheStream(t *testing.T) {
	log := &hostLog{}
	b, f, url := serve(t, Options{Burst: 5 * time.Millisecond, Logs: log.after, LogEvery: time.Millisecond}, false)
	announced := func() bool {
		f.announcer.mu.Lock()
		defer f.announcer.mu.Unlock()
		return f.announcer.timer == nil
	}
	b.reg.RegisterResource(&tools.Resource{URI: "test:watched", Name: "w", Read: func(*tools.Call, tools.ResourceRequest) ([]tools.ResourceContents, error) { return nil, nil }})
	eventually(t, "new resource announced", announced)
	sid := connect(t, url)
	ch, _ := openStream(t, url, sid)
	eventually(t, "stream open", func() bool { return f.sessions.get(sid).streaming.Load() != nil })
	a := post(t, url, `{"jsonrpc":"2.0","id":1.5,"method":"logging/setLevel","params":{"level":"warning"}}`, headerSession, sid)
	if a.body != `{"jsonrpc":"2.0","id":1.5,"result":{}}` {
		t.Errorf("setLevel: %s", a.body)
	}
	log.add(slog.LevelInfo, "too mild")
	log.add(slog.LevelWarn, map[string]any{"hp": 3})
	if ev := next(t, ch); !strings.Contains(ev, `"level":"warning"`) || !strings.Contains(ev, `"hp":3`) || !strings.Contains(ev, `"logger":"game"`) {
		t.Errorf("event %s", ev)
	}
	b.reg.ResourceUpdated("test:watched")
	for _, c := range []struct{ method, uri, want string }{
		{"resources/subscribe", "test:watched", `"result":{}`}, {"resources/subscribe", "test:other", `-32002`},
	} {
		a := post(t, url, `{"jsonrpc":"2.0","id":9007199254740993,"method":"`+c.method+`","params":{"uri":"`+c.uri+`"}}`, headerSession, sid)
		if !strings.HasPrefix(a.body, `{"jsonrpc":"2.0","id":9007199254740993,`) || !strings.Contains(a.body, c.want) {
			t.Errorf("%s %s: %s", c.method, c.uri, a.body)
		}
	}
	eventually(t, "earlier update announced", announced)
	for range 3 {
		b.reg.ResourceUpdated("test:watched")
	}
	if ev := next(t, ch); !strings.Contains(ev, `notifications/resources/updated`) || !strings.Contains(ev, `test:watched`) {
		t.Errorf("event %s", ev)
	}
	if a := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"resources/unsubscribe","params":{"uri":"test:watched"}}`, headerSession, sid); !strings.Contains(a.body, `"result":{}`) {
		t.Errorf("unsubscribe: %s", a.body)
	}
	select {
	case ev := <-ch:
		t.Errorf("one more event: %s", ev)
	default:
	}
}

// What is logged once a stream can be seen is sent on it, however long the
// stream takes to begin.
func TestNothingIsPassedOverWhileAStreamOpens(t *testing.T) {
	log := &hostLog{}
	var seen atomic.Bool // the stream, when it asked where to begin
	var f *Front
	var sid string
	logs := func(n uint64, level slog.Level) ([]LogRecord, uint64) {
		if n == math.MaxUint64 && f.sessions.get(sid).streaming.Load() != nil {
			seen.Store(true)
			log.add(slog.LevelWarn, "while it opens")
		}
		return log.after(n, level)
	}
	_, front, url := serve(t, Options{Logs: logs, LogEvery: time.Millisecond}, false)
	f = front
	sid = connect(t, url)
	post(t, url, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`, headerSession, sid)
	ch, _ := openStream(t, url, sid)
	eventually(t, "stream open", func() bool { return f.sessions.get(sid).streaming.Load() != nil })
	if !seen.Load() {
		log.add(slog.LevelWarn, "while it opens")
	}
	if ev := next(t, ch); !strings.Contains(ev, "while it opens") {
		t.Errorf("event %s", ev)
	}
}

// The host's own log is read by the stream, never pushed by who logs.
func TestLogOfTheHostOnTheStream(t *testing.T) {
	log := &hostLog{}
	log.add(slog.LevelWarn, "before")
	_, f, url := serve(t, Options{Logs: log.after, LogEvery: time.Millisecond}, false)
	sid := connect(t, url)
	ch, _ := openStream(t, url, sid)
	eventually(t, "stream open", func() bool { return f.sessions.get(sid).streaming.Load() != nil })
	log.add(slog.LevelWarn, "before the level is set")
	eventually(t, "line passed over", func() bool { return log.begun.Load() == 2 })
	post(t, url, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`, headerSession, sid)
	for _, s := range []string{"first", "second"} {
		log.add(slog.LevelWarn, s)
		if ev := next(t, ch); !strings.Contains(ev, `"data":"`+s+`"`) || !strings.Contains(ev, `"level":"warning"`) {
			t.Errorf("event %s, want %s", ev, s)
		}
	}
}

func TestProgressAndLogsOfACall(t *testing.T) {
	_, _, url := serve(t, Options{}, false)
	sid := connect(t, url)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"noisy","_meta":{"progressToken":"tok"}}}`
	a := post(t, url, body, headerSession, sid)
	if a.header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s %s", a.header, a.body)
	}
	var got []string
	events(strings.NewReader(a.body), func(data string) bool {
		if !json.Valid([]byte(data)) {
			t.Errorf("event %s", data)
		}
		got = append(got, data)
		return true
	})
	// The first few go at once; a log line stands beside each.
	if len(got) != 7 || !strings.Contains(got[0], `{"progressToken":"tok","progress":0,"total":100,"message":"step"}`) ||
		!strings.Contains(got[4], `"progress":100,`) || !strings.Contains(got[6], `"id":1,"result"`) {
		t.Errorf("events %q", got)
	}
	// Who takes no stream gets the answer alone, as JSON.
	a = post(t, url, body, headerSession, sid, "Accept", "application/json")
	if a.header.Get("Content-Type") != "application/json" || !strings.Contains(a.body, `"ok":true`) {
		t.Errorf("%s %s", a.header, a.body)
	}
	// Who takes streams only gets one.
	a = post(t, url, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, headerSession, sid, "Accept", "text/event-stream")
	if a.body != "event: message\ndata: "+`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n\n" {
		t.Errorf("%q", a.body)
	}
	if a = post(t, url, body, headerSession, sid, "Accept", "image/png"); a.status != 406 {
		t.Errorf("Accept image/png: %d", a.status)
	}
}

func TestAWaitingCallHearsItsPlace(t *testing.T) {
	b, _, url := serve(t, Options{WaitNotice: time.Millisecond}, false)
	sid := connect(t, url)
	var wait sync.WaitGroup
	call := func(meta string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"` + meta + `}}`
	}
	wait.Go(func() { tryPost(context.Background(), url, call(""), headerSession, sid) })
	eventually(t, "first call queued", func() bool { return b.waiting() == 1 })
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(call(`,"_meta":{"progressToken":5}`)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set(headerSession, sid)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	n, last := 0, -1.0
	events(resp.Body, func(data string) bool {
		var ev struct {
			Params struct {
				ProgressToken int
				Progress      float64
				Message       string
			}
			Result json.RawMessage
		}
		json.Unmarshal([]byte(data), &ev)
		if ev.Result != nil {
			return false
		}
		if n++; n == 3 {
			b.poll()
			b.poll()
		}
		if ev.Params.ProgressToken != 5 || ev.Params.Progress <= last || n == 1 && !strings.Contains(ev.Params.Message, "place 2 in the queue") {
			t.Errorf("event %s after progress %v", data, last)
		}
		last = ev.Params.Progress
		return true
	})
	if n < 3 {
		t.Errorf("%d notices", n)
	}
	wait.Wait()
}

// A request just beyond 8 KiB worked no worse than one just below, and replies
// of many megabytes arrive whole.
func TestSizes(t *testing.T) {
	_, _, url := serve(t, Options{}, true)
	sid := connect(t, url)
	for _, n := range []int{8033, 8192, 8433, 70_000, 1 << 20, 4<<20 - 200} {
		pad := strings.Repeat("x", n)
		a := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"pad":"`+pad+`"}}}`, headerSession, sid)
		if a.status != 200 || strings.Count(a.body, pad) != 2 {
			t.Errorf("%d bytes: %d, %d bytes came back", n, a.status, len(a.body))
		}
	}
	for _, n := range []int{1 << 10, 15 << 20, 40 << 20} {
		a := post(t, url, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{"bytes":%d}}}`, n), headerSession, sid)
		if a.status != 200 || len(a.body) < n || !strings.HasSuffix(a.body, `"}]}}`) {
			t.Errorf("a reply of %d bytes: %d, %d bytes", n, a.status, len(a.body))
		}
	}
	big := strings.Repeat("x", 4<<20)
	if a := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"`+big+`"}}`, headerSession, sid); a.status != 413 || !json.Valid([]byte(a.body)) {
		t.Errorf("a body over 4 MiB: %d %.100s", a.status, a.body)
	}
	chunked := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
	c := dial(t, url)
	go func() {
		io.WriteString(c, chunked)
		for range 5 << 20 / 65536 {
			if _, err := fmt.Fprintf(c, "10000\r\n%s\r\n", big[:65536]); err != nil {
				return
			}
		}
		io.WriteString(c, "0\r\n\r\n")
	}()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || resp.StatusCode != 413 {
		t.Errorf("a chunked body over 4 MiB: %v %v", resp, err)
	}
	if a := raw(t, url, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: "+strings.Repeat("x", 64<<10)+"\r\n\r\n"); a.status != 431 {
		t.Errorf("64 KiB of headers: %d", a.status)
	}
	if a := raw(t, url, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: "+strings.Repeat("x", 12<<10)+"\r\nContent-Length: 40\r\nConnection: close\r\n\r\n"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`); a.status != 404 {
		t.Errorf("a session id of 12 KiB: %d", a.status)
	}
}

func TestPanicIsAnswered(t *testing.T) {
	_, _, url := serve(t, Options{}, true)
	a := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"explode"}}`, headerSession, connect(t, url))
	if a.status != 500 || !strings.Contains(a.body, "-32603") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// A write timeout must not end a stream that is merely quiet.
func TestQuietStreamLives(t *testing.T) {
	_, _, url := serve(t, Options{KeepAlive: 60 * time.Millisecond, WriteTimeout: 20 * time.Millisecond}, false)
	c := dial(t, url)
	c.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(c, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: %s\r\n\r\n", connect(t, url))
	in := bufio.NewReader(c)
	for n := 0; n < 2; {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, ": still here") {
			n++
		}
	}
}

// Close with parked calls, open streams, idle connections and a client that
// does not read: everything ends at once and waiting calls are answered.
func TestCloseIsQuick(t *testing.T) {
	checkLeaks(t)
	b := newFake()
	f := New(b, Options{})
	addr, err := f.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + addr.String() + "/mcp"
	sid := connect(t, url)
	ch, stop := openStream(t, url, sid)
	parked := make(chan answer, 5)
	for range 5 {
		go func() {
			a, _ := tryPost(context.Background(), url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, headerSession, sid)
			parked <- a
		}()
	}
	big := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{"bytes":30000000}}}`
	slow := smallWindow(t, url)
	fmt.Fprintf(slow, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", sid, len(big), big)
	dripping := dial(t, url)
	io.WriteString(dripping, "POST /mcp HTTP/1.1\r\nHost: loc")
	eventually(t, "everything under way", func() bool { return b.waiting() == 5 && f.active.Load() == 7 })

	start := time.Now()
	b.close()
	f.Close()
	f.Close()
	took := time.Since(start)
	if took > 300*time.Millisecond { // 100 ms, and what a loaded machine adds
		t.Errorf("Close took %v", took)
	}
	t.Logf("Close took %v", took)
	for range 5 {
		if a := <-parked; !strings.Contains(a.body, `"closed"`) {
			t.Errorf("a waiting call got %d %q", a.status, a.body)
		}
	}
	for range ch {
	}
	stop()
	slow.Close()
	dripping.Close()
	if _, err := net.Dial("tcp", addr.String()); err == nil {
		t.Error("the port is still open")
	}
	http.DefaultClient.CloseIdleConnections()
}

// hostLog is a host's log as streams read it.
type hostLog struct {
	mu      sync.Mutex
	records []LogRecord
	begun   atomic.Int64 // records there were when a stream asked where to begin
}

func (l *hostLog) add(level slog.Level, data any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, LogRecord{Level: level, Logger: "game", Data: data})
}

func (l *hostLog) after(n uint64, level slog.Level) (records []LogRecord, next uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next = uint64(len(l.records))
	if n > next {
		l.begun.Store(int64(next))
		return nil, next
	}
	for _, r := range l.records[n:] {
		if r.Level >= level {
			records = append(records, r)
		}
	}
	return records, next
}

// A subscription's id comes back in all that it sends: as the client wrote it,
// though the SDK would round it.
func TestSubscriptionIDsComeBackAsSent(t *testing.T) {
	b, _, url := serve(t, Options{Burst: time.Millisecond}, false)
	for _, id := range []string{"1.5", "9007199254740993", `"a\u0041"`, "-0"} {
		ctx, cancel := context.WithCancel(t.Context())
		body := `{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"` +
			metaVersion + `":"` + modernVersion + `","` + metaCapabilities + `":{}}}}`
		r, _ := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(body))
		for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "text/event-stream", headerVersion: modernVersion, headerMethod: "subscriptions/listen"} {
			r.Header.Set(k, v)
		}
		ch, wait := stream(t, r)
		want := `"io.modelcontextprotocol/subscriptionId":` + id
		if ev := next(t, ch); !strings.Contains(ev, "acknowledged") || !strings.Contains(ev, want) {
			t.Errorf("id %s: %s", id, ev)
		}
		b.reg.MustRegister(&tools.Tool{Spec: tools.Spec{Name: "new", Description: id}, Handler: dummy})
		if ev := next(t, ch); !strings.Contains(ev, "tools/list_changed") || !strings.Contains(ev, want) {
			t.Errorf("id %s: %s", id, ev)
		}
		cancel()
		wait()
	}
}
