package cli

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

type Health struct{ HP, Max int }
type Name struct{ Text string }
type Score struct{ Points int }

func init() { value.Describe(value.Label(func(n *Name) string { return n.Text })) }

// game runs one with two entities; it is announced in a runtime directory of the
// test's own.
func game(t *testing.T) string {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("LOCALAPPDATA", t.TempDir())
	listening, end, ended := make(chan string), make(chan struct{}), make(chan struct{})
	dir := t.TempDir()
	go func() {
		defer close(ended)
		dbg, err := mcpdebug.Listen("127.0.0.1:0", &mcpdebug.Options{DataDir: dir})
		if err != nil {
			t.Error(err)
		}
		defer dbg.Close()
		log := slog.New(dbg.LogHandler(nil))
		world := arche.NewWorld()
		health, name := arche.ComponentID[Health](&world), arche.ComponentID[Name](&world)
		arche.AddResource(&world, &Score{Points: 3})
		e := world.NewEntity(health, name)
		*(*Health)(world.Get(e, health)) = Health{30, 100}
		*(*Name)(world.Get(e, name)) = Name{"player"}
		*(*Health)(world.Get(world.NewEntity(health), health)) = Health{5, 10}
		s := schedule.New("update")
		s.Add("update", "movement", func() {})
		dbg.Bind(archeworld.New(&world), &host.App{Name: "arena", Systems: s})
		log.Info("level loaded", "walls", 7)
		dbg.Poll()
		listening <- dbg.URL()
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for frame := uint64(1); ; frame++ {
			dbg.Poll()
			s.Frame(frame)
			s.Run()
			select {
			case <-tick.C:
			case <-end:
				return
			}
		}
	}()
	t.Cleanup(func() { close(end); <-ended })
	return <-listening
}

func loupe(t *testing.T, in string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = Main(args, strings.NewReader(in), &o, &e)
	return code, o.String(), e.String()
}

func TestCommands(t *testing.T) {
	url := game(t)
	for _, c := range []struct {
		args string
		in   string
		code int
		want []string // in what is printed
	}{
		{"call|resources_info|{\"name\":\"Score\"}", "", 0, []string{`"Points": 3`}},
		{"call|-json|resources_info|-", `{"name":"Score"}`, 0, []string{`{"Points":3}`}},
		{"query|Health.HP < 100|-select|Health.HP,Health.Max|-sort|-Health.HP", "", 0, []string{"ENTITY  NAME    Health.HP  Health.Max\n", "player  30         100\n", "5          10\n"}},
		{"query|-with|Name", "", 0, []string{"COMPONENTS", "Health Name"}},
		{"watch|player:Health.HP|-n|1", "", 0, []string{"player:Health.HP  30"}},
		{"watch|Score.Points|-n|2|-every|10ms", "", 0, []string{"Score.Points  3"}},
		{"watch|Health.HP < 10|-n|1|-json", "", 0, []string{`"value":1}`}},
		{"logs", "", 0, []string{"INFO  level loaded walls=7\n"}},
		{"top|-n|1", "", 0, []string{"SYSTEM", "movement  update"}},
		{"save|spot", "", 0, []string{"spot.loupe: 2 entities"}},
		{"load|spot", "", 0, []string{"2 entities"}},
		{"tools", "", 0, []string{"GROUP", "world", "query("}},
		{"tools|query", "", 0, []string{`"name": "query"`}},
		{"call|qwery", "", exitRefused, []string{"query"}},
		{"call|-json|info|{\"entity\":\"9v9\"}", "", exitRefused, []string{`{"error":{"code":"unknown_entity"`}},
		{"call|stats|{", "", exitUsage, []string{"no JSON"}},
		{"call", "", exitUsage, []string{"loupe call TOOL"}},
		{"nonsense", "", exitUsage, []string{"nonsense"}},
		{"query|-wiht|X", "", exitUsage, []string{"unknown"}},
		{"-session|nobody|call|stats", "", exitNoGame, []string{"no game runs"}},
	} {
		args := strings.Split(c.args, "|")
		if args[0] != "-session" {
			args = append(args, "-url", url)
		}
		code, out, errs := loupe(t, c.in, args...)
		if code != c.code {
			t.Errorf("%s: exit code %d: %s", c.args, code, errs)
		}
		for _, want := range c.want {
			if !strings.Contains(out+errs, want) {
				t.Errorf("%s prints no %q:\n%s%s", c.args, want, out, errs)
			}
		}
		if strings.Contains(out, "\x1b") {
			t.Errorf("%s colours what goes to no terminal", c.args)
		}
	}
	if _, out, _ := loupe(t, "", "logs", "-url", url, "-color", "always", "-level", "info"); strings.Contains(out, "\x1b[31m") {
		t.Errorf("an ordinary line is red: %q", out)
	}
	if _, out, _ := loupe(t, "", "top", "-n", "1", "-url", url, "-color", "always"); !strings.Contains(out, "\x1b[1mSYSTEM") {
		t.Errorf("no head in bold: %q", out)
	}
}

func TestLsWithoutGames(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("LOCALAPPDATA", t.TempDir())
	code, out, errs := loupe(t, "", "ls")
	if code != 0 || out != "" || !strings.Contains(errs, "no game runs") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	code, out, _ = loupe(t, "", "ls", "-json")
	var list struct{ Sessions []any }
	if err := json.Unmarshal([]byte(out), &list); code != 0 || err != nil || list.Sessions == nil {
		t.Errorf("%d %q %v", code, out, err)
	}
	if code, _, errs = loupe(t, "", "call", "stats"); code != exitNoGame || !strings.Contains(errs, "loupe ls") {
		t.Errorf("%d %s", code, errs)
	}
}

func TestCompletionScriptsAreMade(t *testing.T) {
	if code, out, _ := loupe(t, "", "completion", "bash"); code != 0 || !strings.Contains(out, "__start_loupe") {
		t.Errorf("%d %.200s", code, out)
	}
}

func TestRedactRefuses(t *testing.T) {
	dir := t.TempDir()
	bad, out := filepath.Join(dir, "bad.loupe"), filepath.Join(dir, "out.loupe")
	if err := os.WriteFile(bad, []byte("no recording at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"redact|" + bad, exitUsage, "-o OUT"},
		{"redact|" + bad + "|-o|" + out + "|-log|(", exitUsage, "-log"},
		{"redact|" + bad + "|-o|" + out, exitRefused, "magic"},
		{"redact|" + bad + "|-o|" + bad, exitRefused, "exists"},
	} {
		code, _, errs := loupe(t, "", strings.Split(c.args, "|")...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%s: %d %q", c.args, code, errs)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s left a copy behind", c.args)
		}
	}
}

func TestLsListsRecordings(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("LOCALAPPDATA", t.TempDir())
	t.Chdir(t.TempDir())
	dir := filepath.Join("loupe-data", "recordings")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w, err := blackbox.NewWriter(&buf, blackbox.Header{App: "arena", Why: "panic", Written: time.Unix(1e9, 0)})
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"whole.loupe": buf.Bytes(), "noise.loupe": []byte("noise"), "other.txt": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, _ := loupe(t, "", "ls")
	for _, want := range []string{"RECORDING", "whole.loupe", "arena", "panic", "2001-09-0", "noise.loupe", "magic"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if code != 0 || strings.Contains(out, "other.txt") || strings.Index(out, "noise.loupe") > strings.Index(out, "whole.loupe") {
		t.Errorf("%d\n%s", code, out)
	}
	if _, out, _ = loupe(t, "", "ls", "-json"); !strings.Contains(out, `"why":"panic"`) {
		t.Error(out)
	}
}
