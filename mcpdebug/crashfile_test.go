//go:build !nomcpdebug

package mcpdebug

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/internal/buildinfo"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/tools"
)

// TestMain lets the test binary be the game that dies.
func TestMain(m *testing.M) {
	stderr = io.Discard
	if how := os.Getenv("LOUPE_TEST_DIE"); how != "" {
		die(how, os.Getenv("LOUPE_TEST_CRASHFILE"))
		return
	}
	// Servers without a DataDir write into the user's cache.
	cache, err := os.MkdirTemp("", "loupe-test-")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CACHE_HOME", cache)
	code := m.Run()
	os.RemoveAll(cache)
	os.Exit(code)
}

// die runs a game that ends badly.
func die(how, file string) {
	time.AfterFunc(30*time.Second, func() { os.Exit(4) }) // whatever becomes of the test
	s, err := Listen("127.0.0.1:0", &Options{CrashFile: file})
	if err != nil {
		panic(err)
	}
	for range 3 {
		s.Poll()
	}
	fmt.Println("running")
	switch how {
	case "serve":
		s.registry.MustRegister(plain("hang", nil, func(*tools.Frame, json.RawMessage) (any, error) { fmt.Println("in the call"); select {} }))
		fmt.Println(s.URL())
		for {
			s.Poll()
		}
	case "map":
		writeMapTwice()
	case "overflow":
		debug.SetMaxStack(1 << 20)
		s.Guard(func() { fmt.Println(endless(1)) }) // Guard cannot recover this
	case "goroutine":
		go func() { panic("the loader broke") }()
		select {}
	case "unguarded":
		panic("outside Guard")
	case "kill":
		s.Guard(func() { select {} })
	case "close":
		s.Close()
	case "exit":
		os.Exit(3)
	}
}

//go:noinline
func endless(n int) int {
	if n < 0 {
		return 0
	}
	return endless(n+1) + 1
}

//go:noinline
func writeMapTwice() {
	m := map[int]int{}
	for range 4 {
		go func() {
			for i := 0; ; i++ {
				m[i%100] = i
			}
		}()
	}
	select {}
}

func runUntilDead(t *testing.T, how, file string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LOUPE_TEST_DIE="+how, "LOUPE_TEST_CRASHFILE="+file, "GORACE=halt_on_error=0")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line != "running\n" {
		t.Fatalf("the child says %q", line)
	}
	if how == "kill" {
		must(t, cmd.Process.Kill())
	}
	timer := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
}

func TestNextProcessReportsHowThePreviousOneEnded(t *testing.T) {
	for _, c := range []struct {
		how, reason, inFrames string
		seen                  bool
	}{
		{"map", "concurrent use of a map", "writeMapTwice", true},
		{"overflow", "stack overflow", "endless", true},
		{"goroutine", "the loader broke", "die", true},
		{"unguarded", "outside Guard", "die", true},
		{"kill", "its end was not seen", "", false},
		{"exit", "its end was not seen", "", false},
	} {
		t.Run(c.how, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "crash.txt")
			runUntilDead(t, c.how, file)
			report, err := crashes.LeftBehind(file)
			must(t, err)
			if report == nil || !strings.Contains(report.Reason, c.reason) || report.Seen != c.seen {
				t.Fatalf("%+v", report)
			}
			if c.seen && !strings.Contains(fmt.Sprint(report.Frames), c.inFrames) {
				t.Errorf("frames %v", report.Frames)
			}
			if report.Build.PID == 0 || report.Build.PID == os.Getpid() || report.Build.Go == "" || report.EndedAt == "" {
				t.Errorf("which process it was: %+v", report)
			}
		})
	}
}

func TestPreviousCrashIsServedUntilAcknowledged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crash.txt")
	runUntilDead(t, "goroutine", file)
	o := &Options{CrashFile: file}
	for range 2 { // also the one after the next still tells
		s := New(o)
		m := succeeded(t, now(t, s, "crash_report", ""))
		p, _ := m["previous"].(map[string]any)
		if m["crashed"] != false || !strings.Contains(fmt.Sprint(p["reason"]), "the loader broke") || p["seen"] != true {
			t.Fatalf("%v", m)
		}
		must(t, s.Close())
	}
	bubble(t, o, func(t *testing.T, s *Server) {
		if m := succeeded(t, now(t, s, "context", "")); !strings.Contains(fmt.Sprint(m["previousRun"]), "the loader broke") {
			t.Errorf("context does not mention it: %v", m)
		}
		if m := succeeded(t, polled(t, s, "clear_crash", "")); m["acknowledged"] != true || m["resumed"] != false {
			t.Errorf("%v", m)
		}
		if m := succeeded(t, now(t, s, "crash_report", "")); m["previous"] != nil {
			t.Errorf("still there: %v", m["previous"])
		}
	})
	left, err := filepath.Glob(file + "*")
	must(t, err)
	if len(left) != 0 {
		t.Errorf("a clean end leaves %v", left)
	}
}

// The process dies mid-call: the caller hears of it at once, and nothing waits
// for a timeout.
func TestDeathMidCallEndsTheConnection(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LOUPE_TEST_DIE=serve", "LOUPE_TEST_CRASHFILE=")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	defer func() { cmd.Process.Kill(); _ = cmd.Wait() }()
	lines := bufio.NewScanner(out)
	lines.Scan()
	lines.Scan()
	post := dialURL(t, lines.Text())
	answer, begun := make(chan string, 1), make(chan bool, 1)
	go func() { answer <- post(fmt.Sprintf(pingCall, "hang")) }()
	go func() { begun <- lines.Scan() && lines.Text() == "in the call" }()
	select {
	case ok := <-begun:
		if !ok {
			t.Fatal("the child has not begun the call")
		}
	case got := <-answer:
		t.Fatalf("answered: %s", got)
	}
	must(t, cmd.Process.Kill())
	select {
	case got := <-answer:
		if strings.Contains(got, "result") {
			t.Errorf("an answer from the dead: %s", got)
		}
	case <-time.After(5 * time.Second):
		t.Error("the caller still waits")
	}
}

func TestCleanEndIsNoCrash(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crash.txt")
	runUntilDead(t, "close", file)
	if p, err := crashes.LeftBehind(file); p != nil || err != nil {
		t.Errorf("%+v %v", p, err)
	}
}

func TestCrashFileOfALivingProcessIsLeftAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crash.txt")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "LOUPE_TEST_DIE=serve", "LOUPE_TEST_CRASHFILE="+file)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	defer func() { cmd.Process.Kill(); _ = cmd.Wait() }()
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "running\n" {
		t.Fatalf("the child says %q", line)
	}
	s := withoutPort(t, &Options{CrashFile: file})
	if l := logsOf(s); !strings.Contains(l, fmt.Sprintf("process %d uses it", cmd.Process.Pid)) {
		t.Errorf("log: %s", l)
	}
	must(t, s.Close())
	var m struct{ Build buildinfo.Run }
	b, err := os.ReadFile(file + ".run")
	must(t, err)
	if json.Unmarshal(b, &m) != nil || m.Build.PID != cmd.Process.Pid {
		t.Errorf("the other process's marker was touched: %s", b)
	}
}

// The number of a process that was killed may be another one's by now: after a
// restart of the machine, or in a container, where each run has the same.
func TestMarkerOfADeadProcessWhoseNumberLives(t *testing.T) {
	for name, pid := range map[string]int{"another's": os.Getppid(), "this one's": os.Getpid()} {
		file := filepath.Join(t.TempDir(), "crash.txt")
		build := buildinfo.Process()
		build.PID, build.StartedAt = pid, "2026-01-02T03:04:05Z"
		marker, err := json.Marshal(map[string]any{"build": build, "frame": 41})
		must(t, err)
		must(t, os.WriteFile(file+".run", marker, 0o600))
		s := withoutPort(t, &Options{CrashFile: file})
		p, _ := succeeded(t, now(t, s, "crash_report", ""))["previous"].(map[string]any)
		if p["lastFrame"] != 41.0 || !strings.Contains(fmt.Sprint(p["reason"]), "its end was not seen") {
			t.Errorf("%s number: %v, log %s", name, p, logsOf(s))
		}
		must(t, s.Close())
	}
}

func TestTwoServersOfOneProcessDoNotShareACrashFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crash.txt")
	first := withoutPort(t, &Options{CrashFile: file})
	second := withoutPort(t, &Options{CrashFile: file})
	if l := logsOf(second); !strings.Contains(l, "the crash file cannot be used") {
		t.Errorf("log: %s", l)
	}
	must(t, second.Close())
	if _, err := os.Stat(file + ".run"); err != nil {
		t.Errorf("the end of the second server took the first one's marker: %v", err)
	}
	must(t, first.Close())
	third := withoutPort(t, &Options{CrashFile: file})
	if l := logsOf(third); strings.Contains(l, "cannot be used") {
		t.Errorf("after both have ended: %s", l)
	}
}

func TestUnusableCrashFilesDoNotStopTheGame(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"garbage.run": "{{{", "garbage": "\xff\xfe no stack", "garbage.previous": "[]"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	p, err := crashes.LeftBehind(filepath.Join(dir, "garbage"))
	must(t, err)
	if b, err := json.Marshal(p); p == nil || !p.Seen || err != nil {
		t.Errorf("%+v %s %v", p, b, err)
	}
	s := withoutPort(t, &Options{CrashFile: filepath.Join(dir, "no", "such", "dir", "crash.txt")})
	succeeded(t, now(t, s, "ping", ""))
}
