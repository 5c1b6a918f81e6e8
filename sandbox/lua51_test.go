package sandbox_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/sandbox"
)

var (
	lua51     = flag.Int("lua51", 0, "compare this many generated programs with the program lua5.1")
	lua51Seed = flag.Uint64("lua51.seed", 0, "where the generated programs begin; 0: anywhere")
)

// driver runs programs under the reference implementation: each is its length,
// a newline, and the source. Of each it writes the output and how it ended.
const driver = `
local f = assert(io.open(arg[1], "rb"))
while true do
  local n = f:read("*n")
  if not n then break end
  f:read(1)
  local src = f:read(n)
  local out = {}
  local env = {}
  for k, v in pairs(_G) do env[k] = v end
  for _, k in ipairs{"io", "os", "debug", "package", "load", "loadstring", "loadfile", "dofile", "require", "arg"} do env[k] = nil end
  env._G = env
  env.print = function(...)
    local r = {}
    for i = 1, select("#", ...) do r[i] = tostring((select(i, ...))) end
    out[#out + 1] = table.concat(r, "\t") .. "\n"
  end
  local function limit() debug.sethook(limit, "", 100) error("too long", 0) end
  env.coroutine = {}
  for k, v in pairs(coroutine) do env.coroutine[k] = v end
  env.coroutine.wrap = function(f) return coroutine.wrap(function(...) debug.sethook(limit, "", 500000) return f(...) end) end
  local ended
  local chunk, err = loadstring(src, "=script")
  if not chunk then ended = "no program: " .. err else
    setfenv(chunk, env)
    debug.sethook(limit, "", 2000000)
    local ok, err = pcall(chunk)
    debug.sethook()
    ended = ok and "ok" or err == "too long" and "too long" or "failed"
  end
  local text = table.concat(out)
  io.write(#text + #ended + 1, "\n", text, ended, "\n")
end
`

// reference runs programs under lua5.1.
func reference(t *testing.T, programs []string) []string {
	t.Helper()
	dir := t.TempDir()
	var in bytes.Buffer
	for _, p := range programs {
		fmt.Fprintf(&in, "%d\n%s", len(p), p)
	}
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, "lua5.1", write("driver.lua", []byte(driver)), write("programs", in.Bytes()))
	cmd.Stderr = os.Stderr
	answer, err := cmd.Output()
	if ctx.Err() == context.DeadlineExceeded {
		// The driver counts instructions, and a single one may take for ever: the
		// program that has it is found by halves.
		if len(programs) == 1 {
			return []string{"too long\n"}
		}
		half := len(programs) / 2
		return append(reference(t, programs[:half]), reference(t, programs[half:])...)
	}
	if err != nil {
		t.Fatalf("lua5.1 (Debian's package lua5.1) is needed to compare with: %v", err)
	}
	var outs []string
	for len(answer) > 0 {
		var n int
		line, rest, _ := bytes.Cut(answer, []byte("\n"))
		if _, err := fmt.Sscan(string(line), &n); err != nil {
			t.Fatal(err)
		}
		outs = append(outs, string(rest[:n]))
		answer = rest[n:]
	}
	if len(outs) != len(programs) {
		t.Fatalf("%d answers to %d programs", len(outs), len(programs))
	}
	return outs
}

// ours runs a program in the sandbox.
func ours(s *sandbox.Sandbox, code string) string {
	s.Reset()
	r, err := eval(s, code)
	if err == nil {
		return r.Printed + "ok\n"
	}
	printed := ""
	ended := "failed"
	var e = asError(err)
	if p, ok := e.Extra["printed"].(string); ok {
		printed = p
	}
	switch {
	case strings.Contains(e.Message, "syntax error"):
		ended = "no program: " + e.Message
	case e.Code != "script_error":
		ended = "too long"
	}
	return printed + ended + "\n"
}

var minusZero = regexp.MustCompile(`(^|[^\w.])-(0|nan|0\.0+e\+00)(?:$|[^.\w])`)

// alike removes what is known to differ: the sign of 0 and of NaN.
func alike(s string) string {
	return minusZero.ReplaceAllStringFunc(s, func(m string) string { return strings.Replace(m, "-", "", 1) })
}

func newLua51Sandbox() *sandbox.Sandbox {
	return sandbox.New(sandbox.Options{Timeout: time.Second, PrintBytes: 1 << 20, SourceBytes: 64 << 10, CacheSize: 1})
}

// TestLua51 compares generated programs with the reference implementation:
// gopher-lua's compiler is wrong in ways that end well.
func TestLua51(t *testing.T) {
	if *lua51 == 0 {
		t.Skip("make fuzz runs it, with -lua51")
	}
	const batch = 500
	if *lua51Seed == 0 {
		*lua51Seed = rand.Uint64N(1 << 40)
	}
	s := newLua51Sandbox()
	long, failed := 0, 0
	for from := 0; from < *lua51 && failed < 10; from += batch {
		var programs []string
		for i := range min(batch, *lua51-from) {
			programs = append(programs, program(*lua51Seed+uint64(from+i)))
		}
		for i, want := range reference(t, programs) {
			got := ours(s, programs[i])
			if strings.HasSuffix(want, "too long\n") || strings.HasSuffix(got, "too long\n") {
				long++
				continue
			}
			if alike(got) != alike(want) {
				if failed++; failed <= 3 {
					t.Errorf("program %d:\n%s\n--- Lua 5.1 ---\n%s\n--- here ---\n%s", *lua51Seed+uint64(from+i), strings.TrimPrefix(programs[i], prelude), want, got)
				}
			}
		}
	}
	if failed > 0 {
		t.Errorf("%d programs differ", failed)
	}
	if long > *lua51/50 {
		t.Errorf("%d of %d programs were too long to compare", long, *lua51)
	}
	t.Logf("%d programs from %d on, %d too long, %d differ", *lua51, *lua51Seed, long, failed)
}
