//go:build !nomcpdebug

package mcpdebug

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/snapshot"
)

var update = flag.Bool("update", false, "rewrite the server sections of testdata/sessions")

// TestTranscripts plays testdata/sessions/*.txtar. A file says in prose what
// it protects, and holds
//
//	-- world --    the fixture, then options: "small", "readonly", "allow NAME"
//	-- client --   one message a line, "@TICK[+DELAY] ...": a JSON-RPC message,
//	               or in short a tool and its arguments
//	-- ticks --    "NUMBER what happens": park NAME, unpark, crash, text TEXT,
//	               clear, hang DURATION, bind FIXTURE, log LEVEL TEXT, close, end
//	-- server --   what came back, in the order of the client's lines
//
// A tick is a turn of the loop: what the ticks section says of it, then the
// messages of that tick arrive, then Poll (or PollParked), then the update
// under Guard, then 16 ms pass. Time is the bubble's, so answers do not vary;
// only what depends on machine and source line is scrubbed.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/sessions/*.txtar")
	must(t, err)
	if len(files) == 0 {
		t.Fatal("no transcripts")
	}
	// The compressor is the process's: made in one bubble, it could not be used
	// in another.
	var file bytes.Buffer
	world := archeworld.New(newArena())
	_, err = snapshot.Save(&file, world, nil)
	must(t, err)
	_, err = snapshot.Load(&file, world, nil)
	must(t, err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			must(t, err)
			if len(bytes.TrimSpace(ar.Comment)) == 0 {
				t.Error("no prose says what this protects")
			}
			got, messages := play(t, ar)
			answersMatchSchemas(t, messages)
			want := section(ar, "server")
			if got == want {
				return
			}
			if !*update {
				t.Errorf("the server's answers differ (-update rewrites)\n%s", diffLines(want, got))
				return
			}
			setSection(ar, "server", got)
			must(t, os.WriteFile(file, txtar.Format(ar), 0o644))
		})
	}
}

func section(ar *txtar.Archive, name string) string {
	for _, f := range ar.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func setSection(ar *txtar.Archive, name, text string) {
	for i := range ar.Files {
		if ar.Files[i].Name == name {
			ar.Files[i].Data = []byte(text)
			return
		}
	}
	ar.Files = append(ar.Files, txtar.File{Name: name, Data: []byte(text)})
}

func diffLines(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for i := range max(len(w), len(g)) {
		var a, c string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			c = g[i]
		}
		if a != c {
			fmt.Fprintf(&b, "line %d\n- %s\n+ %s\n", i+1, a, c)
		}
	}
	return b.String()
}

// message is a line of the client section.
type message struct {
	tick  int
	delay time.Duration
	text  string
	reply string

	tool       string          // of a call in short
	refused    bool            // its answer was a refusal
	structured json.RawMessage // its answer, unscrubbed
	schema     json.RawMessage // the tool's output schema; nil if it has none
	listed     bool            // the tool is known at the end
}

var messageForm = regexp.MustCompile(`^@(\d+)(?:\+(\S+))? (.*)$`)

func parseMessages(t *testing.T, text string) (ms []*message) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := messageForm.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("client line %q is not @TICK[+DELAY] MESSAGE", line)
		}
		tick, _ := strconv.Atoi(m[1])
		msg := &message{tick: tick, text: m[3]}
		if m[2] != "" {
			var err error
			msg.delay, err = time.ParseDuration(m[2])
			must(t, err)
		}
		ms = append(ms, msg)
	}
	return ms
}

func parseEvents(t *testing.T, text string) (events map[int][]string, end int) {
	events = map[int][]string{}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at, what, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(at)
		must(t, err)
		if what == "end" {
			end = n
			continue
		}
		events[n] = append(events[n], what)
	}
	if end == 0 {
		t.Fatal(`the ticks section has no "NUMBER end"`)
	}
	return events, end
}

// play runs a transcript and returns what the server said.
func play(t *testing.T, ar *txtar.Archive) (string, []*message) {
	messages := parseMessages(t, section(ar, "client"))
	events, end := parseEvents(t, section(ar, "ticks"))
	synctest.Test(t, func(t *testing.T) {
		setup := strings.Fields(section(ar, "world"))
		o := &Options{DataDir: t.TempDir()}
		for i := 1; i < len(setup); i++ {
			switch setup[i] {
			case "readonly":
				o.ReadOnly = true
			case "allow":
				i++
				o.Allow = append(o.Allow, setup[i])
			case "queue":
				i++
				o.QueueLen, _ = strconv.Atoi(setup[i])
			default:
				t.Fatalf("unknown option %q", setup[i])
			}
		}
		s := withoutPort(t, o)
		g := newFixture(t, s, setup[0])
		c := &transcriptClient{s: s}
		c.connect(t)
		var flying sync.WaitGroup
		for tick := 1; tick <= end; tick++ {
			var during []string
			for _, what := range events[tick] {
				if strings.HasPrefix(what, "hang ") || what == "crash" {
					during = append(during, what)
					continue
				}
				g.happens(t, what)
			}
			for _, m := range messages {
				if m.tick != tick {
					continue
				}
				flying.Go(func() {
					time.Sleep(m.delay)
					m.reply = c.send(m)
				})
				if m.delay == 0 {
					synctest.Wait()
				}
			}
			if g.parked != "" {
				s.PollParked(g.parked)
			} else {
				s.Poll()
			}
			synctest.Wait() // the answers are sent before the update goes on
			for _, what := range during {
				g.happens(t, what)
			}
			s.Guard(g.update)
			time.Sleep(16 * time.Millisecond)
		}
		s.Close()
		flying.Wait()
		for _, m := range messages {
			if p, ok := listing.Of(s.registry).Lookup(m.tool); ok {
				m.schema, m.listed = p.Output, true
			}
		}
	})
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "> %s\n%s\n", m.text, scrub(m.reply))
	}
	return b.String(), messages
}

// transcriptClient speaks to the handler in memory, as a session.
type transcriptClient struct {
	s       *Server
	session string
	mu      sync.Mutex
	id      int
}

const version = "2025-11-25"

func (c *transcriptClient) connect(t *testing.T) {
	t.Helper()
	rec := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"transcript","version":"1"}}}`)
	if c.session = rec.Header().Get("Mcp-Session-Id"); c.session == "" {
		t.Fatalf("initialize: %d %s", rec.Code, rec.Body)
	}
	c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (c *transcriptClient) post(body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "http://127.0.0.1:7100/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
		r.Header.Set("MCP-Protocol-Version", version)
	}
	rec := httptest.NewRecorder()
	c.s.Handler().ServeHTTP(rec, r)
	return rec
}

// send posts a message; a tool in short is answered in short: its structured
// content, and before that the text where it is more than the content.
func (c *transcriptClient) send(m *message) string {
	text := m.text
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		rec := c.post(text)
		return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", rec.Code, strings.TrimSpace(rec.Body.String())))
	}
	tool, args, _ := strings.Cut(text, " ")
	if args == "" {
		args = "{}"
	}
	c.mu.Lock()
	c.id++
	id := c.id
	c.mu.Unlock()
	rec := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args))
	var r struct {
		ID     int
		Error  json.RawMessage
		Result struct {
			Content           []struct{ Type, Text string }
			StructuredContent json.RawMessage
			IsError           bool
			Meta              json.RawMessage `json:"_meta"`
		}
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &r); err != nil || r.ID != id {
		return fmt.Sprintf("HTTP %d %s", rec.Code, rec.Body)
	}
	if r.Error != nil {
		return "error " + string(r.Error)
	}
	m.tool, m.refused, m.structured = tool, r.Result.IsError, r.Result.StructuredContent
	out := "ok"
	if r.Result.IsError {
		out = "refused"
	}
	if r.Result.StructuredContent != nil {
		out += " " + string(r.Result.StructuredContent)
	}
	for _, block := range r.Result.Content {
		switch {
		case block.Type != "text":
			out += "\n  content " + block.Type
		case block.Text != string(r.Result.StructuredContent):
			out += "\n  " + strings.ReplaceAll(strings.TrimRight(block.Text, "\n"), "\n", "\n  ")
		}
	}
	if r.Result.Meta != nil {
		out += "\n  meta " + string(r.Result.Meta)
	}
	return out
}

var scrubs = []struct {
	form *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`"build":\{[^}]*\}`), `"build":{}`},
	{regexp.MustCompile(`goroutine \d+`), "goroutine N"},
	{regexp.MustCompile(`synctest bubble \d+`), "synctest bubble N"},
	{regexp.MustCompile(`0x[0-9a-f]+\??`), "0x0"},
	{regexp.MustCompile(`\.go:\d+`), ".go:LINE"},
	{regexp.MustCompile(`"line":\d+`), `"line":0`},
	{regexp.MustCompile(`"ids":\[[\d,]*\]`), `"ids":[]`},
	{regexp.MustCompile(`(?:/[\w.@+-]+)*/((?:mcpdebug|src|ecs|tools)/[\w./-]+\.go[":])`), "$1"},
	{regexp.MustCompile(`"goroutines":\d+`), `"goroutines":0`},
	{regexp.MustCompile(`"otherGoroutines":\d+`), `"otherGoroutines":0`},
	{regexp.MustCompile(` \+0x0`), ""},
	{regexp.MustCompile(`"goroutines":\[.*\],"hint"`), `"goroutines":[],"hint"`},
	{regexp.MustCompile(`transcript/1 [A-Z0-9]+`), "transcript/1 SESSION"},
	{regexp.MustCompile(`/tmp/[^"\\ ]*`), "TMP"},
	{regexp.MustCompile(`("path":"TMP","bytes":)\d+(?:,"rawBytes":\d+)?`), "${1}0"}, // the header names the build
	{regexp.MustCompile(`"modified":"[^"]*"`), `"modified":""`},
	// How many tools there are, and which others are spelled nearly alike:
	// another tool is no news to those who ask for one.
	{regexp.MustCompile(`((?:no tool|unknown tool)[^{}]*"options":\["[^"]*")[^\]]*\](,"total":\d+)?`), `$1,"..."]`},
	{regexp.MustCompile(`((?:no tool|unknown tool).*; options: [^,]*), .*?\.`), `$1, ... .`},
	{regexp.MustCompile(`(?m)(\}\},"total":)\d+(,"frame":\d+\})$`), "${1}0$2"},
	{regexp.MustCompile(`("values":\["query","component",true\].*"steps":)\d+`), "${1}0"}, // a script that reads help pays for its length
	{regexp.MustCompile(`("counts":\{.*)"listed":\d+(.*)"tools":\d+`), `$1"listed":0$2"tools":0`},
	{regexp.MustCompile(`"samples":\d+,"inUseBytes":\d+,"top":\[.*\],"allocated":\[.*\]`), `"samples":0,"inUseBytes":0,"top":[],"allocated":[]`},
}

func scrub(s string) string {
	for _, x := range scrubs {
		s = x.form.ReplaceAllString(s, x.with)
	}
	return s
}

var errUnknownEvent = errors.New("unknown event")
