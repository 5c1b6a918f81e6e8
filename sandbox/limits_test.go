package sandbox_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox"
)

// TestReports holds what users of comparable tools reported.
func TestReports(t *testing.T) {
	f := newFixture(t, 3, sandbox.Options{Timeout: 300 * time.Millisecond})

	t.Run("an endless loop ends at the limit", func(t *testing.T) {
		start := time.Now()
		_, err := f.run("print('in the loop')\nwhile true do end", false)
		e := scriptErr(t, err)
		if e.Code != refusal.ScriptTimeout || e.Line != 2 || e.Extra["printed"] != "in the loop\n" {
			t.Errorf("%s line %d %v: %s", e.Code, e.Line, e.Extra, e.Message)
		}
		if d := time.Since(start); d < 250*time.Millisecond || d > 5*time.Second {
			t.Errorf("it took %v", d)
		}
	})
	t.Run("faults are answered at once, with the line", func(t *testing.T) {
		for _, code := range []string{"x =\n= 1", "local t = nil\nreturn t.x"} {
			start := time.Now()
			_, err := f.run(code, false)
			if e := scriptErr(t, err); e.Code != refusal.ScriptError || e.Line != 2 {
				t.Errorf("%q: %s line %d", code, e.Code, e.Line)
			}
			if d := time.Since(start); d > time.Second {
				t.Errorf("%q took %v", code, d)
			}
		}
	})
	t.Run("a fault midway is no partial success", func(t *testing.T) {
		before := f.dump()
		r, err := f.run("for e in world.query{'Health'} do e.Health.HP = 1 e.Helth.HP = 2 end return 'done'", false)
		if err == nil || r != nil {
			t.Errorf("it gave %+v", r)
		}
		if f.dump() != before {
			t.Error("the world has changed")
		}
	})
	t.Run("waiting for what never comes ends at the limit", func(t *testing.T) {
		_, err := f.run("local at = os.time() + 3600 repeat until os.time() > at or world.entity('1').Health.HP == 12345", false)
		if e := scriptErr(t, err); e.Code != refusal.ScriptTimeout {
			t.Errorf("%s %s", e.Code, e.Message)
		}
	})
	t.Run("output does not flood the reply", func(t *testing.T) {
		r, err := f.run("local t = {} for i = 1, 20000 do t[i] = 'some text ' .. i if i % 10 == 0 then print('line', i) end end return t", false)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := json.Marshal(r.Values)
		if !r.Truncated || len(r.Printed) > 16<<10 || len(b) > 64<<10 || !strings.HasPrefix(r.Printed, "line\t10\n") || !strings.Contains(string(b), "$more") {
			t.Errorf("truncated %v, %d bytes printed, %d bytes of values", r.Truncated, len(r.Printed), len(b))
		}
	})
}

func TestLimitsOfOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  sandbox.Options
		code string
		want refusal.Code
		text string
	}{
		{"steps", sandbox.Options{MaxSteps: 1000, Timeout: time.Second}, "while true do end", refusal.ScriptTimeout, "1000 steps"},
		{"steps in a library", sandbox.Options{MaxSteps: 1000, Timeout: time.Second}, "return ('x'):rep(10000):find('.-.-y')", refusal.ScriptTimeout, "1000 steps"},
		{"memory", sandbox.Options{MemoryBytes: 8 << 20, Timeout: time.Second}, "local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end", refusal.ScriptMemory, "8 MiB"},
		{"string", sandbox.Options{StringBytes: 1000}, "return ('x'):rep(1001)", refusal.ScriptMemory, "1000 bytes"},
		{"string by ..", sandbox.Options{StringBytes: 1000}, "local s = 'x' while true do s = s .. s end", refusal.ScriptMemory, "1000 bytes"},
		{"source", sandbox.Options{SourceBytes: 10}, "return 1234567", refusal.TooLarge, "10"},
		{"nesting", sandbox.Options{Nesting: 5}, "return ((((((1))))))", refusal.ScriptError, "5 levels"},
		{"rows", sandbox.Options{Rows: 2}, "for e in world.query{'Enemy'} do end", refusal.ScriptError, "more than 2"},
		{"stash", sandbox.Options{StashBytes: 1 << 20, Timeout: time.Second}, "t = {} for i = 1, 2000 do t[i] = ('x'):rep(1000) .. i end", refusal.ScriptMemory, "globals"},
	} {
		f := newFixture(t, 5, c.opt)
		_, err := f.run(c.code, false)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		if e := scriptErr(t, err); e.Code != c.want || !strings.Contains(e.Message, c.text) {
			t.Errorf("%s: %s %s, want %s %q", c.name, e.Code, e.Message, c.want, c.text)
		}
	}
}

func TestLimitsAreSticky(t *testing.T) {
	s := sandbox.New(sandbox.Options{MaxSteps: 10000, Timeout: time.Second})
	_, err := eval(s, "local n = 0 while true do pcall(function() while true do n = n + 1 end end) print('outlived it') end")
	if e := scriptErr(t, err); e.Code != refusal.ScriptTimeout || e.Extra["printed"] != "" {
		t.Errorf("%s %v", e.Code, e.Extra)
	}
	if r, err := eval(s, "return n == nil"); err != nil || r.Values[0] != true {
		t.Errorf("the next script: %v %v", r, err)
	}
}

func TestTimeoutIsCapped(t *testing.T) {
	s := sandbox.New(sandbox.Options{MaxTimeout: 20 * time.Millisecond})
	_, err := evalIn(s, sandbox.Env{}, "while true do end", sandbox.RunOptions{Timeout: time.Hour})
	if e := scriptErr(t, err); e.Code != refusal.ScriptTimeout || !strings.Contains(e.Message, "20 ms") {
		t.Errorf("%s", e.Message)
	}
}

func TestStepsAndTimeAreTold(t *testing.T) {
	r, err := eval(sandbox.New(sandbox.Options{}), "local n = 0 for i = 1, 1000 do n = n + i end return n")
	if err != nil || r.Steps < 2000 || r.Steps > 20000 || r.Ms < 0 || r.Ms > 5000 {
		t.Errorf("%+v %v", r, err)
	}
}

// FuzzSource feeds any source under small limits: nothing may panic, a failed
// script may not have changed the world, and the next one must work.
func FuzzSource(f *testing.F) {
	for _, scripts := range attacks {
		for i, code := range scripts {
			if i%3 == 0 && len(code) < 300 {
				f.Add(code)
			}
		}
	}
	for _, code := range []string{
		"for e in world.query{'Enemy'} do e.Health.HP = e.Health.HP + 1 e:remove('Enemy') end", "world.spawn{'Player', Health={HP=3}}.Health.HP = 4",
		"local e = world.entity('1') e.Inventory.Slots[1].Count = 5 e.Inventory.Tags.x = 1 error(e)", "return world.resource('Score'), pairs(world.entity('1'))",
		"for e in world.query{where='Health.HP > 3'} do e:despawn() e:add('Player') end", "world.entity('1').Health:Damage{amount=3} world.flush() error()",
		"x = coroutine.wrap(function() for i in world.query() do coroutine.yield(i) end end) return x(), x()", "return ('%5.2f %q'):format(1, 'x'), ('a.b'):gsub('(.)%.', '%1')",
		"local a <b = 1 goto x ::x:: return ...", "--[[ ]] return [==[ ]] ]==], 0x1F, 1e-3, 'a\\065\\n'",
	} {
		f.Add(code)
	}
	opt := sandbox.Options{MaxSteps: 20000, Timeout: 20 * time.Millisecond, StringBytes: 10000, MemoryBytes: 32 << 20, Changes: 100}
	f.Fuzz(func(t *testing.T, code string) {
		fx := newFixture(t, 3, opt)
		before := fx.dump()
		r, err := fx.run(code, true)
		if fx.dump() != before {
			t.Fatalf("a dry run changed the world: %q", code)
		}
		if err == nil {
			if _, err := json.Marshal(r.Values); err != nil {
				t.Fatalf("%q: %v", code, err)
			}
		} else {
			scriptErr(t, err)
		}
		if _, err = fx.run(code, false); err != nil {
			e := scriptErr(t, err)
			if e.Extra["flushed"] != true && fx.dump() != before && !strings.Contains(code, "Damage") {
				t.Fatalf("a failed script changed the world: %q", code)
			}
			switch e.Code {
			case refusal.ScriptError, refusal.ScriptTimeout, refusal.ScriptMemory, refusal.TooLarge, refusal.InvalidArguments:
			default:
				t.Fatalf("%q: code %s", code, e.Code)
			}
		}
		if r, err := fx.run("return ('ab'):rep(2)", false); err != nil || r.Values[0] != "abab" {
			t.Fatalf("after %q: %v %v", code, r, err)
		}
	})
}
