package snapshot

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// field is what rows of a Diff have in common: a kind of difference in one place
// of one type, whichever element of a list it is.
type field struct{ kind, component, path string }

// tally is what is known of a field while rows are counted.
type tally struct {
	total, kept int
	floats      bool // numbers that are no integers: they move
}

func fieldOf(kind, component, path string) field {
	for {
		from := strings.IndexByte(path, '[')
		if from < 0 {
			return field{kind, component, path}
		}
		to := strings.IndexByte(path[from:], ']')
		if to < 0 {
			return field{kind, component, path[:from]}
		}
		path = path[:from] + path[from+to+1:]
	}
}

// floatsCount says how many rows of exact values one of floats is worth when
// fields are ranked.
const floatsCount = 8

// rank orders rows so that what is rare and exact comes first: entities and
// components that came or went, resources, then fields by how many entities
// differ in them. Rows of a field stay in their order, so that the first rows are
// the same however many are asked for.
func (d *differ) rank() {
	for i := range d.res.Rows {
		r := &d.res.Rows[i]
		if t := d.fields[fieldOf(r.Kind, r.Component, r.Path)]; !t.floats {
			t.floats = inexact(r.From) || inexact(r.To)
		}
	}
	type ranked struct {
		class, weight int
		row           DiffRow
	}
	rows := make([]ranked, len(d.res.Rows))
	for i, r := range d.res.Rows {
		t := d.fields[fieldOf(r.Kind, r.Component, r.Path)]
		rows[i] = ranked{classOf(r.Kind), t.total, r}
		if t.floats {
			rows[i].weight *= floatsCount
		}
	}
	slices.SortStableFunc(rows, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.weight, b.weight), strings.Compare(a.row.Component, b.row.Component))
	})
	d.res.Rows = d.res.Rows[:min(len(rows), d.o.Limit)]
	for i := range d.res.Rows {
		d.res.Rows[i] = rows[i].row
	}
}

func classOf(kind string) int {
	switch kind {
	case RowChanged:
		return 2
	case RowResource:
		return 1
	}
	return 0
}

func inexact(number json.RawMessage) bool {
	return len(number) > 0 && (number[0] == '-' || number[0] >= '0' && number[0] <= '9') && strings.ContainsAny(string(number), ".eE")
}
