package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"unsafe"

	serde "github.com/mlange-42/arche-serde"
	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/tools/host"
)

// snapshots compares saving and loading a world with arche-serde, in memory on
// both sides.
func snapshots(c *config) ([]line, error) {
	lines, err := snapshotsOf(c, c.size(100_000), "")
	if err != nil {
		return nil, err
	}
	if !c.quick {
		// arche-serde takes about ten seconds for each: few rounds.
		few := *c
		few.rounds = 2
		more, err := snapshotsOf(&few, million, "_1m")
		if err != nil {
			return nil, err
		}
		lines = append(lines, more...)
	}
	frame, err := saveFrame(c)
	if err != nil {
		return nil, err
	}
	lines = append(lines, frame...)
	disk, err := saveDisk(c)
	return append(lines, disk...), err
}

func snapshotsOf(c *config, n int, suffix string) ([]line, error) {
	a := newArche(n)
	var failed error
	try := func(f func() error) op {
		return func(times int) {
			for range times {
				if err := f(); err != nil {
					failed = err
				}
			}
		}
	}

	var file bytes.Buffer
	var info snapshot.Info
	save := try(func() (err error) {
		file.Reset()
		info, err = snapshot.Save(&file, a.loupe, nil)
		return err
	})
	var text []byte
	saved := pair(c, save, try(func() (err error) {
		text, err = serde.Serialize(a.w)
		return err
	}))
	if failed != nil {
		return nil, failed
	}

	data := bytes.Clone(file.Bytes())
	loaded := pair(c, try(func() error {
		r, err := snapshot.Load(bytes.NewReader(data), a.loupe, nil)
		if err == nil && r.Entities != n {
			err = fmt.Errorf("%d entities were loaded, not %d", r.Entities, n)
		}
		return err
	}), try(func() error {
		// It needs an empty world that knows the types.
		w := arche.NewWorld(1024)
		registerArche(&w)
		return serde.Deserialize(text, &w)
	}))

	raw := float64(n * (componentBytes + int(unsafe.Sizeof(arche.Entity{}))))
	lines := []line{
		saved.line("save_vs_serde"+suffix, "≤ 0.01", 0.01),
		loaded.line("load_vs_serde"+suffix, "≤ 0.02", 0.02),
		{kind: "ratio", name: "size_vs_raw" + suffix, value: float64(info.Bytes) / raw, goal: "≤ 0.55", limit: 0.55,
			detail: fmt.Sprintf("%d bytes beside %.0f of entities and components (%.3g of the components alone); arche-serde: %d", info.Bytes, raw, float64(info.Bytes)/float64(n*componentBytes), len(text))},
	}
	// A copy of the same bytes is the limit of every save.
	from, to := make([]byte, int(raw)), make([]byte, int(raw))
	copied := pair(c, save, try(func() error { copy(to, from); return nil }))
	return append(lines, copied.line("save_vs_memcpy"+suffix, "", 0)), failed
}

// saveFrame is the part of a save that the game waits for.
func saveFrame(c *config) ([]line, error) {
	a := newArche(c.size(100_000))
	var failed error
	var reused snapshot.Capture
	take := func(cap func() *snapshot.Capture) op {
		return func(n int) {
			for range n {
				if err := cap().Take(a.loupe, nil); err != nil {
					failed = err
				}
			}
		}
	}
	again := single(c, take(func() *snapshot.Capture { return &reused }))
	first := single(c, take(func() *snapshot.Capture { return new(snapshot.Capture) }))
	l := figure("save_frame_ms", "ms", 1e6, again, "100,000 entities × 5 components, memory of the save before reused")
	l.goal, l.limit = "≤ 1.5 ms", 1.5

	staged, err := stage(a)
	if err != nil {
		return nil, err
	}
	restore := single(c, func(n int) {
		for range n {
			if _, err := staged.Restore(a.loupe); err != nil {
				failed = err
			}
		}
	})
	return []line{l,
		figure("save_frame_first_ms", "ms", 1e6, first, "the same, the first save of a process"),
		figure("load_frame_ms", "ms", 1e6, restore, "putting back 100,000 entities × 5 components, with the copy it could roll back to"),
	}, failed
}

func stage(a *archeWorld) (*snapshot.Staged, error) {
	var b bytes.Buffer
	if _, err := snapshot.Save(&b, a.loupe, nil); err != nil {
		return nil, err
	}
	return snapshot.Decode(&b, a.loupe.Catalog(), nil)
}

// saveDisk is the whole tool, file, fsync and rename included.
func saveDisk(c *config) ([]line, error) {
	dir, err := os.MkdirTemp("", "loupe-benchmark")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s := mcpdebug.New(&mcpdebug.Options{DataDir: dir})
	defer s.Close()
	s.Bind(newArche(c.size(100_000)).loupe, &host.App{Name: "benchmark"})
	s.Poll()
	body := callBody("snapshot_save", struct{}{})
	var failed error
	times := single(c, func(n int) {
		for range n {
			if err := succeeded(s.Dispatch(body)); err != nil {
				failed = err
			}
		}
	})
	return []line{figure("save_fsync_ms", "ms", 1e6, times, "`snapshot_save` of 100,000 entities × 5 components, whole, with fsync and rename")}, failed
}

// succeeded reads an answer's isError.
func succeeded(answer string) error {
	var a struct {
		Error  json.RawMessage
		Result struct {
			IsError bool
			Content []rpcContent
		}
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		return err
	}
	if a.Error != nil || a.Result.IsError {
		return fmt.Errorf("%.500s", answer)
	}
	return nil
}
