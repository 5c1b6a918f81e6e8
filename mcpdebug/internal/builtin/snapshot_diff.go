package builtin

import (
	"encoding/json"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/surprise"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/tools"
)

type snapshotDiffArgs struct {
	From      string       `json:"from" jsonschema:"the first snapshot"`
	To        string       `json:"to,omitempty" jsonschema:"the second; default: the live world"`
	Component string       `json:"component,omitempty" jsonschema:"only this type"`
	Entity    entities.Arg `json:"entity,omitzero" jsonschema:"only this entity"`
	Resources bool         `json:"resources,omitempty" jsonschema:"resources alone"`
	Epsilon   float64      `json:"epsilon,omitempty" jsonschema:"tolerance for floats" debug:"min=0,default=0"`
	Limit     int          `json:"limit,omitempty" jsonschema:"rows to return; 0: counts alone" debug:"min=0,max=10000,default=50"`
	page.Args
}

type snapshotDiffResult struct {
	From             string             `json:"from" jsonschema:"file of the first"`
	To               string             `json:"to" jsonschema:"file of the second, or live"`
	Same             bool               `json:"same" jsonschema:"whether nothing differs"`
	Spawned          int                `json:"spawned" jsonschema:"entities only in the second"`
	Despawned        int                `json:"despawned" jsonschema:"entities only in the first"`
	Added            int                `json:"added" jsonschema:"components that entities of both gained"`
	Removed          int                `json:"removed" jsonschema:"components that entities of both lost"`
	Changed          int                `json:"changed" jsonschema:"component values that differ, one for each entity and component"`
	ResourcesChanged int                `json:"resourcesChanged" jsonschema:"resources that differ"`
	Rows             []snapshot.DiffRow `json:"rows" jsonschema:"the differences, field by field; what is rare and exact first"`
	page.Info
}

// diffing is a diff on its way: what is decoded before the frame, and the live
// world once it has been copied.
type diffing struct {
	in       snapshotDiffArgs
	skip     int // rows of earlier pages
	cat      *ecs.Catalog
	from, to *snapshot.Staged
	live     *snapshot.Capture
	names    [2]string
	exclude  []string
}

func (s *snapshots) diffTool() *tools.Tool {
	return entities.WithForms[snapshotDiffArgs](tools.NewPhased(tools.Spec{Name: "snapshot_diff", Effect: tools.ReadOnly, Idempotent: true, NeedsWorld: true, OffFrameIf: recorded,
		Description: "Compares a snapshot with the live world or another.",
		Example:     `{"from":"before-boss","limit":20}`,
	}, tools.Phases[snapshotDiffArgs, diffing, diffing, snapshotDiffResult]{
		Instead: func(c *tools.Call, in snapshotDiffArgs) (*tools.Frame, error) {
			if !past.Names(in.From) || !past.Names(in.To) {
				return nil, nil
			}
			return s.then.NamedFrame(c, in.To)
		},
		Before: s.diffBefore, Frame: s.diffFrame, After: s.diffAfter}))
}

// recorded: both sides are of the recording, and the game is not asked.
func recorded(arguments json.RawMessage) bool {
	var in struct{ From, To string }
	return json.Unmarshal(arguments, &in) == nil && past.Names(in.From) && past.Names(in.To)
}

func (s *snapshots) diffBefore(c *tools.Call, in snapshotDiffArgs) (d diffing, err error) {
	d.in = in
	if in.Resources && in.Entity.Given {
		return d, &refusal.Error{Code: refusal.InvalidArguments, Message: "entity and resources: an entity has no resources", Options: []string{"entity", "resources"}, Total: 2}
	}
	if in.Cursor != "" {
		var p page.Position
		if err := page.DecodeCursor("snapshot_diff", in.Cursor, &p); err != nil {
			return d, err
		}
		d.skip = min(max(p.Index, 0), 1<<20)
	}
	d.names[1] = "live"
	// Worlds alone are compared: what this build does not know and the host's
	// states are left out.
	o := past.Options(s.host.App())
	o.AllowUnknown, o.States = true, nil
	if d.from, d.names[0], err = s.decode(c, in.From, o); err != nil {
		return d, err
	}
	if in.To != "" {
		d.to, d.names[1], err = s.decode(c, in.To, o)
	} else {
		d.live = s.capture()
	}
	return d, err
}

// diffFrame copies the live world if it is one side. Types are only ever
// added, so the newer catalog serves for both.
func (s *snapshots) diffFrame(f *tools.Frame, d diffing) (diffing, error) {
	d.cat = f.World.Catalog()
	o := past.Options(s.host.App())
	o.States = nil // not compared
	d.exclude = o.Exclude
	for _, st := range []*snapshot.Staged{d.from, d.to} {
		if st != nil {
			if err := st.Fits(d.cat); err != nil {
				return d, err
			}
		}
	}
	if d.live != nil {
		return d, d.live.Take(f.World, o)
	}
	return d, nil
}

func (s *snapshots) diffAfter(_ *tools.Call, d diffing) (r snapshotDiffResult, err error) {
	to := (*ecs.Image)(nil)
	if d.live != nil {
		defer s.captures.Put(d.live)
		to = &d.live.Image
	} else {
		to = &d.to.Image
	}
	o := snapshot.DiffOptions{Component: d.in.Component, Entity: d.in.Entity.Entity, Epsilon: d.in.Epsilon, Exclude: d.exclude, Ranked: true, Resources: d.in.Resources}
	if d.in.Limit > 0 {
		o.Limit = d.skip + d.in.Limit
	}
	if d.in.Entity.Given && !d.in.Entity.Full {
		o.AnyGeneration = true
	}
	res, err := snapshot.Diff(d.cat, &d.from.Image, to, o)
	if err != nil {
		return r, err
	}
	r = snapshotDiffResult{From: d.names[0], To: d.names[1], Same: res.Same(), Spawned: res.Spawned, Despawned: res.Despawned, Added: res.Added,
		Removed: res.Removed, Changed: res.Changed, ResourcesChanged: res.ResourcesChanged}
	rows := res.Rows[min(d.skip, len(res.Rows)):]
	for i := range rows {
		rows[i].From, rows[i].To = surprise.Short(rows[i].From), surprise.Short(rows[i].To)
	}
	n := page.Cut(rows, d.in.Max())
	if n == 0 && len(rows) > 0 {
		n = 1
	}
	r.Rows, r.Total, r.Returned = rows[:n:n], res.Total, n
	if d.skip+n < res.Total {
		r.Truncated, r.Hint = true, "name a component or an entity, or set epsilon to leave out small changes of floats"
		if d.in.Limit > 0 {
			r.Next = page.EncodeCursor("snapshot_diff", page.Position{Index: d.skip + n})
		}
	}
	return r, nil
}
