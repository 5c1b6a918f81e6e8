package sandbox_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/sandbox"
)

// The examples of the manual run, one after the other, and return what it says.
func TestManualIsTrue(t *testing.T) {
	f := newFixture(t, 3, sandbox.Options{})
	blocks := regexp.MustCompile("(?s)```lua\n(.*?)--> (.*?)\n```").FindAllStringSubmatch(sandbox.Manual(sandbox.Options{}), -1)
	if len(blocks) < 3 {
		t.Fatalf("%d examples with a result", len(blocks))
	}
	for _, b := range blocks {
		r, err := f.run(b[1], false)
		if err != nil {
			t.Errorf("%s\n%v", b[1], err)
			continue
		}
		raw, err := json.Marshal(r.Values)
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		if json.Unmarshal(raw, &got) != nil || json.Unmarshal([]byte(b[2]), &want) != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngives %s, the manual says %s", b[1], raw, b[2])
		}
	}
}

// A nil that a script indexes is explained where it came from.
func TestNilsAreExplained(t *testing.T) {
	f := newFixture(t, 1, sandbox.Options{})
	for code, want := range map[string]string{
		`return world.entity('99v0').Health`:                        `world.entity gives nil for "99v0"`,
		`return world.entity('99').Health`:                          `world.entity gives nil for "99"`,
		`return world.entity('nobody').Health`:                      `no entity has that label`,
		`return world.query{with={'Enemy'}}[7].Health`:              "the query matched 1 entities",
		`return world.query{where='Health.HP < -1'}:first().id`:     "matched no entity",
		`local i = world.query('Enemy')[1].Inventory return i.Note`: `has no component Inventory`,
	} {
		_, err := f.run(code, false)
		if e := scriptErr(t, err); !strings.Contains(e.Hint, want) {
			t.Errorf("%s: hint %q, want %q", code, e.Hint, want)
		}
	}
}

// Everything that world and an entity offer is in the manual, and it tells the
// limits that hold.
func TestManualIsWhole(t *testing.T) {
	m := sandbox.Manual(sandbox.Options{Timeout: 70 * time.Millisecond, Changes: 321})
	f := newFixture(t, 1, sandbox.Options{})
	r, err := f.run(`local t = {} for k in pairs(world) do t[#t+1] = k end return t`, false)
	if err != nil {
		t.Fatal(err)
	}
	names, _ := r.Values[0].([]any)
	if len(names) < 8 {
		t.Fatalf("world has %v", r.Values)
	}
	for _, n := range names {
		if !strings.Contains(m, "world."+n.(string)) {
			t.Errorf("the manual lacks world.%s", n)
		}
	}
	for _, n := range sandbox.EntityMethods() {
		if !strings.Contains(m, "e:"+n+"(") {
			t.Errorf("the manual lacks e:%s", n)
		}
	}
	for _, want := range []string{"wall time: 70ms", "changes: 321", "source: 16 KiB", "at most 1s"} {
		if !strings.Contains(m, want) {
			t.Errorf("the manual lacks %q", want)
		}
	}
}
