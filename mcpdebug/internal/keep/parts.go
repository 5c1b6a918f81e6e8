package keep

import (
	"bytes"
	"encoding/json"
	"runtime/pprof"
	"time"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/internal/stacks"
)

func (k *Keeper) header(why string) blackbox.Header {
	build, _ := json.Marshal(k.host.Build())
	h := blackbox.Header{Build: build, Written: time.Now(), Why: why}
	if app := k.host.App(); app != nil {
		h.App, h.Ticks = app.Name, app.Clock != nil
	}
	return h
}

// fill writes what there is now and was not written yet: facts first, so that a
// file that is cut off later has them.
func (k *Keeper) fill(w *blackbox.Writer, why string, logged *uint64) error {
	facts := k.facts()
	if err := w.JSON(blackbox.PartFacts, facts); err != nil {
		return err
	}
	if c := k.host.Crash(); c != nil {
		if err := w.JSON(blackbox.PartCrash, c); err != nil {
			return err
		}
	}
	if why != "interval" {
		if err := w.Part(blackbox.PartGoroutines, stacks.All()); err != nil {
			return err
		}
	}
	if err := k.log(w, logged); err != nil {
		return err
	}
	if err := w.Record(k.rec); err != nil {
		return err
	}
	if app := k.host.App(); app.Times() != nil {
		if err := w.JSON(blackbox.PartFrames, app.Times().History(600)); err != nil {
			return err
		}
	}
	k.mu.Lock()
	parts := map[string][]byte{blackbox.PartScreen: k.picture, blackbox.PartCPU: k.cpu, blackbox.PartHeap: k.heap}
	k.mu.Unlock()
	for _, name := range []string{blackbox.PartScreen, blackbox.PartCPU, blackbox.PartHeap} {
		if data := parts[name]; data != nil {
			if err := w.Part(name, data); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k *Keeper) facts() blackbox.Facts {
	i, st := k.rec.Info(), k.host.Status()
	f := blackbox.Facts{Every: i.Every, Tick: i.Tick, Frame: st.Frame, Marks: i.Marks, State: st.State}
	f.Branches, f.Current = k.rec.Branches()
	return f
}

// log writes the lines that came since.
func (k *Keeper) log(w *blackbox.Writer, after *uint64) error {
	for {
		page, _ := k.host.Logs(logbuf.Query{After: *after, Limit: 1000, Level: -100, MaxBytes: 256 << 10})
		if len(page.Lines) == 0 {
			return nil
		}
		lines := make([]blackbox.Line, len(page.Lines))
		for i, l := range page.Lines {
			lines[i] = blackbox.Line{Time: l.Time, Level: l.Level, Msg: l.Msg, Attrs: l.Attrs}
		}
		if err := w.JSON(blackbox.PartLog, lines); err != nil {
			return err
		}
		*after = page.Lines[len(page.Lines)-1].N
	}
}

// Drawn keeps a picture that was drawn for a client, as PNG.
func (k *Keeper) Drawn(png []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.picture = png
}

// Profiled keeps the last profile of a kind.
func (k *Keeper) Profiled(kind string, data []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch kind {
	case blackbox.PartCPU:
		k.cpu = data
	case blackbox.PartHeap:
		k.heap = data
	}
}

// heapNow is the heap as it is, for a file that is asked for.
func (k *Keeper) heapNow() {
	var buf bytes.Buffer
	if pprof.Lookup("heap").WriteTo(&buf, 0) == nil {
		k.Profiled(blackbox.PartHeap, buf.Bytes())
	}
}
