package worldtools

import (
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"reflect"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/tools"
)

// selection is the part of the arguments that says which entities are meant;
// modify takes it as an object.
type selection struct {
	Name      string        `json:"name,omitempty" jsonschema:"part of the label"`
	With      []string      `json:"with,omitempty" jsonschema:"components it has"`
	Without   []string      `json:"without,omitempty" jsonschema:"components it lacks"`
	Exclusive bool          `json:"exclusive,omitempty" jsonschema:"no other components than with"`
	Target    *entities.Arg `json:"target,omitempty" jsonschema:"its relation's target"`
	Relation  string        `json:"relation,omitempty" jsonschema:"which relation"`
	Where     string        `json:"where,omitempty" jsonschema:"Go condition on field paths: Health.HP < Health.Max/2 && Enemy.Kind == \"Brute\"; also len, isnan, has(Component), alive(entity), contains(text, \"part\")"`
}

func (s *selection) query() query.Query {
	q := query.Query{Name: s.Name, With: s.With, Without: s.Without, Exclusive: s.Exclusive, Relation: s.Relation, Where: s.Where}
	if s.Target != nil {
		if q.Target = s.Target.Entity.String(); !s.Target.Full {
			q.Target, _, _ = strings.Cut(q.Target, "v")
		}
	}
	return q
}

type queryArgs struct {
	selection
	Select  []string `json:"select,omitempty" jsonschema:"only these: Health.HP"`
	Values  bool     `json:"values,omitempty" jsonschema:"give component values" debug:"default=true"`
	Sort    string   `json:"sort,omitempty" jsonschema:"path or expression; -Health.HP: greatest first"`
	Limit   int      `json:"limit,omitempty" jsonschema:"rows" debug:"min=1,max=10000,default=50"`
	Offset  int      `json:"offset,omitempty" jsonschema:"matches to skip" debug:"min=0,max=100000000"`
	Explain bool     `json:"explain,omitempty" jsonschema:"how many each condition passed"`
	page.Args
	past.At
}

type queryResult struct {
	Matched  int         `json:"matched" jsonschema:"how many entities match"`
	Entities []entityRow `json:"entities" jsonschema:"a page of them"`
	queryRest
	head []byte // Matched and Entities, encoded
}

type queryRest struct {
	page.Info
	Offset       int                `json:"offset,omitempty" jsonschema:"how many matches were skipped"`
	WorldChanged bool               `json:"worldChanged,omitempty" jsonschema:"entities have come, gone or moved, or other ones match, since the first page"`
	Explain      *query.Explanation `json:"explain,omitempty" jsonschema:"how the matches came about"`
	past.Tick
}

// AppendJSON implements [tools.Encoded]: the rows are JSON already.
func (r queryResult) AppendJSON(dst []byte) ([]byte, error) {
	if dst == nil {
		dst = r.head
	} else {
		dst = append(dst, r.head...)
	}
	at := len(dst)
	dst, err := value.AppendJSON(dst, reflect.ValueOf(&r.queryRest).Elem(), value.EncodeOptions{JSON: true})
	if err == nil {
		dst[at] = ',' // for its opening brace
	}
	return dst, err
}

// queryCursor is where a page ended. The world may have changed since: without
// a sort the entity says where to go on, and if it is gone its place does; with
// a sort its key does.
type queryCursor struct {
	Entity    ecs.Entity   `json:"e"`
	Archetype int          `json:"a,omitempty"`
	Row       int          `json:"r,omitempty"`
	Done      archetypeSet `json:"d,omitempty"` // archetypes that are passed
	After     *query.After `json:"s,omitempty"`
	World     uint64       `json:"w"` // fingerprint at the first page
}

// archetypeSet is a set of archetype numbers, one bit each: archetypes come in
// the engine's order, which is not that of their numbers.
type archetypeSet []byte

func (s archetypeSet) has(id int) bool { return id >= 0 && id/8 < len(s) && s[id/8]>>(id%8)&1 != 0 }

func (s archetypeSet) with(id int) archetypeSet {
	if id < 0 || s.has(id) {
		return s
	}
	n := make(archetypeSet, max(len(s), id/8+1))
	copy(n, s)
	n[id/8] |= 1 << (id % 8)
	return n
}

type queryPrep struct {
	args     queryArgs
	plan     entities.FromCatalog[*query.Plan]
	order    entities.FromCatalog[*query.Order]
	selected entities.FromCatalog[[]selected]
	kind     string
	cursor   *queryCursor
}

// selected is one path of select.
type selected struct {
	text string
	comp *ecs.Component
	path *value.Path
}

type queryCopy struct {
	prep    *queryPrep
	rows    pageRows
	places  []queryCursor // where each row was
	paths   []selected
	matched int
	more    bool
	world   uint64
	explain *query.Explanation
	hint    string // about a target that does not live
}

func queryTool(then *past.Past) *tools.Tool {
	return entities.WithForms[queryArgs](tools.NewPhased(tools.Spec{
		Name: "query", Effect: tools.ReadOnly, Idempotent: true, OffFrameWith: past.With,
		Description: "Finds entities; counts all, returns a page. info reads one whole.",
		Example:     `{"with":["Health"],"where":"Health.HP < 10","select":["Health.HP"],"sort":"Health.HP","limit":5}`,
	}, tools.Phases[queryArgs, *queryPrep, *queryCopy, queryResult]{
		Instead: func(c *tools.Call, in queryArgs) (*tools.Frame, error) { return then.Frame(c, in.At) },
		Before:  queryBefore, Frame: queryFrame, After: queryAfter}))
}

func queryBefore(c *tools.Call, in queryArgs) (*queryPrep, error) {
	p := &queryPrep{args: in}
	var err error
	if p.plan, err = entities.Make(c, func(cat *ecs.Catalog) (*query.Plan, error) { return query.Compile(cat, in.query()) }); err != nil {
		return nil, err
	}
	if in.Sort != "" {
		if p.order, err = entities.Make(c, func(cat *ecs.Catalog) (*query.Order, error) { return query.CompileOrder(cat, in.Sort) }); err != nil {
			return nil, err
		}
	}
	if p.selected, err = entities.Make(c, func(cat *ecs.Catalog) ([]selected, error) { return compileSelect(cat, in.Select) }); err != nil {
		return nil, err
	}
	// A cursor belongs to the same question, page sizes aside.
	b, err := json.Marshal(struct {
		Q    query.Query
		Sort string
	}{in.query(), in.Sort})
	if err != nil {
		return nil, err
	}
	p.kind = "query:" + string(b)
	if in.Cursor != "" && in.Offset > 0 {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "cursor goes on after a page and offset counts from the first match: pass one of them", Got: in.Offset}
	}
	if in.Cursor != "" {
		p.cursor = new(queryCursor)
		if err := page.DecodeCursor(p.kind, in.Cursor, p.cursor); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func compileSelect(cat *ecs.Catalog, paths []string) ([]selected, error) {
	out := make([]selected, 0, len(paths))
	for _, text := range paths {
		comp, path, err := cat.ComponentPath(text)
		if err != nil {
			if e, ok := err.(*refusal.Error); ok {
				d := *e
				d.Message = "select: " + e.Message
				err = &d
			}
			return nil, err
		}
		out = append(out, selected{text, comp, path})
	}
	return out, nil
}

func queryFrame(f *tools.Frame, p *queryPrep) (*queryCopy, error) {
	w := f.World
	plan, err := p.plan.On(f)
	if err != nil {
		return nil, err
	}
	if plan, err = plan.Bind(w); err != nil {
		return nil, err
	}
	out := &queryCopy{prep: p}
	if out.paths, err = p.selected.On(f); err != nil {
		return nil, err
	}
	if p.args.Explain {
		if out.explain, err = plan.Explain(w); err != nil {
			return nil, err
		}
	}
	if t := p.args.Target; t != nil && t.Full {
		out.hint = targetHint(w, t.Entity)
	}
	cat := w.Catalog()
	out.rows.cat = cat
	limit, skip := p.args.Limit, p.args.Offset
	if p.args.Sort != "" {
		order, err := p.order.On(f)
		if err != nil {
			return nil, err
		}
		var after *query.After
		if p.cursor != nil {
			after = p.cursor.After
		}
		ranked, matched, err := plan.Top(w, order, skip+limit+1, after)
		if err != nil {
			return nil, err
		}
		ranked = ranked[min(skip, len(ranked)):]
		out.matched, out.more = matched, len(ranked) > limit
		for i := range ranked[:min(limit, len(ranked))] {
			r := &ranked[i]
			out.take(r.Chunk(), []int32{int32(r.Row)})
			out.places = append(out.places, queryCursor{Entity: r.Entity, After: &r.After})
		}
	} else {
		from := startAt(w, p.cursor)
		out.matched, err = plan.Rows(w, func(c ecs.Chunk, rows []int32) bool {
			for len(rows) > 0 && !from.reached(c, int(rows[0])) {
				rows = rows[1:]
			}
			past := min(skip, len(rows))
			rows, skip = rows[past:], skip-past
			if room := limit - out.rows.n; len(rows) > room {
				rows, out.more = rows[:room], true
			}
			if len(rows) > 0 {
				out.take(c, rows)
			}
			for _, row := range rows {
				out.places = append(out.places, queryCursor{Entity: c.Entity(int(row)), Archetype: c.Archetype(), Row: int(row), Done: from.done})
			}
			return !out.more
		})
		if err != nil {
			return nil, err
		}
	}
	out.world = fingerprint(cat, out.matched)
	return out, nil
}

// targetHint tells that nothing, or nothing alive, is what the rows point at.
func targetHint(w ecs.World, e ecs.Entity) string {
	if w.Alive(e) || e.IsZero() {
		return ""
	}
	err, ok := ecs.CheckAlive(w, e).(*refusal.Error)
	if !ok {
		return ""
	}
	hint := "target: " + err.Message
	if err.Code == refusal.EntityDead && w.Catalog().Engine.DanglingTargets {
		hint += "; what pointed at it when it died goes on pointing at it"
	}
	return hint
}

// start is where a page without a sort begins.
type start struct {
	archetype, row int
	resumed        bool
	done           archetypeSet // passed on earlier pages, and so far on this one
	last           int          // archetype of the row before
}

// startAt finds where to go on. If the entity that ended the last page is gone
// its archetype's last row has taken its place (swap-remove), so that row is
// next; otherwise the row after it.
func startAt(w ecs.World, c *queryCursor) *start {
	if c == nil {
		return &start{last: -1}
	}
	s := &start{archetype: c.Archetype, row: c.Row, resumed: true, done: c.Done, last: -1}
	if chunk, row, ok := w.Row(c.Entity); ok && chunk.Archetype() == c.Archetype {
		s.row = row + 1
	}
	return s
}

// reached reports whether a row belongs to this page or a later one. It is
// asked in the order of the scan.
func (s *start) reached(c ecs.Chunk, row int) bool {
	a := c.Archetype()
	if a != s.last {
		if s.last >= 0 {
			s.done = s.done.with(s.last)
		}
		s.last = a
	}
	return !s.done.has(a) && (!s.resumed || a != s.archetype || row >= s.row)
}

// fingerprint tells whether entities have come, gone or moved between
// archetypes, or the number of matches has changed. Field writes that change
// neither are not seen.
func fingerprint(cat *ecs.Catalog, matched int) uint64 {
	h := fnv.New64a()
	var b []byte
	add := func(n int) { b = binary.LittleEndian.AppendUint64(b, uint64(n)) }
	add(matched)
	add(cat.Entities.Alive)
	add(cat.Entities.Recycled)
	add(cat.Entities.Total)
	for i := range cat.Archetypes {
		add(cat.Archetypes[i].Entities)
	}
	h.Write(b)
	return h.Sum64()
}

// take copies rows of the page out of the world.
func (q *queryCopy) take(c ecs.Chunk, rows []int32) {
	run := q.rows.take(c, rows, q.prep.args.Values && len(q.paths) == 0)
	if len(q.paths) == 0 {
		return
	}
	run.columns = make([]pageColumn, len(q.paths))
	for j, s := range q.paths {
		run.columns[j] = pageColumn{key: s.text, path: s.path, each: make([]reflect.Value, len(rows))}
	}
	for i, row := range rows {
		for j, s := range q.paths {
			root, ok := entities.RowValue(c, int(row), s.comp)
			if !ok {
				continue // the entity lacks the component
			}
			err := safely(func() error {
				v, err := s.path.Get(root)
				if err == nil {
					run.columns[j].each[i] = value.Copy(v)
				}
				return err
			})
			if err == nil {
				continue
			}
			if run.failed == nil {
				run.failed = make([]map[string]string, len(rows))
			}
			if run.failed[i] == nil {
				run.failed[i] = map[string]string{}
			}
			run.failed[i][s.text] = err.Error()
		}
	}
}

func queryAfter(_ *tools.Call, q *queryCopy) (queryResult, error) {
	in := &q.prep.args
	out := queryResult{Matched: q.matched}
	out.Offset = in.Offset
	out.Explain = q.explain
	out.Total = q.matched
	size, err := q.encode(&out)
	if err != nil {
		return out, err
	}
	world := q.world
	if q.prep.cursor != nil {
		world = q.prep.cursor.World
		out.WorldChanged = world != q.world
	}
	if q.more && out.Returned > 0 {
		last := q.places[out.Returned-1]
		last.World = world
		out.Truncated, out.Next = true, page.EncodeCursor(q.prep.kind, last)
		out.Hint = narrower(in, size > in.Max())
	}
	if q.hint != "" && out.Hint != "" {
		q.hint += "; "
	}
	out.Hint = q.hint + out.Hint
	return out, nil
}

// encode writes the rows that fit into the page. size is what those and the
// first that does not fit take.
func (q *queryCopy) encode(out *queryResult) (size int, err error) {
	limit := q.prep.args.Max()
	w := newPageWriter(q.rows.cat)
	w.selected = len(q.paths) > 0
	buf := append(make([]byte, 0, min(limit, 256*q.rows.n)+1024), `{"matched":`...)
	buf = append(strconv.AppendInt(buf, int64(q.matched), 10), `,"entities":[`...)
	defer func() { out.head = append(buf, ']') }()
	for r := range q.rows.runs {
		run := &q.rows.runs[r]
		w.begin(run)
		for i := range run.entities {
			start := len(buf)
			if out.Returned > 0 {
				buf = append(buf, ',')
			}
			buf = w.row(buf, run, i)
			if out.Returned == 0 && len(buf)-start > limit/2 {
				row, err := w.shrunk(buf[start:], limit)
				if err != nil {
					return size, err
				}
				buf = append(buf[:start], row...)
			}
			size += len(buf) - start + 1
			if out.Returned > 0 && size > limit {
				buf, q.more = buf[:start], true
				return size, nil
			}
			out.Returned++
		}
	}
	return size, nil
}

// narrower names the call that would have needed less.
func narrower(in *queryArgs, large bool) string {
	switch {
	case large && len(in.Select) == 0 && in.Values:
		return `pass next as cursor, or ask for less: "select":["Component.Field"] or "values":false`
	case large:
		return "pass next as cursor, or raise maxBytes"
	case in.Where == "" && in.Limit <= 50:
		return "pass next as cursor, or narrow it with where; matched is the full count"
	}
	return "pass next as cursor; matched is the full count"
}
