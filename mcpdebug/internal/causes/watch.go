package causes

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/timeline/watch"
	"github.com/loupe-ecs/loupe/tools"
)

func (c *Causes) watchTools() []*tools.Tool {
	return tools.Family(tools.Spec{Group: "past"},
		entities.WithForms[watchAddArgs](tools.NewPhased(tools.Spec{Name: "watch_add", Effect: tools.Additive, NeedsWorld: true,
			Example:     `{"entity":"2v0","path":"Health.HP","when":"new < old"}`,
			Description: "Says from now on which system or call changes a value: watch_list, ecs://watch/{id}."},
			tools.Phases[watchAddArgs, *watchPlan, watch.Info, watchAddResult]{Before: planWatch, Frame: c.addWatch,
				After: func(_ *tools.Call, i watch.Info) (watchAddResult, error) {
					r := watchAddResult{ID: i.ID, What: i.What, Value: shown(i.Value), By: i.By}
					if i.By == "tick" && i.NoHook {
						r.Hint = "this game's systems have no hook (host.SystemHooks): it is looked at once a tick, and hits name no system"
					}
					return r, nil
				}})),
		tools.NewOff(tools.Spec{Name: "watch_list", Effect: tools.ReadOnly, Idempotent: true, Example: `{"id":"w1"}`,
			Description: "Watches and what they saw: tick, system or call, old, new."}, c.listWatches),
		tools.New(tools.Spec{Name: "watch_remove", Effect: tools.Additive, Idempotent: true, WhenCrashed: true, WhenParked: true, Example: `{"id":"w1"}`,
			Description: "Ends a watch for good."}, c.removeWatch),
	)
}

type watchAddArgs struct {
	Entity entities.Arg `json:"entity,omitzero" jsonschema:"42v3; without path: its life"`
	Path   string       `json:"path,omitempty" jsonschema:"Health.HP, a component, or a resource's: Score.Points"`
	Where  string       `json:"where,omitempty" jsonschema:"instead: how many match, as in query"`
	When   string       `json:"when,omitempty" jsonschema:"only changes for which this holds: new < old, isnan(new)"`
	By     string       `json:"by,omitempty" jsonschema:"when to look" debug:"enum=system|tick,default=system"`
	Action string       `json:"action,omitempty" jsonschema:"pause holds the clock at the end of the tick" debug:"enum=log|pause,default=log"`
	Limit  int          `json:"limit,omitempty" jsonschema:"hits, then it ends" debug:"min=1,max=10000,default=100"`
}

type watchAddResult struct {
	ID    string          `json:"id" jsonschema:"what watch_list and watch_remove take"`
	What  string          `json:"what" jsonschema:"what is watched"`
	Value json.RawMessage `json:"value" jsonschema:"what it is now; null: there is none"`
	By    string          `json:"by" jsonschema:"system or tick: how exactly a hit can name its cause"`
	Hint  string          `json:"hint,omitempty" jsonschema:"why hits name no system"`
}

// watchPlan is a watch that was checked off the frame.
type watchPlan struct {
	spec watch.Spec
	cat  *ecs.Catalog
	c    *watch.Compiled
}

func planWatch(c *tools.Call, in watchAddArgs) (p *watchPlan, err error) {
	if c.Catalog == nil {
		return nil, noWorld()
	}
	p = &watchPlan{cat: c.Catalog, spec: watch.Spec{Entity: in.Entity.Text(), Path: in.Path, Where: in.Where, When: in.When,
		ByTick: in.By == "tick", Pause: in.Action == "pause", Limit: in.Limit}}
	p.c, err = watch.Compile(p.cat, p.spec)
	return p, err
}

func (c *Causes) addWatch(f *tools.Frame, p *watchPlan) (watch.Info, error) {
	if cat := f.World.Catalog(); cat != p.cat && !cat.Extends(p.cat) {
		var err error
		if p.c, err = watch.Compile(cat, p.spec); err != nil {
			return watch.Info{}, err
		}
	}
	return c.watches.Add(f.World, f.App, p.c)
}

type watchListArgs struct {
	ID    string `json:"id,omitempty" jsonschema:"default: all"`
	After string `json:"after,omitempty" jsonschema:"next of an answer before"`
	Limit int    `json:"limit,omitempty" jsonschema:"hits" debug:"min=1,max=1000,default=100"`
}

type watchListResult struct {
	Watches []watchRow `json:"watches" jsonschema:"in the order they were made"`
	Hits    []hitRow   `json:"hits" jsonschema:"oldest first"`
	Next    string     `json:"next" jsonschema:"pass it as after to read on"`
	More    bool       `json:"more,omitempty" jsonschema:"whether further hits are there already"`
	Dropped uint64     `json:"dropped,omitempty" jsonschema:"hits that were pushed out unread"`
}

type watchRow struct {
	ID     string          `json:"id" jsonschema:"the watch"`
	What   string          `json:"what" jsonschema:"what is watched"`
	When   string          `json:"when,omitempty" jsonschema:"which changes count"`
	By     string          `json:"by" jsonschema:"system or tick"`
	Action string          `json:"action" jsonschema:"log or pause"`
	Hits   int             `json:"hits" jsonschema:"how many there were"`
	Limit  int             `json:"limit" jsonschema:"at how many it ends"`
	Value  json.RawMessage `json:"value" jsonschema:"after the last hit; null: there was none"`
	Ended  string          `json:"ended,omitempty" jsonschema:"why it looks no more"`
}

type hitRow struct {
	N      uint64          `json:"n" jsonschema:"number of the hit"`
	ID     string          `json:"id" jsonschema:"the watch"`
	Tick   uint64          `json:"tick" jsonschema:"of the clock, or the frame without one"`
	System string          `json:"system,omitempty" jsonschema:"who changed it, or: outside systems"`
	Call   string          `json:"call,omitempty" jsonschema:"the client's call that changed it"`
	Client string          `json:"client,omitempty" jsonschema:"who called"`
	During string          `json:"during,omitempty" jsonschema:"what the game was suspended in"`
	Old    json.RawMessage `json:"old" jsonschema:"null: there was none"`
	New    json.RawMessage `json:"new" jsonschema:"null: there is none"`
	Note   string          `json:"note,omitempty" jsonschema:"why there is no value"`
}

func rowOf(h *watch.Hit) hitRow {
	return hitRow{N: h.N, ID: h.Watch, Tick: h.Tick, System: h.System, Call: h.Call, Client: h.Client, During: h.During,
		Old: shown(h.Old), New: shown(h.New), Note: h.Note}
}

func (c *Causes) listWatches(_ *tools.Call, in watchListArgs) (r watchListResult, err error) {
	var after uint64
	if in.After != "" {
		if after, err = strconv.ParseUint(in.After, 10, 64); err != nil {
			return r, &refusal.Error{Code: refusal.InvalidArguments, Message: "after is no cursor of watch_list", Got: in.After,
				Want: "next of an earlier answer", Hint: "leave it out to read from the first hit"}
		}
	}
	infos, err := c.watches.List(in.ID)
	if err != nil {
		return r, err
	}
	r.Watches, r.Hits = []watchRow{}, []hitRow{}
	for _, i := range infos {
		row := watchRow{ID: i.ID, What: i.What, When: i.When, By: i.By, Action: "log", Hits: i.Hits, Limit: i.Limit, Value: shown(i.Value), Ended: i.Ended}
		if i.Pause {
			row.Action = "pause"
		}
		r.Watches = append(r.Watches, row)
	}
	hits, more, dropped := c.watches.Hits(in.ID, after, max(in.Limit, 1))
	r.More, r.Dropped = more, dropped
	size := 0
	for i := range hits {
		row := rowOf(&hits[i])
		if size += len(row.Old) + len(row.New) + len(row.Note) + 150; size > maxHitBytes && i > 0 {
			r.More = true
			break
		}
		r.Hits = append(r.Hits, row)
		after = row.N
	}
	r.Next = strconv.FormatUint(after, 10)
	return r, nil
}

const maxHitBytes = 32 << 10

type watchRemoveArgs struct {
	ID string `json:"id" jsonschema:"the watch"`
}

type watchRemoveResult struct {
	Removed string `json:"removed" jsonschema:"the watch that looks no more"`
}

func (c *Causes) removeWatch(_ *tools.Frame, in watchRemoveArgs) (watchRemoveResult, error) {
	return watchRemoveResult{in.ID}, c.watches.Remove(in.ID)
}

// mark puts a hit on the time line.
func (c *Causes) mark(h *watch.Hit) {
	if c.rec == nil || !c.rec.Recording() {
		return
	}
	who := h.System
	if h.Call != "" {
		who = "call " + h.Call
	}
	c.rec.Mark(timeline.Mark{Tick: h.Tick, Kind: timeline.MarkWatch, Text: fmt.Sprintf("%s: %s -> %s by %s", h.Watch, shown(h.Old), shown(h.New), who)})
}

// tell makes log lines and updates of resources from hits. On a goroutine of the
// watches' own.
func (c *Causes) tell(hits []watch.Hit) {
	updated := map[string]bool{}
	for i := range hits {
		h := &hits[i]
		updated[h.Watch] = true
		c.mark(h)
		if !c.log.room(time.Now()) {
			continue
		}
		who := h.System
		if h.Call != "" {
			who = "call " + h.Call
		}
		what := h.Watch
		if infos, err := c.watches.List(h.Watch); err == nil {
			what = infos[0].What
		}
		c.host.Logger().Info("watch hit", "watch", h.Watch, "what", what, "tick", h.Tick, "by", who,
			"change", fmt.Sprintf("%s -> %s", shown(h.Old), shown(h.New)))
	}
	for id := range updated {
		c.host.Updated("watch/" + id)
	}
}
