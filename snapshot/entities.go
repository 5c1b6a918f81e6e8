package snapshot

import (
	"fmt"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
)

// entityCheck holds the entities inside values against the entity table of the
// file. A column that is taken over as it was saved keeps what it holds,
// entities that are dead included: the world is then the one that was saved.
// Where values are converted, or come from another engine's world, an entity
// that does not live there becomes none, and the report says so: nothing proves
// that such a number was an entity at all.
type entityCheck struct {
	pool      *ecs.Pool
	elsewhere bool // the world was another engine's
	exact     bool // nothing is judged: the values are shown, and go into no world
	foreign   bool // of the column at work: it is not taken over as it was saved
	dangling  bool // the field at work may name dead entities
	cleared   int
	samples   []string
}

// judges reports whether the values of a node must be looked at one by one.
func (c *entityCheck) judges(n *node) bool { return c.foreign && n.Entities }

// entity clears one that does not live.
func (c *entityCheck) entity(e *ecs.Entity) {
	if !c.foreign || e.IsZero() {
		return
	}
	lived := false
	if int64(e.ID) < int64(len(c.pool.Slots)) && e.ID >= c.pool.Reserved {
		slot := c.pool.Slots[e.ID]
		if slot == *e {
			return
		}
		lived = e.Gen < slot.Gen
	}
	if lived && c.dangling {
		return
	}
	c.cleared++
	if len(c.samples) < 5 {
		c.samples = append(c.samples, e.String())
	}
	*e = ecs.Entity{}
}

// reportCleared closes a column.
func (d *decoder) reportCleared() {
	if d.cleared > 0 {
		d.report.skip(Skip{Kind: "entity", Name: d.where, Reason: fmt.Sprintf("%d entities in its values do not live in the snapshot (%s): they are none now; "+
			"only values that are taken over unconverted keep such", d.cleared, strings.Join(d.samples, ", "))})
	}
	d.cleared, d.samples, d.foreign = 0, nil, false
}
