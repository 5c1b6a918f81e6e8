//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/tools/host"
)

// tasksClient speaks the protocol's era without sessions.
type tasksClient struct {
	t        *testing.T
	s        *Server
	declares bool // that it knows tasks
}

func (c *tasksClient) body(method, params string) string {
	capabilities := `{}`
	if c.declares {
		capabilities = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	}
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` +
		capabilities + `},` + params + `}}`
}

func (c *tasksClient) request(method, name, params string) *http.Request {
	r := httptest.NewRequest("POST", "http://127.0.0.1:7100/mcp", strings.NewReader(c.body(method, params)))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}, "Mcp-Name": {name}}
	return r
}

type taskAnswer struct {
	ResultType, TaskID, Status, StatusMessage string
	TTLMs, PollIntervalMs                     int
	Result                                    struct {
		StructuredContent map[string]any
		IsError           bool
	}
	StructuredContent map[string]any
	IsError           bool
}

func (c *tasksClient) send(method, name, params string) (a taskAnswer, code int, data string) {
	c.t.Helper()
	w := httptest.NewRecorder()
	c.s.Handler().ServeHTTP(w, c.request(method, name, params))
	var m struct {
		Result taskAnswer
		Error  struct {
			Code int
			Data json.RawMessage
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil {
		c.t.Fatalf("%s answers %s", method, w.Body)
	}
	return m.Result, m.Error.Code, string(m.Error.Data)
}

func (c *tasksClient) call(tool, arguments string) taskAnswer {
	c.t.Helper()
	a, code, data := c.send("tools/call", tool, `"name":"`+tool+`","arguments":`+arguments)
	if code != 0 {
		c.t.Fatalf("%s: error %d %s", tool, code, data)
	}
	return a
}

func (c *tasksClient) get(id string) taskAnswer {
	c.t.Helper()
	a, code, data := c.send("tasks/get", id, `"taskId":"`+id+`"`)
	if code != 0 {
		c.t.Fatalf("tasks/get: error %d %s", code, data)
	}
	return a
}

// withTasks plays a game at 50 frames a second that runs a tick a frame.
func withTasks(t *testing.T, play func(c *tasksClient)) {
	bubble(t, &Options{CallTimeout: 5 * time.Second}, func(t *testing.T, s *Server) {
		clock := &heldClock{host.ClockInfo{Scale: 1, Paused: true}}
		s.Bind(archeworld.New(newWorld()), &host.App{Name: "tasks", Clock: clock})
		stop, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			for frame := time.NewTicker(20 * time.Millisecond); ; {
				select {
				case <-stop:
					frame.Stop()
					return
				case <-frame.C:
				}
				s.Poll()
				if clock.Pending > 0 {
					clock.Pending--
					clock.Tick++
				}
			}
		}()
		defer func() { close(stop); <-ended }()
		play(&tasksClient{t: t, s: s, declares: true})
	})
}

func TestALongStepIsATaskThatOutlastsTheCallTimeout(t *testing.T) {
	withTasks(t, func(c *tasksClient) {
		a := c.call("clock_set", `{"step":1000}`) // 20 s; the timeout of calls is 5 s
		if a.ResultType != "task" || a.Status != "working" || a.TaskID == "" || a.TTLMs < 60_000 || a.PollIntervalMs == 0 {
			t.Fatalf("a long step answers %+v", a)
		}
		time.Sleep(10 * time.Second)
		if now := c.get(a.TaskID); now.ResultType != "complete" || now.Status != "working" || !strings.Contains(now.StatusMessage, " of 1000 ticks") {
			t.Errorf("half way the task is %+v", now)
		}
		time.Sleep(15 * time.Second)
		done := c.get(a.TaskID)
		if done.Status != "completed" || done.Result.StructuredContent["ticks"] != 1000.0 {
			t.Errorf("at the end the task is %+v", done)
		}
		time.Sleep(2 * time.Hour)
		if _, code, _ := c.send("tasks/get", a.TaskID, `"taskId":"`+a.TaskID+`"`); code != -32602 {
			t.Errorf("long after its time a task answers code %d, want -32602", code)
		}
	})
}

func TestATaskThatIsCancelledLeavesTheClockWhereItStopped(t *testing.T) {
	for tool, arguments := range map[string]string{
		"clock_set": `{"step":1000}`,
		"run_until": `{"where":"Position.X > 1e9","maxTicks":1000}`,
	} {
		withTasks(t, func(c *tasksClient) {
			a := c.call(tool, arguments)
			time.Sleep(2 * time.Second)
			if _, code, _ := c.send("tasks/cancel", a.TaskID, `"taskId":"`+a.TaskID+`"`); code != 0 {
				t.Fatalf("%s: tasks/cancel fails with %d", tool, code)
			}
			time.Sleep(100 * time.Millisecond)
			if now := c.get(a.TaskID); now.Status != "cancelled" || !strings.Contains(now.StatusMessage, "stopped at tick") {
				t.Errorf("%s: a cancelled task is %+v", tool, now)
			}
			clock := c.call("clock_info", `{}`).StructuredContent
			time.Sleep(time.Second)
			if later := c.call("clock_info", `{}`).StructuredContent; later["tick"] != clock["tick"] || later["paused"] != true || later["pending"] != 0.0 {
				t.Errorf("%s: after it was cancelled the clock went on from %v to %v", tool, clock, later)
			}
		})
	}
}

func TestOnlyWhoKnowsTasksGetsOne(t *testing.T) {
	withTasks(t, func(c *tasksClient) {
		if a := c.call("clock_set", `{"step":10}`); a.ResultType != "complete" || a.StructuredContent["ticks"] != 10.0 {
			t.Errorf("a short step answers %+v, want no task", a)
		}
		if a := c.call("run_until", `{"where":"Positoin.X > 1"}`); a.ResultType != "complete" || !a.IsError {
			t.Errorf("a refusal answers %+v, want no task", a)
		}
		if a := c.call("call", `{"tool":"clock_set","arguments":{"step":100}}`); a.ResultType != "task" {
			t.Errorf("a long step by way of call answers %+v, want a task", a)
		}
		time.Sleep(3 * time.Second)
		c.declares = false
		if a := c.call("clock_set", `{"step":100}`); a.ResultType != "complete" || a.StructuredContent["ticks"] != 100.0 {
			t.Errorf("without the extension a long step answers %+v", a)
		}
		for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
			_, code, data := c.send(method, "x", `"taskId":"x"`)
			if code != -32021 || data != `{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}` {
				t.Errorf("%s without the extension: code %d, data %s", method, code, data)
			}
		}
		if _, code, _ := c.send("subscriptions/listen", "", `"notifications":{"taskIds":["x"]}`); code != -32021 {
			t.Errorf("a subscription to tasks without the extension: code %d", code)
		}
	})
}

func TestASubscriberHearsATaskToItsEnd(t *testing.T) {
	for _, also := range []string{``, `"toolsListChanged":true,`} {
		withTasks(t, func(c *tasksClient) {
			a := c.call("clock_set", `{"step":100}`)
			ctx, leave := context.WithCancel(c.t.Context())
			w := httptest.NewRecorder()
			heard := make(chan struct{})
			go func() {
				defer close(heard)
				r := c.request("subscriptions/listen", "", `"notifications":{`+also+`"taskIds":["`+a.TaskID+`","nobody's"]}`)
				c.s.Handler().ServeHTTP(w, r.WithContext(ctx))
			}()
			time.Sleep(5 * time.Second)
			leave()
			<-heard
			text := w.Body.String()
			for _, want := range []string{
				`"notifications/subscriptions/acknowledged"`, `"taskIds":["` + a.TaskID + `"]`,
				`"method":"notifications/tasks"`, `"status":"working","statusMessage":"`, ` of 100 ticks`,
				`"status":"completed"`, `"ticks":100`, `"io.modelcontextprotocol/subscriptionId":1`,
			} {
				if !strings.Contains(text, want) {
					t.Errorf("the stream (%s) lacks %s:\n%s", also, want, text)
				}
			}
			if n := strings.Count(text, `"notifications/tasks"`); n > 30 {
				t.Errorf("%d notifications in two seconds", n)
			}
		})
	}
}
