package surprise

import (
	"fmt"
	"sync"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/tools/host"
)

// span is a piece of time whose two ends are compared. begin and end are for the
// frame goroutine, differences for any other.
type span struct {
	from, to *ecs.Image
	cat      *ecs.Catalog
	exclude  []string
	world    ecs.World
}

// images keeps memory for whole worlds between uses.
var images = sync.Pool{New: func() any { return new(ecs.Image) }}

// begin copies the world as it is.
func (s *span) begin(w ecs.World, app *host.App) (err error) {
	if app != nil && app.Snapshots != nil {
		s.exclude = app.Snapshots.Exclude
	}
	s.world = w
	s.from, s.cat, err = capture(w)
	return err
}

// begun reports whether a beginning is kept.
func (s *span) begun() bool { return s.from != nil }

// end copies the world as it has become. Types are only ever added, so that the
// newer catalog serves for both ends.
func (s *span) end(w ecs.World) (err error) {
	if w != s.world {
		return &refusal.Error{Code: refusal.NotSupported, Message: "another world was bound meanwhile: there is nothing to compare"}
	}
	s.to, s.cat, err = capture(w)
	return err
}

func capture(w ecs.World) (*ecs.Image, *ecs.Catalog, error) {
	if w == nil {
		return nil, nil, &refusal.Error{Code: refusal.NoWorld, Message: "no world is bound: there is nothing to compare"}
	}
	r, ok := w.(ecs.Restorer)
	if !ok {
		return nil, nil, &refusal.Error{Code: refusal.NotSupported, Message: "diff needs a world that can be copied, and this engine's adapter cannot",
			Hint: "capabilities tells what the engine's adapter can do; leave diff out", Next: "capabilities"}
	}
	img := images.Get().(*ecs.Image)
	if err := r.Capture(img); err != nil {
		images.Put(img)
		return nil, nil, fmt.Errorf("diff: %w", err)
	}
	return img, w.Catalog(), nil
}

// differences compares the ends; nil where there are none. The span is over
// afterwards.
func (s *span) differences(only []string) (*Differences, error) {
	if s.from == nil || s.to == nil {
		return nil, nil
	}
	defer s.release()
	d, err := snapshot.Diff(s.cat, s.from, s.to, snapshot.DiffOptions{Limit: Considered, Exclude: s.exclude})
	if err != nil {
		return nil, err
	}
	return Of(d, only, Shown), nil
}

func (s *span) release() {
	for _, img := range []*ecs.Image{s.from, s.to} {
		if img != nil {
			images.Put(img)
		}
	}
	s.from, s.to = nil, nil
}
