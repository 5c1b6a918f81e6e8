package snapshot

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

type settings struct {
	Volume int
	Notify func(int)
	Lock   *sync.Mutex
	Inner  struct{ Done chan bool }
}

// A field that no file can hold is named by the save and by the load, in a
// resource as in a component, and the live value stays.
func TestWhatAResourceCannotSaveIsNamed(t *testing.T) {
	b := newFake(nil, types(typ[settings]()))
	b.resource(settings{Volume: 3})
	var file bytes.Buffer
	info, err := Save(&file, b.w, nil)
	if err != nil {
		t.Fatal(err)
	}
	heard := 0
	n := newFake(nil, types(typ[settings]()))
	done := make(chan bool)
	s := settings{Volume: 1, Notify: func(int) { heard++ }}
	s.Inner.Done = done
	n.resource(s)
	report := load(t, file.Bytes(), n.w, nil)
	id := value.LayoutOf(typ[settings]()).Name
	for what, skipped := range map[string][]Skip{"save": info.Skipped, "load": report.Skipped} {
		var names []string
		for _, s := range skipped {
			if s.Kind == "value" && s.Reason != "" {
				names = append(names, s.Name)
			}
		}
		slices.Sort(names)
		if want := []string{id + ".Inner.Done", id + ".Lock", id + ".Notify"}; !slices.Equal(names, want) {
			t.Errorf("%s names %v, want %v", what, names, want)
		}
	}
	got := n.w.img.Resources[0].Value.Interface().(settings)
	if got.Volume != 3 {
		t.Errorf("volume %d", got.Volume)
	}
}

// The memory of a load counts the entity table, too, beside rows and columns:
// 8, 12 and 8 bytes an entity here, of which the file holds 8, 4 and 8.
func TestTheMemoryLimitCountsTheEntityTable(t *testing.T) {
	const n = 100_000
	b := newFake(types(typ[int64]()), nil)
	b.rows(nil, make([]int64, n))
	data := save(t, b.w, nil)
	for limit, want := range map[int64]bool{19 * n: false, 24 * n: false, 27 * n: false, 29 * n: true} {
		_, err := Decode(bytes.NewReader(data), b.w.cat, &Options{MaxBytes: limit})
		if err != nil && !errors.Is(err, refusal.TooLarge) {
			t.Fatal(err)
		}
		if fits := err == nil; fits != want {
			t.Errorf("%d entities in %d bytes: %v", n, limit, fits)
		}
	}
}
