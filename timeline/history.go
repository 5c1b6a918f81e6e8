package timeline

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Track is something whose value is followed: a field of an entity, of a
// resource, or a number over entities. Compile it for each History.
type Track struct {
	Name string
	read func(c *Cursor) (reflect.Value, bool)
}

// FieldTrack follows a path of an entity (Health.HP) or of a resource
// (Score.Points). The zero entity is for paths of resources.
func FieldTrack(types *ecs.Catalog, e ecs.Entity, path string) (Track, error) {
	comp, p, err := types.ComponentPath(path)
	if err == nil {
		if e.IsZero() {
			return Track{}, &refusal.Error{Code: refusal.InvalidArguments, Message: path + " is a component's: say of which entity", Got: path, Want: "entity",
				Hint: "or ask over several: where with of, for instance \"of\":\"avg " + path + "\""}
		}
		return Track{path, follow1(p, func(c *Cursor) (reflect.Value, bool) { return c.Component(e, comp.ID) })}, nil
	}
	res, p, rerr := types.ResourcePath(path)
	if rerr != nil {
		if ce, ok := err.(*refusal.Error); ok && ce.Next == "resources_info" {
			err = rerr
		}
		return Track{}, err
	}
	return Track{path, follow1(p, func(c *Cursor) (reflect.Value, bool) { return c.Resource(res.ID) })}, nil
}

func follow1(p *value.Path, root func(*Cursor) (reflect.Value, bool)) func(*Cursor) (reflect.Value, bool) {
	return func(c *Cursor) (v reflect.Value, ok bool) {
		defer func() {
			if recover() != nil { // a computed value of the game's
				ok = false
			}
		}()
		r, ok := root(c)
		if !ok {
			return v, false
		}
		v, err := p.Get(r)
		return v, err == nil && v.IsValid()
	}
}

// OverTrack follows a number over the entities that match a plan: "count", or
// min, max, avg or sum of an expression: "min Health.HP".
func OverTrack(types *ecs.Catalog, plan *query.Plan, of string) (Track, error) {
	what, expr, _ := strings.Cut(strings.TrimSpace(of), " ")
	if what == "count" && strings.TrimSpace(expr) == "" {
		return Track{of, func(c *Cursor) (reflect.Value, bool) { return reflect.ValueOf(plan.Count(c.World())), true }}, nil
	}
	fold, ok := folds[what]
	if !ok || strings.TrimSpace(expr) == "" {
		return Track{}, &refusal.Error{Code: refusal.InvalidArguments, Message: "of: " + refusal.Cut(of, 80) + " is no number over entities", Got: refusal.Cut(of, 80),
			Want: "count, or min, max, avg or sum of a path: min Health.HP", Options: []string{"count", "min", "max", "avg", "sum"}, Total: 5}
	}
	n, err := query.CompileNumber(types, expr)
	if err != nil {
		return Track{}, err
	}
	return Track{of, func(c *Cursor) (reflect.Value, bool) {
		f := fold
		if n.Each(c.World(), plan, f.add) != nil || f.n == 0 {
			return reflect.Value{}, false
		}
		return reflect.ValueOf(f.result(&f)), true
	}}, nil
}

// fold is a number made of several.
type fold struct {
	n      int
	sum    float64
	lo, hi float64
	result func(*fold) float64
}

func (f *fold) add(v float64) {
	if f.n == 0 {
		f.lo, f.hi = v, v
	}
	f.n++
	f.sum, f.lo, f.hi = f.sum+v, math.Min(f.lo, v), math.Max(f.hi, v)
}

var folds = map[string]fold{
	"min": {result: func(f *fold) float64 { return f.lo }},
	"max": {result: func(f *fold) float64 { return f.hi }},
	"sum": {result: func(f *fold) float64 { return f.sum }},
	"avg": {result: func(f *fold) float64 { return f.sum / float64(f.n) }},
}

// Summary is a track in short.
type Summary struct {
	First   json.RawMessage `json:"first" jsonschema:"value at the first sample; null: there was none"`
	Last    json.RawMessage `json:"last" jsonschema:"value at the last sample"`
	Min     json.RawMessage `json:"min,omitempty" jsonschema:"least value, of numbers"`
	Max     json.RawMessage `json:"max,omitempty" jsonschema:"greatest value, of numbers"`
	Changes int             `json:"changes" jsonschema:"how often it changed from one sample to the next"`
	MinTick uint64          `json:"minTick,omitempty" jsonschema:"first tick of the least value"`
	MaxTick uint64          `json:"maxTick,omitempty" jsonschema:"first tick of the greatest value"`
	LastAt  []uint64        `json:"lastChanges,omitempty" jsonschema:"the last ticks at which it changed, at most 3"`
}

// History is the values of tracks at some ticks, and each track in short.
type History struct {
	Ticks   []uint64
	Series  map[string][]json.RawMessage
	Numbers map[string][]float64 // of tracks that are numbers, NaN where there is no value
	Summary map[string]Summary
	Samples int
}

// History reads tracks from one sample to another: every sample for the summary,
// and values at so many points, spread evenly, with the first and the last. Of
// several samples of one tick the points show the last.
func (l *Line) History(from, to Ref, points int, tracks []Track) History {
	h := History{Series: map[string][]json.RawMessage{}, Numbers: map[string][]float64{}, Summary: map[string]Summary{}}
	shown := l.points(from, to, points)
	all := make([]*following, len(tracks))
	for i := range tracks {
		all[i] = newFollowing(&tracks[i])
	}
	for c := l.Walk(from, to); c.Next(); {
		r := c.Ref()
		show := len(shown) > 0 && shown[0] == r.Seq
		if show {
			shown = shown[1:]
			h.Ticks = append(h.Ticks, r.Tick)
		}
		h.Samples++
		for _, f := range all {
			f.next(c, r.Tick)
			if show {
				f.series = append(f.series, f.text)
				f.numbers = append(f.numbers, f.number)
			}
		}
	}
	for _, f := range all {
		h.Series[f.Name], h.Summary[f.Name] = f.series, f.summary
		if f.numeric {
			h.Numbers[f.Name] = f.numbers
		}
	}
	return h
}

// points chooses samples, the last of each tick, evenly.
func (l *Line) points(from, to Ref, n int) (seqs []uint64) {
	var all []uint64
	var before Ref
	for _, s := range l.spans {
		for i := s.lo; i < s.hi; i++ {
			r := s.ref(i)
			if r.Seq < from.Seq || r.Seq > to.Seq {
				continue
			}
			if len(all) > 0 && before.Tick == r.Tick {
				all = all[:len(all)-1]
			}
			all, before = append(all, r.Seq), r
		}
	}
	if n = max(n, 1); len(all) <= n {
		return all
	}
	for j := range n {
		seqs = append(seqs, all[j*(len(all)-1)/max(n-1, 1)])
	}
	return seqs
}

// following is a track on its way.
type following struct {
	*Track
	some    bool          // there has been a sample
	was     reflect.Value // a copy; invalid: none
	text    json.RawMessage
	number  float64
	numeric bool
	lo, hi  float64
	found   bool // lo and hi are

	series  []json.RawMessage
	numbers []float64
	summary Summary
}

var null = json.RawMessage("null")

func newFollowing(t *Track) *following { return &following{Track: t, text: null, number: math.NaN()} }

func (f *following) next(c *Cursor, tick uint64) {
	v, ok := f.read(c)
	if !ok {
		v = reflect.Value{}
	}
	changed := !f.some || v.IsValid() != f.was.IsValid() || v.IsValid() && !value.Equal(v, f.was)
	if !changed {
		return
	}
	f.text, f.number, f.was = null, math.NaN(), reflect.Value{}
	if v.IsValid() {
		f.was = value.Copy(v)
		if b, err := value.AppendJSON(nil, v, value.EncodeOptions{Bulk: true}); err == nil {
			f.text = b
		}
		f.measure(v, tick)
	}
	s := &f.summary
	if s.Last = f.text; !f.some {
		f.some, s.First = true, f.text
		return
	}
	s.Changes++
	if s.LastAt = append(s.LastAt, tick); len(s.LastAt) > 3 {
		s.LastAt = s.LastAt[1:]
	}
}

// measure keeps the least and the greatest number.
func (f *following) measure(v reflect.Value, tick uint64) {
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	n := 0.0
	switch {
	case v.CanInt():
		n = float64(v.Int())
	case v.CanUint():
		n = float64(v.Uint())
	case v.CanFloat():
		n = v.Float()
	default:
		return
	}
	f.number, f.numeric = n, true
	s := &f.summary
	if n == n && (!f.found || n < f.lo) {
		f.lo, s.Min, s.MinTick = n, f.text, tick
	}
	if n == n && (!f.found || n > f.hi) {
		f.hi, s.Max, s.MaxTick = n, f.text, tick
	}
	f.found = f.found || n == n
}
