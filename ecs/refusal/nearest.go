package refusal

import (
	"sort"
	"strings"
)

// MaxOptions is how many real values a refusal names.
const MaxOptions = 10

// Nearest ranks options by spelling distance to got, nearest first, at most
// 10. Case counts little; an option that contains got (or the other way round)
// comes before one that does not.
func Nearest(got string, options []string) []string {
	type scored struct {
		s string
		d int
	}
	low := strings.ToLower(got)
	list := make([]scored, 0, len(options))
	for _, o := range options {
		ol := strings.ToLower(o)
		d := 4 * editDistance(low, ol)
		switch {
		case o == got:
			d = -2
		case ol == low:
			d = -1
		case low != "" && (strings.HasPrefix(ol, low) || strings.HasPrefix(low, ol) && ol != ""):
			d = min(d, 3+len(ol)/4)
		case len(low) > 2 && strings.Contains(ol, low), len(ol) > 2 && strings.Contains(low, ol):
			d = min(d, 6+len(ol)/4)
		}
		list = append(list, scored{o, d})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].d < list[j].d })
	out := make([]string, 0, min(len(list), MaxOptions))
	for _, s := range list[:min(len(list), MaxOptions)] {
		out = append(out, s.s)
	}
	return out
}

// IsNear reports whether option may be what was meant by got: at most a third
// of it is spelt differently, or one contains the other.
func IsNear(got, option string) bool {
	a, b := strings.ToLower(got), strings.ToLower(option)
	if len(a) > 2 && strings.Contains(b, a) || len(b) > 2 && strings.Contains(a, b) {
		return true
	}
	return editDistance(a, b)*3 <= max(len(a), len(b), 3)
}

// editDistance counts insertions, deletions, substitutions and swaps of
// neighbours (optimal string alignment), over the first 64 bytes.
func editDistance(a, b string) int {
	const most = 64
	a, b = a[:min(len(a), most)], b[:min(len(b), most)]
	var rows [3][most + 1]int
	prev2, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := 0; j <= len(b); j++ {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, prev2[j-2]+1)
			}
			cur[j] = d
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
