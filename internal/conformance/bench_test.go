package conformance_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/internal/conformance"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools"
)

// BenchmarkServer measures whole calls through a server whose loop polls
// every 50 µs (one that spins would starve the network poller), with a client that costs next to nothing: ping never waits
// for the loop, test_simple_text runs on it.
func BenchmarkServer(b *testing.B) {
	reg := tools.NewRegistry()
	conformance.Register(reg)
	dbg, err := mcpdebug.Listen("127.0.0.1:0", &mcpdebug.Options{Registry: reg, DataDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer dbg.Close()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		frame := time.NewTicker(50 * time.Microsecond)
		defer frame.Stop()
		for {
			select {
			case <-stop:
				return
			case <-frame.C:
				dbg.Poll()
			}
		}
	}()
	defer func() { close(stop); <-done }()
	c := &crowd{url: dbg.URL(), client: http.DefaultClient}
	session := c.connect(b.Context())
	http.DefaultClient.CloseIdleConnections()
	for _, tool := range []string{"ping", "test_simple_text"} {
		b.Run(tool, func(b *testing.B) {
			conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", dbg.Port()))
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
			request := []byte(fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", session, len(body), body))
			in := bufio.NewReader(conn)
			var times []time.Duration
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for b.Loop() {
				start := time.Now()
				conn.Write(request)
				length := 0
				for {
					line, err := in.ReadSlice('\n')
					if err != nil {
						b.Fatal(err)
					}
					if line = bytes.TrimSpace(line); len(line) == 0 {
						break
					}
					if n, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
						length, _ = strconv.Atoi(n)
					}
				}
				if n, err := in.Discard(length); err != nil || n == 0 {
					b.Fatal(n, err)
				}
				times = append(times, time.Since(start))
			}
			runtime.ReadMemStats(&after)
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "p50-µs")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N), "B/call")
		})
	}
}
