package past

import (
	"encoding/json"
	"fmt"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/inspector"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
)

type historyArgs struct {
	Entity string   `json:"entity,omitempty" jsonschema:"42v3"`
	Paths  []string `json:"paths,omitempty" jsonschema:"Health.HP, Score.Points"`
	Where  string   `json:"where,omitempty" jsonschema:"instead: over entities, as in query"`
	Of     string   `json:"of,omitempty" jsonschema:"count, or min, max, avg, sum: avg Health.HP" debug:"default=count"`
	From   *int64   `json:"from,omitempty" jsonschema:"tick"`
	To     *int64   `json:"to,omitempty" jsonschema:"tick"`
	Points int      `json:"points,omitempty" jsonschema:"how many" debug:"min=1,max=1000,default=60"`
}

type historyResult struct {
	Ticks   []uint64                     `json:"ticks" jsonschema:"the ticks of the values, from the first to the last, evenly spread"`
	Series  map[string][]json.RawMessage `json:"series" jsonschema:"values by path, one a tick; null where the entity or the component was not there"`
	Summary map[string]timeline.Summary  `json:"summary" jsonschema:"by path, over every sample and not the shown ones alone"`
	Samples int                          `json:"samples" jsonschema:"how many were read"`
	Hint    string                       `json:"hint,omitempty" jsonschema:"what to mind"`
}

const historyDoc = "How a value, or a number over entities, went tick by tick."

func (p *Past) historyTool() *tools.Tool {
	return tools.NewOff(tools.Spec{Name: "history", Page: inspector.URI, Effect: tools.ReadOnly, Idempotent: true, Description: historyDoc,
		Example: `{"entity":"2v0","paths":["Health.HP"],"from":-600}`},
		func(c *tools.Call, in historyArgs) (r historyResult, err error) {
			h, err := p.history(c, in)
			if err != nil {
				return r, err
			}
			r = historyResult{Ticks: h.Ticks, Series: h.Series, Summary: h.Summary, Samples: h.Samples}
			r.thin()
			return r, nil
		})
}

// maxSeriesBytes bounds the values of an answer.
const maxSeriesBytes = 32 << 10

// thin leaves out every other point until the answer is of a size to read.
func (r *historyResult) thin() {
	whole := len(r.Ticks)
	for {
		size := 0
		for _, s := range r.Series {
			for _, v := range s {
				size += len(v) + 1
			}
		}
		if size <= maxSeriesBytes || len(r.Ticks) <= 1 {
			break
		}
		r.Ticks = everyOther(r.Ticks)
		for k, s := range r.Series {
			r.Series[k] = everyOther(s)
		}
	}
	if len(r.Ticks) < whole {
		r.Hint = fmt.Sprintf("%d of %d points: the values are long; name a path inside them, or a shorter span", len(r.Ticks), whole)
	}
}

func everyOther[T any](s []T) (out []T) {
	for i := 0; i < len(s); i += 2 {
		out = append(out, s[i])
	}
	return out
}

// history reads what is asked for.
func (p *Past) history(c *tools.Call, in historyArgs) (h timeline.History, err error) {
	l, from, to, err := p.span(c, in.From, in.To)
	if err != nil {
		return h, err
	}
	types := l.World(to).Catalog()
	tracks, err := tracksOf(l, to, types, in)
	if err != nil {
		return h, err
	}
	return l.History(from, to, in.Points, tracks), nil
}

// span is a line with the first and last sample that are meant; those that there
// are where none is named.
func (p *Past) span(c *tools.Call, from, to *int64) (l *timeline.Line, a, b timeline.Ref, err error) {
	l = p.line(c.Context)
	first, last, _ := l.Ticks()
	at := func(tick *int64, or uint64) (timeline.Ref, error) {
		t := int64(or)
		if tick != nil {
			t = *tick
		}
		return l.Find(t)
	}
	if a, err = at(from, first); err != nil {
		return l, a, b, err
	}
	if b, err = at(to, last); err != nil {
		return l, a, b, err
	}
	if from == nil {
		a = l.First()
	}
	if b.Seq < a.Seq {
		return l, a, b, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("the span ends at tick %d, before it begins at tick %d", b.Tick, a.Tick), Want: "from at or before to"}
	}
	return l, a, b, nil
}

func tracksOf(l *timeline.Line, to timeline.Ref, types *ecs.Catalog, in historyArgs) (tracks []timeline.Track, err error) {
	switch {
	case in.Where != "" && (in.Entity != "" || len(in.Paths) > 0):
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "entity and paths, or where with of: name one of the two", Options: []string{"paths", "where"}, Total: 2}
	case in.Where != "":
		plan, err := query.Compile(types, query.Query{Where: in.Where})
		if err != nil {
			return nil, err
		}
		of := in.Of
		if of == "" {
			of = "count"
		}
		t, err := timeline.OverTrack(types, plan, of)
		return []timeline.Track{t}, err
	case len(in.Paths) == 0:
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "say what to follow: paths, of an entity or of resources, or where", Options: []string{"paths", "where"}, Total: 2,
			Hint: `{"entity":"42v3","paths":["Health.HP"]}, {"paths":["Score.Points"]} or {"where":"has(Enemy)"}`}
	}
	e, err := entityOf(l, to, in.Entity)
	if err != nil {
		return nil, err
	}
	for _, path := range in.Paths {
		t, err := timeline.FieldTrack(types, e, path)
		if err != nil {
			return nil, err
		}
		tracks = append(tracks, t)
	}
	return tracks, nil
}

// entityOf is the entity that an argument means; a bare slot number is whoever
// lived there at the sample.
func entityOf(l *timeline.Line, at timeline.Ref, text string) (ecs.Entity, error) {
	if text == "" {
		return ecs.Entity{}, nil
	}
	e, full, err := ecs.ParseEntity(text)
	if err != nil || full {
		return e, err
	}
	holder, ok := l.World(at).Holder(e.ID)
	if !ok {
		return e, &refusal.Error{Code: refusal.UnknownEntity, Message: fmt.Sprintf("no entity lived in slot %d at tick %d", e.ID, at.Tick), Got: text,
			Hint: "query with at lists those that did", Next: "query"}
	}
	return holder, nil
}
