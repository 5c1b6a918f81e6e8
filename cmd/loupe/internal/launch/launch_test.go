package launch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// The test program plays the parts of other programs, by LOUPE_PART.
func TestMain(m *testing.M) {
	Keep()
	switch os.Getenv("LOUPE_PART") {
	case "speaker":
		fmt.Println("hello", strings.Join(os.Args[1:], " "))
		fmt.Fprintln(os.Stderr, "a complaint")
		os.Exit(3)
	case "polite":
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
		fmt.Println("ready")
		<-stop
		fmt.Println("bye")
		os.Exit(0)
	case "deaf":
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "LOUPE_PART=grandchild")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("grandchild", child.Process.Pid)
		forever()
	case "grandchild":
		forever()
	case "parent":
		out := NewOutput()
		p, err := Start(os.Args[0], Spec{Dir: ".", Env: map[string]string{"LOUPE_PART": os.Args[1]}}, Options{Output: out, Stay: os.Args[2] == "stay"})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		lines := await(out, 1)
		fmt.Println(p.PID, lines[0].Text)
		forever()
	}
	os.Exit(m.Run())
}

// forever waits for a signal that ends the program. An empty select would end it:
// with nothing else to wake it the runtime takes that for a deadlock.
func forever() { <-time.After(time.Hour) }

// await waits for n lines.
func await(o *Output, n int) []Line {
	for {
		more := o.More()
		if lines, _ := o.After(0, 100); len(lines) >= n {
			return lines
		}
		<-more
	}
}

func run(t *testing.T, part string, args ...string) (*Process, *Output) {
	t.Helper()
	out := NewOutput()
	p, err := Start(os.Args[0], Spec{Dir: t.TempDir(), Args: args, Env: map[string]string{"LOUPE_PART": part}}, Options{Output: out})
	if err != nil {
		t.Fatal(err)
	}
	return p, out
}

func TestWhatAProgramPrintsAndHowItEndsIsKept(t *testing.T) {
	p, out := run(t, "speaker", "from", "arguments")
	if e := p.Exit(); e != (Exit{Code: 3}) || e.String() != "exit status 3" {
		t.Errorf("exit %+v", e)
	}
	got := map[string]string{}
	lines, _ := out.After(0, 10)
	for _, l := range lines {
		got[l.Stream] += l.Text
	}
	if want := map[string]string{"stdout": "hello from arguments", "stderr": "a complaint"}; !reflect.DeepEqual(got, want) {
		t.Errorf("kept %v", got)
	}
	p, _ = run(t, "grandchild")
	if p.Stop(0); p.Exit().Signal != "killed" && p.Exit().Code != 1 {
		t.Errorf("killed: %+v", p.Exit())
	}
	if _, err := Start(filepath.Join(t.TempDir(), "none"), Spec{Dir: t.TempDir()}, Options{Output: out}); err == nil {
		t.Error("started a program that does not exist")
	}
}

func TestAPoliteProgramEndsByItself(t *testing.T) {
	p, out := run(t, "polite")
	await(out, 1)
	if e := p.Stop(time.Minute); e != (Exit{}) {
		t.Errorf("exit %+v", e)
	}
	if lines := await(out, 2); lines[1].Text != "bye" {
		t.Errorf("printed %v", lines)
	}
	p.Stop(time.Minute) // no harm
}

// gone waits until no process of that number lives.
func gone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		if err := exists(pid); err != nil {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("process %d lives on", pid)
		}
	}
}

func TestStopEndsWhatTheProgramHasStarted(t *testing.T) {
	p, out := run(t, "deaf")
	grandchild, err := strconv.Atoi(strings.TrimPrefix(await(out, 1)[0].Text, "grandchild "))
	if err != nil {
		t.Fatal(err)
	}
	p.Stop(10 * time.Millisecond)
	gone(t, p.PID)
	gone(t, grandchild)
}

// TestNoProgramOutlivesItsParent: one that is killed cannot tidy up.
func TestNoProgramOutlivesItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0], "deaf", "end")
	parent.Env = append(os.Environ(), "LOUPE_PART=parent")
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	var child, grandchild int
	if _, scanned := fmt.Sscanf(line, "%d grandchild %d", &child, &grandchild); err != nil || scanned != nil {
		t.Fatalf("%q %v %v", line, err, scanned)
	}
	parent.Process.Kill()
	parent.Wait()
	gone(t, child)
	gone(t, grandchild)
}

func TestAProgramStaysWhereItIsMeantTo(t *testing.T) {
	parent := exec.Command(os.Args[0], "polite", "stay")
	parent.Env = append(os.Environ(), "LOUPE_PART=parent")
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	var child int
	if _, scanned := fmt.Sscanf(line, "%d ready", &child); err != nil || scanned != nil {
		t.Fatalf("%q %v %v", line, err, scanned)
	}
	parent.Process.Kill()
	parent.Wait()
	if err := exists(child); err != nil {
		t.Errorf("it ended with its parent: %v", err)
	}
	p, err := os.FindProcess(child)
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	gone(t, child)
}

func TestDiagnose(t *testing.T) {
	got := Diagnose(`# example.com/game/internal/world
internal/world/spawn.go:12:7: undefined: Helth
./main.go:4:2: declared and not used: x
main.go:9:14: cannot use p (variable of type *Player) as Actor value in argument to add: *Player does not implement Actor (wrong type for method Hit)
		have Hit(int)
		want Hit(float64)
main.go:11:1: too many errors
go.mod:3: invalid go version 'x'
main.go:6:2: no required module provides package example.com/lost; to add it:
	go get example.com/lost
package example.com/game: build constraints exclude all Go files in /src/game
`)
	want := []Diagnostic{
		{"internal/world/spawn.go", 12, 7, "undefined: Helth"},
		{"main.go", 4, 2, "declared and not used: x"},
		{"main.go", 9, 14, "cannot use p (variable of type *Player) as Actor value in argument to add: *Player does not implement Actor (wrong type for method Hit)\n\t\thave Hit(int)\n\t\twant Hit(float64)"},
		{"go.mod", 3, 0, "invalid go version 'x'"},
		{"main.go", 6, 2, "no required module provides package example.com/lost; to add it:\n\tgo get example.com/lost"},
		{"", 0, 0, "package example.com/game: build constraints exclude all Go files in /src/game"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestABuildErrorNamesItsPlace(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": "module broken\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {\n\tx := 1\n}\n"})
	var failed *BuildError
	err := Build(context.Background(), Spec{Dir: dir, Package: "."}, filepath.Join(t.TempDir(), "exe"))
	if !errors.As(err, &failed) {
		t.Fatalf("built: %v", err)
	}
	if want := []Diagnostic{{"main.go", 4, 2, "declared and not used: x"}}; !reflect.DeepEqual(failed.Diagnostics, want) {
		t.Errorf("got %+v", failed.Diagnostics)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Build(ctx, Spec{Dir: dir, Package: "."}, filepath.Join(t.TempDir(), "exe")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestOnlyWhatIsInTheDirectoryCanBeStarted(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, map[string]string{"cmd/game/main.go": "package main", "file": ""})
	if err := os.Symlink(os.TempDir(), filepath.Join(root, "out")); err != nil {
		t.Skip(err)
	}
	for _, s := range []Spec{
		{Dir: "/"}, {Dir: ".."}, {Dir: "out"}, {Package: "./out"}, {Package: "../.."}, {Package: "./none"}, {Package: "./file"},
		{Package: "example.com/game@latest"}, {Package: "cmd/game"}, {Package: "./..."}, {Package: "./cmd/game/main.go"}, {Package: "-toolexec=x"},
		{Tags: []string{"a,b"}}, {Tags: []string{"-x"}}, {Env: map[string]string{"A=B": ""}}, {Args: []string{"\x00"}},
	} {
		var refused *refusal.Error
		if err := s.Check(root); !errors.As(err, &refused) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for _, s := range []Spec{{}, {Dir: "cmd", Package: "./game"}, {Dir: root, Package: "./cmd/game"}, {Dir: "cmd/game", Package: "."}, {Package: filepath.Join(root, "cmd", "game")}} {
		if err := s.Check(root); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	s := Spec{Dir: "cmd", Package: "./game", Tags: []string{"debug", "go1.26"}}
	if err := s.Check(root); err != nil || s.Dir != filepath.Join(root, "cmd") || s.Name() != "game" {
		t.Errorf("%+v %v", s, err)
	}
}

func TestAProjectsFileFillsWhatIsLeftOpen(t *testing.T) {
	dir := t.TempDir()
	if s, err := ReadConfig(dir); err != nil || !reflect.DeepEqual(s, Spec{}) {
		t.Errorf("no file: %+v %v", s, err)
	}
	write(t, dir, map[string]string{ConfigFile: `{"package":"./cmd/game","args":["-seed","4"],"tags":["debug"],"env":{"A":"1","B":"2"}}`})
	file, err := ReadConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := Spec{Args: []string{}, Env: map[string]string{"B": "3"}}.Or(file)
	want := Spec{Package: "./cmd/game", Args: []string{}, Tags: []string{"debug"}, Env: map[string]string{"A": "1", "B": "3"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	write(t, dir, map[string]string{ConfigFile: `{"command":"rm -rf /"}`})
	if _, err := ReadConfig(dir); err == nil || !strings.Contains(err.Error(), `"command"`) {
		t.Errorf("an unknown member: %v", err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	o := NewOutput()
	for i := range maxLines + 10 {
		o.Add("stdout", strconv.Itoa(i))
	}
	lines, dropped := o.After(1, 2)
	if dropped != 9 || len(lines) != 2 || lines[0].N != 11 || lines[0].Text != "10" {
		t.Errorf("dropped %d, %v", dropped, lines)
	}
	lines, _ = o.After(0, 3)
	if len(lines) != 3 || lines[2].N != maxLines+10 || o.Last() != maxLines+10 {
		t.Errorf("the last: %v", lines)
	}
	for range 3 {
		o.Add("stdout", strings.Repeat("x", maxBytes/2))
	}
	if lines, _ := o.After(0, maxLines); len(lines) != 2 {
		t.Errorf("%d lines of half the limit are kept", len(lines))
	}
}
