package snapshot

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// SavedState is what a host's State saved.
type SavedState struct {
	Name    string
	Version int
	Data    []byte
}

// CaptureOf makes a capture of an image that was taken elsewhere, of a world with
// this catalog: a recorded moment, for instance. All of it is shared.
func CaptureOf(cat *ecs.Catalog, img *ecs.Image, states []SavedState, o *Options) *Capture {
	return &Capture{Image: *img, catalog: cat, options: o.orDefault(), states: states}
}

// Stage makes the capture ready to be put in place, as Decode does with a file,
// without writing one. Host states are decoded and checked here. Off the frame,
// and on it where that is short enough.
func (c *Capture) Stage(o *Options) (s *Staged, err error) {
	defer recovered(&err, "staging")
	if c.catalog == nil {
		return nil, &refusal.Error{Code: refusal.NoWorld, Message: "the capture is empty: Take has not been called or has failed"}
	}
	s = &Staged{Image: c.Image, catalog: c.catalog, options: o.orDefault()}
	s.Header.Frame = c.options.Frame
	for _, st := range c.states {
		i := slices.IndexFunc(s.options.States, func(h State) bool { return h.Name() == st.Name })
		if i < 0 {
			s.report.skip(Skip{Kind: "state", Name: st.Name, Reason: "this process does not provide it"})
			continue
		}
		finish, err := s.options.States[i].Load(st.Version, bytes.Clone(st.Data))
		if err != nil {
			return nil, &refusal.Error{Code: refusal.BadSnapshot, Got: st.Version, Want: s.options.States[i].Version(),
				Message: fmt.Sprintf("the host refuses its state %q (version %d): %v", st.Name, st.Version, err)}
		}
		if finish != nil {
			s.finish = append(s.finish, finish)
		}
	}
	for _, h := range s.options.States {
		if !slices.ContainsFunc(c.states, func(st SavedState) bool { return st.Name == h.Name() }) {
			s.report.skip(Skip{Kind: "state", Name: h.Name(), Reason: "it was not captured; left as it is"})
		}
	}
	return s, nil
}
