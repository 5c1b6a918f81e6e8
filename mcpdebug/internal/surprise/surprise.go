package surprise

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/snapshot"
)

// Considered is how many rows of a diff are worth ranking; of more, the first.
const Considered = 20_000

// Shown is how many of them an answer shows.
const Shown = 20

// Differences are what a diff found, the most surprising first: who came and
// went, resources, what is no number, then numbers by how much they changed.
type Differences struct {
	Same             bool               `json:"same" jsonschema:"nothing differs"`
	Spawned          int                `json:"spawned" jsonschema:"entities that are there"`
	Despawned        int                `json:"despawned" jsonschema:"entities that are not there"`
	Added            int                `json:"added" jsonschema:"components that entities of both have gained"`
	Removed          int                `json:"removed" jsonschema:"components that they have lost"`
	Changed          int                `json:"changed" jsonschema:"component values that differ"`
	ResourcesChanged int                `json:"resourcesChanged" jsonschema:"resources that differ"`
	Rows             []snapshot.DiffRow `json:"rows" jsonschema:"the most surprising; some of every field before many of one"`
	ByPath           []PathCount        `json:"byPath" jsonschema:"how many entities differ in a field, the rarest first"`
	Omitted          int                `json:"omitted,omitempty" jsonschema:"differences that rows leaves out"`
}

// PathCount is how many entities differ in one field.
type PathCount struct {
	Path  string `json:"path" jsonschema:"component and field"`
	Count int    `json:"count" jsonschema:"entities"`
}

// Of ranks a diff. only, if there are any, are the types and paths whose rows
// are shown; the counts are of everything. At most limit rows come.
func Of(d *snapshot.DiffResult, only []string, limit int) *Differences {
	out := &Differences{Same: d.Same(), Spawned: d.Spawned, Despawned: d.Despawned, Added: d.Added, Removed: d.Removed, Changed: d.Changed,
		ResourcesChanged: d.ResourcesChanged, ByPath: []PathCount{}}
	counts := map[string]int{}
	rows := make([]ranked, 0, len(d.Rows))
	for i := range d.Rows {
		r := &d.Rows[i]
		if !chosen(r, only) {
			continue
		}
		class, change := surprise(r)
		path := fieldOf(r)
		if r.Kind == snapshot.RowChanged {
			counts[path]++
		}
		rows = append(rows, ranked{class: class, change: change, group: r.Kind + " " + path, row: r})
	}
	for path, n := range counts {
		out.ByPath = append(out.ByPath, PathCount{path, n})
	}
	slices.SortFunc(out.ByPath, func(a, b PathCount) int { return cmp.Or(cmp.Compare(a.Count, b.Count), cmp.Compare(a.Path, b.Path)) })
	out.ByPath = out.ByPath[:min(len(out.ByPath), limit)]
	rows = pick(rows, limit)
	out.Rows = make([]snapshot.DiffRow, len(rows))
	for i := range rows {
		r := *rows[i].row
		r.From, r.To = Short(r.From), Short(r.To)
		out.Rows[i] = r
	}
	out.Omitted = d.Total - len(out.Rows)
	return out
}

// Short bounds one value of a row: the whole is what info is for.
func Short(raw json.RawMessage) json.RawMessage {
	if len(raw) <= 2048 {
		return raw
	}
	return json.RawMessage(fmt.Sprintf(`{"$len":%d}`, len(raw)))
}

type ranked struct {
	class  int
	change float64
	group  string // kind and field: of each some are shown before many of one
	turn   int    // its place within the group
	row    *snapshot.DiffRow
}

func (a *ranked) compare(b *ranked) int {
	return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(b.change, a.change))
}

// pick takes the limit rows that tell most, in order. A field that differs in
// every entity must not push out the one that differs in one of them: the groups
// take turns.
func pick(rows []ranked, limit int) []ranked {
	order := func(a, b ranked) int { return a.compare(&b) }
	slices.SortStableFunc(rows, order)
	turns := map[string]int{}
	for i := range rows {
		rows[i].turn = turns[rows[i].group]
		turns[rows[i].group]++
	}
	if len(rows) > limit {
		slices.SortStableFunc(rows, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.turn, b.turn), a.compare(&b)) })
		rows = rows[:limit]
		slices.SortStableFunc(rows, order)
	}
	return rows
}

// chosen tells whether a row is of one of the types or paths.
func chosen(r *snapshot.DiffRow, only []string) bool {
	if len(only) == 0 {
		return true
	}
	path := fieldOf(r)
	return slices.ContainsFunc(only, func(o string) bool { return within(path, o) || within(o, path) })
}

// within tells whether a path is the other or lies in it.
func within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && outer != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

func fieldOf(r *snapshot.DiffRow) string {
	switch {
	case r.Path == "":
		return r.Component
	case r.Path[0] == '[':
		return r.Component + r.Path
	}
	return r.Component + "." + r.Path
}

// surprise ranks a difference: its class, and within numbers the relative
// change.
func surprise(r *snapshot.DiffRow) (class int, change float64) {
	switch r.Kind {
	case snapshot.RowChanged:
	case snapshot.RowResource:
		return 1, 0
	default:
		return 0, 0
	}
	var from, to float64
	if json.Unmarshal(r.From, &from) != nil || json.Unmarshal(r.To, &to) != nil {
		return 2, 0
	}
	return 3, math.Abs(to-from) / max(math.Abs(from), math.Abs(to), 1e-12)
}
