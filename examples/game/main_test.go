package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The test binary becomes the game when this is set.
func TestMain(m *testing.M) {
	if os.Getenv("GAME_AS_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

type process struct {
	*exec.Cmd
	out *bufio.Scanner
	url string
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"-addr", "127.0.0.1:0", "-data", t.TempDir()}, args...)...)
	cmd.Env = append(os.Environ(), "GAME_AS_MAIN=1")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	p := &process{cmd, bufio.NewScanner(pipe), ""}
	if !p.out.Scan() {
		t.Fatal("the game printed nothing")
	}
	m := regexp.MustCompile(`^debug server listening at (http://127\.0\.0\.1:[0-9]+/mcp)$`).FindStringSubmatch(p.out.Text())
	if m == nil {
		t.Fatalf("first line %q", p.out.Text())
	}
	p.url = m[1]
	return p
}

func (p *process) rest() string {
	var lines []string
	for p.out.Scan() {
		lines = append(lines, p.out.Text())
	}
	return strings.Join(lines, "\n")
}

func TestFramesEndTheGame(t *testing.T) {
	p := start(t, "-frames", "120", "-fps", "0", "-seed", "1")
	rest := p.rest()
	if err := p.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if !strings.Contains(rest, "claude mcp add") || !strings.Contains(rest, "stopped at frame 120, tick 120, state ") {
		t.Errorf("it said\n%s", rest)
	}
	// The same frames in another process end in the same state.
	if again := start(t, "-frames", "120", "-fps", "0", "-seed", "1").rest(); lastLine(again) != lastLine(rest) {
		t.Errorf("%q, then %q", lastLine(rest), lastLine(again))
	}
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

func TestSignalsEndTheGameCleanly(t *testing.T) {
	for _, hang := range []string{"0", "3"} { // also while it hangs
		p := start(t, "-quiet", "-hang-at", hang, "-hang-for", "1h")
		p.waitFrame(t, 2)
		if err := p.Process.Signal(os.Interrupt); err != nil {
			t.Skip("no signals here:", err)
		}
		p.rest()
		if err := p.Wait(); err != nil {
			t.Errorf("hang at %s: exit %v", hang, err)
		}
	}
}

// ping asks the running game.
func (p *process) ping(t *testing.T) (r struct {
	State, Operation string
	Frame            uint64
}) {
	t.Helper()
	req, _ := http.NewRequest("POST", p.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}}}`))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2026-07-28")
	req.Header.Set("Mcp-Method", "tools/call")
	req.Header.Set("Mcp-Name", "ping")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var a struct {
		Result struct{ StructuredContent json.RawMessage }
		Error  any
	}
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil || a.Error != nil {
		t.Fatal(err, a.Error)
	}
	if err := json.Unmarshal(a.Result.StructuredContent, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func (p *process) waitFrame(t *testing.T, n uint64) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); p.ping(t).Frame < n; {
		if time.Now().After(deadline) {
			t.Fatalf("frame %d not reached", n)
		}
	}
}

func TestParkedFramesCount(t *testing.T) {
	p := start(t, "-quiet", "-park-at", "5", "-park-for", "100000")
	p.waitFrame(t, 20)
	if r := p.ping(t); r.State != "parked" || r.Operation != "load_level" {
		t.Errorf("%+v", r)
	}
}

// The first frame is a frame like any other, and the level is there afterwards.
func TestParkedFromTheFirstFrameOn(t *testing.T) {
	p := start(t, "-quiet", "-fps", "0", "-park-at", "1", "-park-for", "100000000")
	p.waitFrame(t, 2)
	if r := p.ping(t); r.State != "parked" || r.Operation != "load_level" {
		t.Errorf("%+v", r)
	}
	short := start(t, "-park-at", "1", "-park-for", "10", "-fps", "0", "-frames", "30")
	if rest := short.rest(); short.Wait() != nil || !strings.Contains(rest, "stopped at frame 30, tick 20,") {
		t.Errorf("30 frames, ten of them parked: %s", rest)
	}
}

func TestACrashedGameGoesOnCounting(t *testing.T) {
	p := start(t, "-quiet", "-crash-at", "5")
	p.waitFrame(t, 20)
	if r := p.ping(t); r.State != "crashed" {
		t.Errorf("%+v", r)
	}
}

func TestBadFlags(t *testing.T) {
	for _, args := range [][]string{{"-fps", "-1"}, {"-enemies", "x"}, {"stray"}} {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), "GAME_AS_MAIN=1")
		cmd.Dir = t.TempDir()
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// A folder that cannot be made is an error, not a game without files.
func TestUnusableDataFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o666)
	cmd := exec.Command(os.Args[0], "-addr", "127.0.0.1:0", "-frames", "1", "-data", filepath.Join(file, "sub"))
	cmd.Env = append(os.Environ(), "GAME_AS_MAIN=1")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "game: ") {
		t.Errorf("%v: %s", err, out)
	}
}
