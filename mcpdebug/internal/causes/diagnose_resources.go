package causes

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/timeline"
)

const (
	jumpSamples = 1200 // that are looked at
	jumpChanges = 30   // of a number, to know what is usual
	jumpTimes   = 50   // what is usual at the most
)

// number is a number of a resource as it went along the recording.
type number struct {
	resource ecs.TypeID
	path     string
	field    *value.Path
	last     float64
	changes  []step
}

type step struct {
	tick     uint64
	from, to float64
	own      bool // the game made it in its ticks
}

// resources looks for numbers of resources that jump: that fall once although
// they only grow, or move by far more than they ever do.
func (l *look) resources(line *timeline.Line) {
	from, to, _ := line.Ticks()
	last, err := line.Find(int64(to))
	if err != nil {
		return
	}
	first := line.First()
	if refs := line.Refs(from, to); len(refs) > jumpSamples {
		first = refs[len(refs)-jumpSamples]
	}
	var numbers []*number
	for c, begun := line.Walk(first, last), false; c.Next(); begun = true {
		w := c.World()
		if !begun {
			numbers = numbersOf(w.Catalog())
		}
		for _, n := range numbers {
			v, ok := n.read(w)
			if ok && begun && v != n.last {
				n.changes = append(n.changes, step{c.Ref().Tick, n.last, v, c.Ref().Cause == ""})
			}
			if ok {
				n.last = v
			}
		}
	}
	for _, n := range numbers {
		if at, why := n.jump(); why != "" {
			severity := "warning"
			if at.to == 0 {
				severity = "info" // a new round, or a bug: only the game's author knows
			}
			l.add(severity, "jump", "blame", fmt.Sprintf(`{"path":%q,"before":%d}`, n.path, at.tick), fmt.Sprintf("tick %d", at.tick),
				"%s went from %g to %g at once; %s", n.path, at.from, at.to, why)
		}
	}
}

// maxNumbers bounds the numbers of one resource.
const maxNumbers = 32

func numbersOf(cat *ecs.Catalog) (list []*number) {
	for _, r := range cat.Resources {
		before := len(list)
		for _, f := range r.Type.Fields {
			if k := f.Go.Kind(); k >= reflect.Int && k <= reflect.Float64 && k != reflect.Uintptr && len(list)-before < maxNumbers && len(f.Enum) == 0 {
				if p, err := r.Type.Path(f.Name); err == nil {
					list = append(list, &number{resource: r.ID, path: r.Name + "." + f.Name, field: p})
				}
			}
		}
	}
	return list
}

func (n *number) read(w ecs.World) (float64, bool) {
	v, ok := w.Resource(n.resource)
	if !ok {
		return 0, false
	}
	x, err := n.field.Get(value.Addressable(v))
	switch {
	case err != nil:
		return 0, false
	case x.CanInt():
		return float64(x.Int()), true
	case x.CanUint():
		return float64(x.Uint()), true
	case x.CanFloat():
		return x.Float(), !math.IsNaN(x.Float()) && !math.IsInf(x.Float(), 0)
	}
	return 0, false
}

// jump finds the change that is like no other, and says why it is told.
func (n *number) jump() (at step, why string) {
	if len(n.changes) < jumpChanges {
		return at, ""
	}
	var ups, downs int
	sizes := make([]float64, len(n.changes))
	for i, s := range n.changes {
		sizes[i] = math.Abs(s.to - s.from)
		if s.to > s.from {
			ups++
		} else if downs++; s.own {
			at = s
		}
	}
	if downs == 1 && at.tick > 0 && ups >= jumpChanges-1 {
		return at, fmt.Sprintf("it only grew otherwise, %d times", ups)
	}
	worst := 0
	for i := range sizes {
		if sizes[i] > sizes[worst] {
			worst = i
		}
	}
	sorted := slices.Sorted(slices.Values(sizes))
	if usual := sorted[len(sorted)*95/100]; n.changes[worst].own && sizes[worst] > jumpTimes*usual && sorted[len(sorted)-2] <= jumpTimes/5*usual {
		return n.changes[worst], fmt.Sprintf("95 of 100 of its %d changes are at most %g", len(sizes), usual)
	}
	return at, ""
}
