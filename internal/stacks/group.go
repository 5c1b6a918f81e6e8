package stacks

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Group is a set of goroutines with the same stack.
type Group struct {
	IDs       []uint64
	State     string
	Waiting   string // of the first
	Frames    []Frame
	CreatedBy Frame
}

// GroupBy groups goroutines by state and identical stack: the one with number
// first leads, then the groups with most goroutines, then the lowest numbers.
func GroupBy(gs []Goroutine, first uint64) []Group {
	at := map[string]int{}
	var groups []Group
	for _, g := range gs {
		var key strings.Builder
		if g.ID == first && first != 0 {
			key.WriteString("first\n") // never shared
		}
		key.WriteString(g.State)
		for _, f := range append(slices.Clip(g.Frames), g.CreatedBy) {
			key.WriteString("\n" + f.Func + " " + f.File + ":" + strconv.Itoa(f.Line))
		}
		i, ok := at[key.String()]
		if !ok {
			i = len(groups)
			at[key.String()] = i
			groups = append(groups, Group{State: g.State, Waiting: g.Waiting, Frames: g.Frames, CreatedBy: g.CreatedBy})
		}
		groups[i].IDs = append(groups[i].IDs, g.ID)
	}
	lead := func(g Group) int {
		if first != 0 && g.IDs[0] == first {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(lead(a), lead(b)), cmp.Compare(len(b.IDs), len(a.IDs)), cmp.Compare(a.IDs[0], b.IDs[0]))
	})
	return groups
}
