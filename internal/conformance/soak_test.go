package conformance_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

type (
	position struct{ X, Y float64 }
	velocity struct{ X, Y float64 }
	health   struct{ HP, Max int }
)

// game is a world that changes all the time: everything moves, and every frame
// some entities go and others come.
type game struct {
	world arche.World
	dbg   *mcpdebug.Server
	mu    sync.Mutex
	times []time.Duration // work of each frame
}

func (g *game) run(ctx context.Context) {
	movers := generic.NewMap2[position, velocity](&g.world)
	full := generic.NewMap3[position, velocity, health](&g.world)
	filter := generic.NewFilter2[position, velocity]()
	var alive []arche.Entity
	for range 2000 {
		alive = append(alive, full.NewWith(&position{}, &velocity{1, 2}, &health{10, 10}))
	}
	tick := time.NewTicker(time.Second / 60)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		start := time.Now()
		g.dbg.Poll()
		g.dbg.Guard(func() {
			q := filter.Query(&g.world)
			for q.Next() {
				p, v := q.Get()
				p.X += v.X
				p.Y += v.Y
			}
			for i := range 20 {
				k := (n*20 + i) % len(alive)
				if g.world.Alive(alive[k]) {
					g.world.RemoveEntity(alive[k])
				}
				alive[k] = movers.NewWith(&position{float64(n), 0}, &velocity{float64(i), 1})
			}
		})
		g.mu.Lock()
		g.times = append(g.times, time.Since(start))
		g.mu.Unlock()
	}
}

// p99 takes the frame times since the last call.
func (g *game) p99() (p99 time.Duration, frames int) {
	g.mu.Lock()
	times := g.times
	g.times = nil
	g.mu.Unlock()
	if len(times) == 0 {
		return 0, 0
	}
	slices.Sort(times)
	return times[len(times)*99/100], len(times)
}

// crowd is what the clients share.
type crowd struct {
	url, addr string
	answered  atomic.Int64
	failed    atomic.Int64
	client    *http.Client
}

func (c *crowd) post(ctx context.Context, session, body string) (status int, id, answer string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return 0, "", "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := c.client.Do(r)
	if err != nil {
		return 0, "", "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header.Get("Mcp-Session-Id"), string(b), err
}

func (c *crowd) connect(ctx context.Context) string {
	_, id, _, _ := c.post(ctx, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"soak","version":"1"}}}`)
	return id
}

func (c *crowd) leave(session string) {
	r, _ := http.NewRequest(http.MethodDelete, c.url, nil)
	r.Header.Set("Mcp-Session-Id", session)
	if resp, err := c.client.Do(r); err == nil {
		resp.Body.Close()
	}
}

var errands = []string{
	`{"name":"stats"}`, `{"name":"ping"}`, `{"name":"context"}`,
	`{"name":"query","arguments":{"with":["position"],"where":"position.X > 3","limit":5}}`,
	`{"name":"query","arguments":{"with":["health"],"limit":20}}`,
	`{"name":"spawn","arguments":{"components":{"position":{"X":1,"Y":2}}}}`,
	`{"name":"modify","arguments":{"query":{"with":["health"],"limit":3},"component":"health","values":{"HP":5}}}`,
	`{"name":"info","arguments":{"entity":"7v1"}}`,
	`{"name":"set","arguments":{"entity":"999999v1","component":"nope","value":{}}}`,
	`{"name":"stats","_meta":{"progressToken":"p"}}`,
}

// fast calls as quickly as it can and never gets another call's answer.
func (c *crowd) fast(ctx context.Context, r *rand.Rand, t *testing.T) {
	session := c.connect(ctx)
	defer func() { c.leave(session) }()
	for n := 0; ctx.Err() == nil; n++ {
		id := fmt.Sprintf(`"%d-%d"`, r.Uint32(), n)
		status, _, answer, err := c.post(ctx, session, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":`+errands[r.IntN(len(errands))]+`}`)
		switch {
		case err != nil:
			return // the end of the test
		case status == http.StatusNotFound || session == "":
			session = c.connect(ctx)
		case status != http.StatusOK || !strings.Contains(answer, `"id":`+id):
			c.failed.Add(1)
			t.Errorf("call %s: %d %.200s", id, status, answer)
		default:
			c.answered.Add(1)
		}
	}
}

// slow reads its answers byte by byte, with pauses.
func (c *crowd) slow(ctx context.Context, r *rand.Rand, t *testing.T) {
	session := c.connect(ctx)
	defer func() { c.leave(session) }()
	for ctx.Err() == nil {
		c.raw(ctx, session, "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, func(conn net.Conn) {
			buf := make([]byte, 512)
			for ctx.Err() == nil {
				if _, err := conn.Read(buf); err != nil {
					return
				}
				pause(ctx, time.Millisecond)
			}
		})
	}
}

// vanishing closes its connection in the middle of everything.
func (c *crowd) vanishing(ctx context.Context, r *rand.Rand, t *testing.T) {
	for ctx.Err() == nil {
		session := c.connect(ctx)
		for range 20 {
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + errands[r.IntN(len(errands))] + `}`
			c.raw(ctx, session, "POST", body, func(conn net.Conn) {
				pause(ctx, time.Duration(r.IntN(20))*time.Millisecond)
				conn.(*net.TCPConn).SetLinger(r.IntN(2) - 1)
			})
		}
		c.leave(session)
	}
}

// silent never reads: neither a big answer nor a stream of logs.
func (c *crowd) silent(ctx context.Context, r *rand.Rand, t *testing.T) {
	for ctx.Err() == nil {
		session := c.connect(ctx)
		c.post(ctx, session, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`)
		method, body := "GET", ""
		if r.IntN(2) == 0 {
			method, body = "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		}
		c.raw(ctx, session, method, body, func(conn net.Conn) { pause(ctx, time.Duration(r.IntN(1000))*time.Millisecond) })
		c.leave(session)
	}
}

// garbage sends what no client should.
func (c *crowd) garbage(ctx context.Context, r *rand.Rand, t *testing.T) {
	bodies := []string{"", "{", "[1,2]", `{"jsonrpc":"2.0","id":{},"method":5}`, strings.Repeat("[", 5000), "\x00\xff", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\ud800"}}`}
	for ctx.Err() == nil {
		if r.IntN(3) == 0 {
			noise := make([]byte, r.IntN(3000))
			for i := range noise {
				noise[i] = byte(r.Uint32())
			}
			if conn, err := net.Dial("tcp", c.addr); err == nil {
				conn.Write(noise)
				conn.Close()
			}
			continue
		}
		c.post(ctx, "no-such-session", bodies[r.IntN(len(bodies))])
	}
}

// listening holds a stream open and reads it.
func (c *crowd) listening(ctx context.Context, r *rand.Rand, t *testing.T) {
	for ctx.Err() == nil {
		session := c.connect(ctx)
		c.post(ctx, session, `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`)
		c.raw(ctx, session, "GET", "", func(conn net.Conn) {
			conn.SetReadDeadline(time.Now().Add(time.Duration(200+r.IntN(800)) * time.Millisecond))
			io.Copy(io.Discard, bufio.NewReader(conn))
		})
		c.leave(session)
	}
}

// raw sends a request over a connection of its own.
func (c *crowd) raw(ctx context.Context, session, method, body string, then func(net.Conn)) {
	conn, err := net.Dial("tcp", c.addr)
	if err != nil {
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	conn.(*net.TCPConn).SetReadBuffer(2048)
	fmt.Fprintf(conn, "%s /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s",
		method, session, len(body), body)
	then(conn)
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1 // not to be told on this platform
	}
	return len(entries)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestSoak lets fifty clients of mixed manners loose on a game that changes all
// the time. Afterwards memory, goroutines and files are back where they were.
// It takes 3 s, or a minute with LOUPE_SOAK=1.
func TestSoak(t *testing.T) {
	quiet, length := 500*time.Millisecond, 3*time.Second
	switch {
	case os.Getenv("LOUPE_SOAK") != "":
		quiet, length = 5*time.Second, time.Minute
	case testing.Short():
		length = time.Second
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()
	g := &game{world: arche.NewWorld()}
	goroutines := runtime.NumGoroutine()
	var err error
	g.dbg, err = mcpdebug.Listen("127.0.0.1:0", &mcpdebug.Options{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	g.dbg.Bind(archeworld.New(&g.world), &host.App{Name: "soak"})
	looping, stop := context.WithCancel(context.Background())
	var loop sync.WaitGroup
	loop.Go(func() { g.run(looping) })
	c := &crowd{url: g.dbg.URL(), addr: fmt.Sprintf("127.0.0.1:%d", g.dbg.Port()), client: client}

	// Once through everything, so that what is made once has been made.
	warm, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	c.fast(warm, rand.New(rand.NewPCG(0, 0)), t)
	cancel()
	client.CloseIdleConnections()
	c.answered.Store(0)
	files, before := openFiles(), heap()
	g.p99()
	pause(context.Background(), quiet)
	alone, _ := g.p99()

	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	var crowdDone sync.WaitGroup
	manners := []struct {
		n int
		f func(context.Context, *rand.Rand, *testing.T)
	}{{16, c.fast}, {8, c.slow}, {10, c.vanishing}, {6, c.silent}, {5, c.garbage}, {5, c.listening}}
	seed := uint64(0)
	for _, m := range manners {
		for range m.n {
			seed++
			r := rand.New(rand.NewPCG(seed, 7))
			crowdDone.Go(func() { m.f(ctx, r, t) })
		}
	}
	crowdDone.Wait()
	client.CloseIdleConnections()
	crowded, frames := g.p99()
	t.Logf("%d calls answered in %d frames; frame p99 %v alone, %v with %d clients", c.answered.Load(), frames, alone, crowded, seed)
	if c.answered.Load() < 20 {
		t.Errorf("only %d calls were answered", c.answered.Load())
	}
	if state, crashed := g.dbg.Crashed(); crashed {
		t.Errorf("the game crashed: %s", state)
	}

	settled := func(what string, ok func() bool) {
		deadline := time.Now().Add(15 * time.Second)
		for !ok() && time.Now().Before(deadline) {
			pause(context.Background(), 10*time.Millisecond)
		}
		if !ok() {
			buf := make([]byte, 1<<20)
			t.Errorf("%s did not come back: files %d, %d before; goroutines %d, %d before\n%s", what, openFiles(), files, runtime.NumGoroutine(), goroutines, buf[:runtime.Stack(buf, true)])
		}
	}
	settled("open files", func() bool { return openFiles() <= files+2 })
	if after := heap(); after > before+32<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before, after)
	} else {
		t.Logf("heap %d KiB before, %d KiB after", before>>10, after>>10)
	}
	stop()
	loop.Wait()
	start := time.Now()
	g.dbg.Close()
	if took := time.Since(start); took > 250*time.Millisecond {
		t.Errorf("Close took %v", took)
	}
	settled("goroutines", func() bool { return runtime.NumGoroutine() <= goroutines })
}
