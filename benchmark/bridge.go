package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// stdio is the command `loupe mcp` of this checkout, as a client has it.
type stdio struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	dir string // of its program and of everything that it announces
	id  int
}

// startBridge builds the command and starts it for the project at root.
func startBridge(root string) (*stdio, error) {
	dir, err := os.MkdirTemp("", "loupe-bench-")
	if err != nil {
		return nil, err
	}
	s := &stdio{dir: dir}
	exe := filepath.Join(dir, "loupe.exe")
	build := exec.Command("go", "build", "-o", exe, "./cmd/loupe")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		return s, fmt.Errorf("go build ./cmd/loupe: %w: %s", err, text)
	}
	s.cmd = exec.Command(exe, "mcp", "-dir", root)
	s.cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+filepath.Join(dir, "run"), "LOCALAPPDATA="+filepath.Join(dir, "run"))
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return s, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return s, err
	}
	s.out = bufio.NewReaderSize(out, 1<<16)
	if err := s.cmd.Start(); err != nil {
		return s, err
	}
	if _, err := s.rpc("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"benchmark","version":"1"}}`); err != nil {
		return s, err
	}
	_, err = io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return s, err
}

func (s *stdio) close() {
	if s.cmd != nil && s.cmd.Process != nil {
		s.in.Close()
		s.cmd.Wait()
	}
	os.RemoveAll(s.dir)
}

// rpc makes a request and waits for its result.
func (s *stdio) rpc(method, params string) (json.RawMessage, error) {
	s.id++
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.id, method, params); err != nil {
		return nil, err
	}
	for {
		text, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var m struct {
			ID            *int
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(text, &m); err != nil {
			return nil, err
		}
		switch {
		case m.ID == nil || *m.ID != s.id: // a notification
		case m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		default:
			return m.Result, nil
		}
	}
}

// tool calls a tool and decodes its structured answer.
func (s *stdio) tool(name, arguments string, out any) error {
	result, err := s.rpc("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
	if err != nil {
		return err
	}
	var r struct {
		IsError           bool
		StructuredContent json.RawMessage
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return err
	}
	if r.IsError {
		return fmt.Errorf("%s: %s", name, r.StructuredContent)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(r.StructuredContent, out)
}

// ping makes one call and looks at its answer as little as the client beside it
// does.
func (s *stdio) ping() error {
	s.id++
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ping","arguments":{}}}`+"\n", s.id); err != nil {
		return err
	}
	head := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,`, s.id)
	for {
		text, err := s.out.ReadSlice('\n')
		switch {
		case err != nil:
			return err
		case !bytes.HasPrefix(text, head): // a notification
		case !bytes.Contains(text, []byte(`"ok":true`)):
			return fmt.Errorf("ping: %s", text)
		default:
			return nil
		}
	}
}

// bridged starts the example game through a bridge. Both figures need it: a call
// through the bridge beside one straight to the game, and a restart that keeps
// the world.
func bridged(c *config) (lines []line, err error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return nil, err
	}
	s, err := startBridge(root)
	if s != nil {
		defer s.close()
	}
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(filepath.Join(s.dir, "data"))
	if err != nil {
		return nil, err
	}
	var game struct{ URL string }
	if err := s.tool("session_start", fmt.Sprintf(`{"package":"./examples/game","args":["-addr","127.0.0.1:0","-quiet","-data",%s],"waitMs":120000}`, data), &game); err != nil {
		return nil, err
	}
	if _, err := s.rpc("tools/list", `{}`); err != nil { // as clients do: it says what changes nothing
		return nil, err
	}
	direct := newClient(game.URL, callBody("ping", struct{}{}), `"ok":true`)
	defer direct.close()
	if err := direct.connect(); err != nil {
		return nil, err
	}
	calls := c.size(4000)
	if c.quick {
		calls = c.size(1000)
	}
	p50 := func(call func() error) (float64, error) {
		times := make([]float64, calls)
		for i := range times {
			begin := time.Now()
			if err := call(); err != nil {
				return 0, err
			}
			times[i] = float64(time.Since(begin).Nanoseconds())
		}
		slices.Sort(times)
		return quantile(times, 0.5), nil
	}
	var p sides
	for range c.rounds {
		a, err := p50(s.ping)
		if err != nil {
			return nil, err
		}
		b, err := p50(direct.call)
		if err != nil {
			return nil, err
		}
		p.a, p.b = append(p.a, a), append(p.b, b)
	}
	l := p.line("bridge_vs_direct", "≤ 2", 2)
	l.detail = "p50 of ping, which waits for no frame: " + l.detail
	lines = append(lines, l)

	var took []float64
	for range max(c.rounds, 1) {
		var r struct {
			SaveMs, StopMs, StartMs, LoadMs float64
			WorldKept                       bool
		}
		if err := s.tool("session_restart", `{"keepWorld":true,"waitMs":120000}`, &r); err != nil {
			return nil, err
		}
		if !r.WorldKept {
			return nil, fmt.Errorf("session_restart has not kept the world")
		}
		took = append(took, r.SaveMs+r.StopMs+r.StartMs+r.LoadMs)
	}
	l = figure("restart_ms", "ms", 1, took, "a restart of the example game with its world, all but the build: save, stop, start, load")
	l.goal, l.limit = "≤ 500 ms", 500
	return append(lines, l), nil
}
