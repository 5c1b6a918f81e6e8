package blackbox_test

import (
	"bytes"
	"reflect"
	"regexp"
	"testing"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/snapshot"
)

// A tick of a file, in a world of a build that has the types, is the game as it
// was then.
func TestStage(t *testing.T) {
	rec, _ := recorded(t, 5, 120)
	raw := written(t, rec)
	f, err := blackbox.Read(bytes.NewReader(raw), int64(len(raw)), blackbox.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	private := regexp.MustCompile(`"(Secret|Code)":("[^"]*"|\d+)`)
	memory := regexp.MustCompile(`^.*\n`)
	for _, tick := range []int64{7, 60, 120} {
		w := mapworld.New(components()...)
		w.AddResource(&ecstest.Score{})
		w.RegisterResource(reflect.TypeFor[ecstest.Absent]())
		staged, ref, err := f.Stage(tick, w.Catalog(), &snapshot.Options{})
		if err != nil || ref.Tick != uint64(tick) {
			t.Fatal(ref, err)
		}
		if _, err := staged.Restore(w); err != nil {
			t.Fatal(err)
		}
		then, err := rec.Line().Find(tick)
		if err != nil {
			t.Fatal(err)
		}
		want, got := shown(t, rec.Line().World(then)), shown(t, w)
		for _, s := range []*string{&want, &got} {
			*s = memory.ReplaceAllString(private.ReplaceAllString(*s, `"$1":*`), "")
		}
		if got != want {
			t.Fatalf("tick %d:\n%s\n%s", tick, want, got)
		}
	}
	if _, _, err := f.Stage(5000, mapworld.New().Catalog(), &snapshot.Options{}); err == nil {
		t.Error("a tick that is not recorded was staged")
	}
}
