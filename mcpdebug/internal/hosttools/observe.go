package hosttools

import (
	"slices"

	"github.com/loupe-ecs/loupe/timeline/replay"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

type systemsInfoArgs struct {
	Name    string `json:"name" jsonschema:"its name"`
	Observe int    `json:"observe,omitempty" jsonschema:"ticks to run for observed" debug:"min=1,max=600"`
}

// observed is what a system did while it was looked at.
type observed struct {
	Observed   []replay.Written `json:"observed,omitempty" jsonschema:"what it really changed, most first"`
	Ticks      int              `json:"observedTicks,omitempty" jsonschema:"ticks that were run"`
	Spawned    int              `json:"spawned,omitempty" jsonschema:"entities that it made"`
	Despawned  int              `json:"despawned,omitempty" jsonschema:"entities that it removed"`
	Undeclared []string         `json:"undeclared,omitempty" jsonschema:"what it changed and does not declare to write"`
	Ended      string           `json:"ended,omitempty" jsonschema:"why fewer ticks ran"`
}

// observing is a systems_info under way.
type observing struct {
	in  systemsInfoArgs
	run *replay.Observation
}

func (o *observing) observe(f *tools.Frame, s host.SystemInfo) (r observed, err error) {
	if o.run == nil {
		o.run = &replay.Observation{System: o.in.Name, Ticks: o.in.Observe}
	}
	done, err := o.run.Step(f.World, f.App, f.Slice())
	if err != nil {
		return r, err
	}
	if !done {
		return r, tools.ErrLater
	}
	r = observed{Observed: o.run.Written(), Ticks: o.run.Ran, Spawned: o.run.Spawned, Despawned: o.run.Despawn, Ended: o.run.Ended}
	for _, w := range r.Observed {
		if len(s.Writes) > 0 && !slices.Contains(s.Writes, w.Name) {
			r.Undeclared = append(r.Undeclared, w.Name)
		}
	}
	return r, nil
}
