package operations

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"github.com/loupe-ecs/loupe/snapshot"
)

// rankedMost is how many differences are ranked; of more, the first.
const rankedMost = 20_000

// differences are what a diff found, the most surprising first: who came and
// went, resources, what is no number, then numbers by how much they changed.
type differences struct {
	Same             bool               `json:"same" jsonschema:"nothing differs"`
	Spawned          int                `json:"spawned" jsonschema:"entities that are there"`
	Despawned        int                `json:"despawned" jsonschema:"entities that are not there"`
	Added            int                `json:"added" jsonschema:"components that entities of both have gained"`
	Removed          int                `json:"removed" jsonschema:"components that they have lost"`
	Changed          int                `json:"changed" jsonschema:"component values that differ"`
	ResourcesChanged int                `json:"resourcesChanged" jsonschema:"resources that differ"`
	Rows             []snapshot.DiffRow `json:"rows" jsonschema:"the most surprising"`
	ByPath           []pathCount        `json:"byPath" jsonschema:"how many entities differ in a field, the rarest first"`
	Omitted          int                `json:"omitted,omitempty" jsonschema:"differences that rows leaves out"`
}

type pathCount struct {
	Path  string `json:"path" jsonschema:"component and field"`
	Count int    `json:"count" jsonschema:"entities"`
}

func surprising(d *snapshot.DiffResult, limit int) *differences {
	out := &differences{Same: d.Same(), Spawned: d.Spawned, Despawned: d.Despawned, Added: d.Added, Removed: d.Removed, Changed: d.Changed,
		ResourcesChanged: d.ResourcesChanged, ByPath: []pathCount{}}
	counts := map[string]int{}
	for i := range d.Rows {
		if r := &d.Rows[i]; r.Kind == snapshot.RowChanged {
			counts[fieldOf(r)]++
		}
	}
	for path, n := range counts {
		out.ByPath = append(out.ByPath, pathCount{path, n})
	}
	slices.SortFunc(out.ByPath, func(a, b pathCount) int { return cmp.Or(cmp.Compare(a.Count, b.Count), cmp.Compare(a.Path, b.Path)) })
	out.ByPath = out.ByPath[:min(len(out.ByPath), limit)]
	type ranked struct {
		class  int
		change float64
		row    snapshot.DiffRow
	}
	rows := make([]ranked, len(d.Rows))
	for i, r := range d.Rows {
		class, change := surprise(&r)
		rows[i] = ranked{class, change, r}
	}
	slices.SortStableFunc(rows, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(counts[fieldOf(&a.row)], counts[fieldOf(&b.row)]), cmp.Compare(b.change, a.change))
	})
	out.Rows = make([]snapshot.DiffRow, 0, min(limit, len(rows)))
	for _, r := range rows[:min(limit, len(rows))] {
		out.Rows = append(out.Rows, r.row)
	}
	out.Omitted = d.Total - len(out.Rows)
	return out
}

func fieldOf(r *snapshot.DiffRow) string {
	if r.Path == "" {
		return r.Component
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
