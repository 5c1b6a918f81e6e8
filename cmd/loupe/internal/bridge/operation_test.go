package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/internal/discovery"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// playCut is a game whose connection breaks in the middle of one call of
// count_up: after it was answered, or, as "cut-early", before it arrives.
func playCut(app string) {
	dbg := mcpdebug.New(nil)
	type none struct{}
	type count struct {
		N int `json:"n"`
	}
	var n int
	fail := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	fail(dbg.Register(tools.New(tools.Spec{Name: "count_up", Description: "Counts."}, func(*tools.Frame, none) (count, error) {
		n++
		return count{n}, nil
	})))
	world := ecs.NewWorld()
	dbg.Bind(archeworld.New(&world), &host.App{Name: app})
	var cut atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"name":"count_up"`)) && cut.CompareAndSwap(false, true) {
			if app != "cut-early" {
				dbg.Handler().ServeHTTP(httptest.NewRecorder(), r)
			}
			panic(http.ErrAbortHandler)
		}
		dbg.Handler().ServeHTTP(w, r)
	}))
	_, err := discovery.Announce(discovery.Entry{App: app, URL: server.URL + "/mcp"})
	fail(err)
	for range time.Tick(time.Millisecond) {
		dbg.Poll()
	}
}

func TestACallWhoseConnectionBreaksIsAskedForAndNotRepeated(t *testing.T) {
	for app, next := range map[string]string{"cut-late": `"n":2`, "cut-early": `"n":1`} {
		runtimeDir(t)
		startGame(t, app)
		find(t, app)
		p := connect(t, Options{})
		p.names()
		if app == "cut-late" {
			if r := p.call("count_up", `{}`); r.IsError || !strings.Contains(string(r.StructuredContent), `"n":1`) {
				t.Errorf("an answer that got lost comes as %s", r.StructuredContent)
			}
		} else if code, text := p.refused("count_up", `{}`); code != "not_run" || !strings.Contains(text, "all it again") {
			t.Errorf("a call that never arrived: %s %s", code, text)
		}
		if r := p.call("count_up", `{}`); !strings.Contains(string(r.StructuredContent), next) {
			t.Errorf("%s: the next call answers %s, want %s: the one before ran once or not at all", app, r.StructuredContent, next)
		}
	}
}

func TestACallIsNamedOnceAndKeepsItsMeta(t *testing.T) {
	r := &request{tool: "set"}
	r.ID, r.Method = []byte(`1`), "tools/call"
	r.Params = []byte(`{"name":"set","_meta":{"progressToken":7},"arguments":{"_meta":{"a":1}}}`)
	r.nameOperation()
	for _, want := range []string{`"loupe/operation":"` + r.operation + `"`, `"progressToken":7`, `"arguments":{"_meta":{"a":1}}`, `"name":"set"`, `"id":1`} {
		if !strings.Contains(string(r.line), want) {
			t.Errorf("the line lacks %s: %s", want, r.line)
		}
	}
	own := &request{tool: "set"}
	own.Params = []byte(`{"name":"set","_meta":{"loupe/operation":"mine"}}`)
	if own.nameOperation(); own.operation != "mine" || own.line != nil {
		t.Errorf("a client's own name is replaced by %s in %s", own.operation, own.line)
	}
}

// A key that is written with escapes stays the key that it was.
func TestACallThatIsNamedKeepsItsKeys(t *testing.T) {
	r := &request{tool: "set"}
	r.Params = []byte(`{"name":"set","a\"b\\":1,"_meta":{"com.example/\"x\"":2,"\u00e9":3}}`)
	r.nameOperation()
	var params map[string]any
	if err := json.Unmarshal(r.Params, &params); err != nil {
		t.Fatalf("%v: %s", err, r.Params)
	}
	meta, _ := params["_meta"].(map[string]any)
	if params[`a"b\`] != 1.0 || meta[`com.example/"x"`] != 2.0 || meta["\u00e9"] != 3.0 || meta[metaOperation] != r.operation || len(params) != 3 || len(meta) != 3 {
		t.Errorf("%s", r.Params)
	}
}
