package profiling

import (
	"cmp"
	"slices"

	"github.com/google/pprof/profile"
)

// Caller is a function that calls another, and how much of a profile it brings
// there.
type Caller struct {
	Name  string
	Value int64
}

// Root is the name of the caller of what nobody calls: the start of a goroutine.
const Root = "(goroutine)"

// Callers sums, for each of the named functions, one value of the samples it
// appears in by who called it, greatest first, at most limit each. In a recursion
// the outermost call counts, so that no sample counts twice.
func Callers(p *profile.Profile, index int, of []string, limit int) map[string][]Caller {
	sums := make(map[string]map[string]int64, len(of))
	for _, name := range of {
		sums[name] = map[string]int64{}
	}
	for _, s := range p.Sample {
		var stack []string // innermost first
		for _, loc := range s.Location {
			for _, line := range loc.Line {
				if line.Function != nil {
					stack = append(stack, line.Function.Name)
				}
			}
		}
		seen := map[string]bool{}
		for i, name := range slices.Backward(stack) {
			by, wanted := sums[name]
			if !wanted || seen[name] {
				continue
			}
			seen[name] = true
			caller := Root
			if i+1 < len(stack) {
				caller = stack[i+1]
			}
			by[caller] += s.Value[index]
		}
	}
	out := make(map[string][]Caller, len(of))
	for name, by := range sums {
		var list []Caller
		for caller, v := range by {
			if v != 0 {
				list = append(list, Caller{caller, v})
			}
		}
		slices.SortFunc(list, func(a, b Caller) int { return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Name, b.Name)) })
		out[name] = list[:min(limit, len(list))]
	}
	return out
}
