package sandbox_test

import (
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox"
)

// All runs share the metatables of what stands for the world: a script that
// reached one could change what every later script reads.
func TestMetatablesOfTheWorldAreOutOfReach(t *testing.T) {
	f := newFixture(t, 2, sandbox.Options{})
	for code, want := range map[string]string{
		"return getmetatable(world.query('Player')[1])":                  `["entity"]`,
		"return getmetatable(world.query('Player'))":                     `["query"]`,
		"return getmetatable(world.query('Player')[1].Health)":           `["component"]`,
		"return getmetatable(world.query('Player')[1].Inventory.Slots)":  `["component"]`,
		"return getmetatable(world.resource('Score'))":                   `["component"]`,
		"return getmetatable('')":                                        `[false]`,
		"return (pcall(setmetatable, world.query('Player'), {}))":        `[false]`,
		"return (pcall(rawset, world.query('Player')[1], '__index', 1))": `[false]`,
	} {
		r, err := f.run(code, false)
		if err != nil {
			t.Errorf("%s: %v", code, err)
		} else if got := valuesJSON(t, r); got != want {
			t.Errorf("%s: got %s, want %s", code, got, want)
		}
	}
	if r, err := f.run("return world.query('Player')[1].Health.HP", false); err != nil || valuesJSON(t, r) != "[50]" {
		t.Errorf("a later script: %v, %v", r, err)
	}
}

// Each limit lets through exactly what it says, and not one more.
func TestLimitsAtTheBound(t *testing.T) {
	for _, c := range []struct {
		name         string
		opt          sandbox.Options
		code, beyond string
		is           error
	}{
		{"string", sandbox.Options{StringBytes: 1000}, "return #('x'):rep(1000)", "return #('x'):rep(1001)", refusal.ScriptMemory},
		{"string by ..", sandbox.Options{StringBytes: 10}, "return #('abcde' .. 'fghij')", "return #('abcde' .. 'fghijk')", refusal.ScriptMemory},
		{"string by concat", sandbox.Options{StringBytes: 10}, "return table.concat({'abcd', 'efgh'}, '--')", "return table.concat({'abcd', 'efghi'}, '--')", refusal.ScriptMemory},
		{"rows", sandbox.Options{Rows: 5}, "return world.count{'Health'}", "world.spawn{'Health'} world.flush() return world.count{'Health'}", refusal.ScriptError},
		{"changes", sandbox.Options{Changes: 3}, "local s = world.resource('Score') for i = 1, 3 do s.Points = i end", "local s = world.resource('Score') for i = 1, 4 do s.Points = i end", refusal.ScriptError},
		{"source", sandbox.Options{SourceBytes: 10}, "return 123", "return 1234", refusal.TooLarge},
		{"nesting", sandbox.Options{Nesting: 6}, "return {{{{1}}}}", "return {{{{{{{1}}}}}}}", refusal.ScriptError},
	} {
		f := newFixture(t, 4, c.opt)
		if _, err := f.run(c.code, false); err != nil {
			t.Errorf("%s: at the bound: %v", c.name, err)
		}
		_, err := f.run(c.beyond, false)
		if err == nil {
			t.Errorf("%s: one beyond is allowed", c.name)
		} else if e := scriptErr(t, err); e.Code != c.is {
			t.Errorf("%s: one beyond is %s: %s", c.name, e.Code, e.Message)
		}
	}
}

// $more counts what was left out: entries of a list, keys of a table, values.
func TestMoreCountsWhatIsLeftOut(t *testing.T) {
	s := sandbox.New(sandbox.Options{ResultEntries: 3, ResultDepth: 2})
	for code, want := range map[string]string{
		"return {1, 2, 3}":                    `[[1,2,3]]`,
		"return {1, 2, 3, 4}":                 `[[1,2,3,{"$more":1}]]`,
		"return {1, 2, 3, 4, 5, 6, 7}":        `[[1,2,3,{"$more":4}]]`,
		"return {a = 1, b = 2, c = 3}":        `[{"a":1,"b":2,"c":3}]`,
		"return {a = 1, b = 2, c = 3, d = 4}": `[{"$more":1,"a":1,"b":2,"c":3}]`,
		"return {{{1, 2}}, {{}}, {{a = 1}}}":  `[[[{"$more":2}],[[]],[{"$more":1}]]]`,
		"return {1, 2, 3, 4, x = 5, y = 6}":   `[{"$more":3,"1":1,"2":2,"3":3}]`,
	} {
		r, err := eval(s, code)
		if err != nil {
			t.Fatal(err)
		}
		if got := valuesJSON(t, r); got != want || r.Truncated != strings.Contains(want, "$more") {
			t.Errorf("%s: got %s, truncated %v, want %s", code, got, r.Truncated, want)
		}
	}
}

// Print keeps what fits, to the byte.
func TestPrintAtTheBound(t *testing.T) {
	s := sandbox.New(sandbox.Options{PrintBytes: 10})
	for code, want := range map[string]string{"print('123456789')": "123456789\n", "print('1234567890')": "1234567890", "print('abc', 'def', 'ghi')": "abc\tdef\tgh"} {
		r, err := eval(s, code)
		if err != nil || r.Printed != want || r.Truncated != (want[len(want)-1] != '\n') {
			t.Errorf("%s: printed %q, truncated %v, %v", code, r.Printed, r.Truncated, err)
		}
	}
}
