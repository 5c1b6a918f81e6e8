package profiling

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// SystemLabel is the pprof label that the schedule sets around each system.
const SystemLabel = "system"

// Func is a function's share of a profile. Flat counts samples whose innermost
// frame it is; Cum those it appears in.
type Func struct {
	Name string
	File string
	Line int
	Flat int64
	Cum  int64
}

// Share is a label's share of a profile.
type Share struct {
	Name  string
	Value int64
}

// ValueIndex finds a sample type by name ("cpu", "alloc_space", "delay"), the
// last one if there is none.
func ValueIndex(p *profile.Profile, name string) int {
	for i, t := range p.SampleType {
		if t.Type == name {
			return i
		}
	}
	return len(p.SampleType) - 1
}

// Total sums one value of all samples.
func Total(p *profile.Profile, index int) int64 {
	var n int64
	for _, s := range p.Sample {
		n += s.Value[index]
	}
	return n
}

// Top lists the functions with the greatest flat value, then cumulative value;
// functions with neither are left out.
func Top(p *profile.Profile, index, limit int) []Func {
	byName := map[string]*Func{}
	for _, s := range p.Sample {
		seen := map[string]bool{}
		leaf := true
		for _, loc := range s.Location {
			// Line[0] is the innermost inlined call of a location.
			for _, line := range loc.Line {
				if line.Function == nil {
					continue
				}
				name := line.Function.Name
				f := byName[name]
				if f == nil {
					f = &Func{Name: name, File: line.Function.Filename, Line: int(line.Line)}
					byName[name] = f
				}
				if leaf {
					f.Flat += s.Value[index]
					f.Line = int(line.Line)
					leaf = false
				}
				if !seen[name] {
					f.Cum += s.Value[index]
					seen[name] = true
				}
			}
		}
	}
	var fs []Func
	for _, f := range byName {
		if f.Flat != 0 || f.Cum != 0 {
			fs = append(fs, *f)
		}
	}
	slices.SortFunc(fs, func(a, b Func) int {
		return cmp.Or(cmp.Compare(b.Flat, a.Flat), cmp.Compare(b.Cum, a.Cum), cmp.Compare(a.Name, b.Name))
	})
	return fs[:min(limit, len(fs))]
}

// BySystem sums one value by the schedule's label, greatest first. Samples
// outside every system are under "".
func BySystem(p *profile.Profile, index int) []Share {
	sums := map[string]int64{}
	for _, s := range p.Sample {
		name := ""
		if l := s.Label[SystemLabel]; len(l) > 0 {
			name = l[0]
		}
		sums[name] += s.Value[index]
	}
	var shares []Share
	for n, v := range sums {
		shares = append(shares, Share{n, v})
	}
	slices.SortFunc(shares, func(a, b Share) int { return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Name, b.Name)) })
	return shares
}

// WriteCollapsed writes collapsed stacks, one line a stack: frames root first
// and separated by semicolons, a space, the value. Flame graph tools read it.
func WriteCollapsed(w io.Writer, p *profile.Profile, index int) error {
	sums := collapse(p, index)
	bw := bufio.NewWriter(w)
	for _, s := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(bw, "%s %d\n", s, sums[s])
	}
	return bw.Flush()
}

// Collapsed is the heaviest of those lines, at most limit.
func Collapsed(p *profile.Profile, index, limit int) []string {
	sums := collapse(p, index)
	stacks := slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	lines := make([]string, 0, min(limit, len(stacks)))
	for _, s := range stacks[:min(limit, len(stacks))] {
		lines = append(lines, fmt.Sprintf("%s %d", s, sums[s]))
	}
	return lines
}

// collapse sums a value by stack; stacks without any are left out.
func collapse(p *profile.Profile, index int) map[string]int64 {
	sums := map[string]int64{}
	for _, s := range p.Sample {
		if s.Value[index] <= 0 {
			continue
		}
		var frames []string
		for _, loc := range s.Location {
			for _, line := range loc.Line {
				if line.Function != nil {
					// The format has no way to quote its separators.
					frames = append(frames, strings.NewReplacer(";", ":", "\n", " ").Replace(line.Function.Name))
				}
			}
		}
		if len(frames) == 0 {
			frames = []string{"(unknown)"}
		}
		slices.Reverse(frames)
		sums[strings.Join(frames, ";")] += s.Value[index]
	}
	return sums
}
