package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// outcome is what became of a mutant.
type outcome string

const (
	killed   outcome = "killed"
	survived outcome = "survived"
	timedOut outcome = "timed out" // a test that hangs is noticed: counts as killed
	invalid  outcome = "invalid"   // does not compile
)

// runner runs the tests.
type runner struct {
	root    string
	limit   time.Duration
	imports map[string][]string // package → those that import it, tests included

	mu    sync.Mutex
	sound map[string]bool // package → its tests pass as it is
}

// passing leaves those whose tests pass without a mistake: the others would
// seem to notice every one.
func (r *runner) passing(pkgs []string) (out []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range pkgs {
		ok, known := r.sound[p]
		if !known {
			ok = r.run([]string{p}, "test", "-vet=off", "-timeout", r.limit.String(), p) == survived
			r.sound[p] = ok
			if !ok {
				fmt.Printf("the tests of %s fail as it is: they do not count\n", p)
			}
		}
		if ok {
			out = append(out, p)
		}
	}
	return out
}

// newRunner asks the go command who imports whom.
func newRunner(root string, limit time.Duration) (*runner, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	r := &runner{root: root, limit: limit, imports: map[string][]string{}, sound: map[string]bool{}}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct {
			ImportPath                                                    string
			Imports, TestImports, XTestImports, TestGoFiles, XTestGoFiles []string
		}
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue // nothing there notices anything
		}
		for _, i := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if i != p.ImportPath && !slices.Contains(r.imports[i], p.ImportPath) {
				r.imports[i] = append(r.imports[i], p.ImportPath)
			}
		}
	}
	return r, nil
}

// try makes the mistake and runs the tests of its package, then of those that
// import it.
func (r *runner) try(m *mutant) (outcome, error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	changed := filepath.Join(dir, "changed.go")
	if err := os.WriteFile(changed, m.changed(), 0o600); err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	raw, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(r.root, filepath.FromSlash(m.file)): changed}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, raw, 0o600); err != nil {
		return "", err
	}
	if o := r.run(nil, "build", "-overlay", overlay, m.pkg); o != survived {
		return invalid, nil
	}
	for _, pkgs := range [][]string{{m.pkg}, r.imports[m.pkg]} {
		if pkgs = r.passing(pkgs); len(pkgs) == 0 {
			continue
		}
		args := append([]string{"test", "-overlay", overlay, "-vet=off", "-failfast", "-timeout", r.limit.String()}, pkgs...)
		if o := r.run(pkgs, args...); o != survived {
			return o, nil
		}
	}
	return survived, nil
}

// run runs the go command: survived if it is content.
func (r *runner) run(pkgs []string, args ...string) outcome {
	ctx, stop := context.WithTimeout(context.Background(), r.limit*time.Duration(1+len(pkgs))+time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = r.root
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return survived
	case ctx.Err() != nil || bytes.Contains(out, []byte("panic: test timed out after")):
		return timedOut
	}
	if os.Getenv("MUTATE_VERBOSE") != "" {
		fmt.Println(firstFailure(string(out)))
	}
	return killed
}

// firstFailure is the line that names the test that noticed.
func firstFailure(out string) string {
	for line := range strings.Lines(out) {
		if strings.Contains(line, "--- FAIL") || strings.Contains(line, "panic:") {
			return "    " + strings.TrimSpace(line)
		}
	}
	return ""
}
