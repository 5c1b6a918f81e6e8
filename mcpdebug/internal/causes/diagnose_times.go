package causes

import (
	"fmt"
	"slices"
	"time"

	"github.com/loupe-ecs/loupe/tools/host"
)

// What counts as a spike: a system's frame over twice the greater of these, more
// often than a machine takes the game's processor away for a moment.
const (
	spikeAbove = 4 * time.Millisecond
	spikeTimes = 8 // the median
	spikes     = 3 // in the last ten seconds
)

// column is the times of one system, oldest first.
type column struct {
	name, phase string
	ran         []time.Duration
	worst       time.Duration
	at          uint64 // the frame of the worst
	early, late time.Duration
}

// times compares each system with itself. What all systems do alike is the
// machine's doing: another program took the processor.
func (l *look) times(app *host.App) {
	t := app.Times()
	if t == nil {
		return
	}
	h := t.History(600)
	if len(h.Frames) < 60 {
		return
	}
	var columns []*column
	var pace []float64
	for k, name := range h.Systems {
		c := &column{name: name, phase: h.Phases[k]}
		for _, f := range h.Frames {
			if d := f.Systems[k]; d >= 0 {
				c.ran = append(c.ran, d)
				if d > c.worst {
					c.worst, c.at = d, f.Frame
				}
			}
		}
		if len(c.ran) < 60 {
			continue
		}
		third := len(c.ran) / 3
		c.early, c.late = median(c.ran[:third]), median(c.ran[len(c.ran)-third:])
		columns = append(columns, c)
		pace = append(pace, float64(c.late)/float64(max(c.early, 1)))
	}
	if len(columns) == 0 {
		return
	}
	slices.Sort(pace)
	usual := max(pace[len(pace)/2], 1)
	for _, c := range columns {
		l.spikes(c)
		if c.late > 200*time.Microsecond && float64(c.late) > 1.5*usual*float64(c.early) {
			l.add("warning", "slower", "systems_info", fmt.Sprintf(`{"name":%q}`, c.name), fmt.Sprintf("medians over %d frames", len(c.ran)),
				"the system %s takes %v now, it took %v; the others did not slow down like that", c.name, c.late, c.early)
		}
	}
}

func (l *look) spikes(c *column) {
	usual, n := median(c.ran), 0
	limit := max(spikeAbove, spikeTimes*usual)
	for _, d := range c.ran {
		if d > limit {
			n++
		}
	}
	if n >= spikes {
		l.add("warning", "spike", "frame_times", fmt.Sprintf(`{"system":%q}`, c.name), fmt.Sprintf("the worst in frame %d", c.at),
			"the system %s took over %v in %d of %d frames, at most %v; %v is usual", c.name, limit, n, len(c.ran), c.worst, usual)
	}
}

func median(ds []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(ds))
	return s[len(s)/2]
}
