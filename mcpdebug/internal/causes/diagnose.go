package causes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
)

func (c *Causes) diagnoseTool() *tools.Tool {
	return tools.NewOff(tools.Spec{Name: "diagnose", Effect: tools.ReadOnly, Idempotent: true, Example: `{}`,
		Description: "A first look: what is odd now and over the recorded span, worst first, each with evidence and the next call."}, c.diagnose)
}

type diagnoseArgs struct {
	About string `json:"about,omitempty" jsonschema:"only findings with this text"`
}

type finding struct {
	Severity string   `json:"severity" jsonschema:"error, warning or info"`
	Code     string   `json:"code" jsonschema:"what kind of finding"`
	Text     string   `json:"text" jsonschema:"what was seen"`
	Evidence string   `json:"evidence" jsonschema:"where it was seen"`
	Next     nextCall `json:"next" jsonschema:"what to call to see more"`
}

type nextCall struct {
	Tool      string          `json:"tool" jsonschema:"name of the tool"`
	Arguments json.RawMessage `json:"arguments" jsonschema:"its arguments"`
}

type diagnoseResult struct {
	Findings []finding `json:"findings" jsonschema:"worst first"`
	Total    int       `json:"total" jsonschema:"how many there are; the worst fit in here"`
	From     uint64    `json:"fromTick,omitempty" jsonschema:"the recording that was looked through"`
	To       uint64    `json:"toTick,omitempty" jsonschema:"its end"`
	Hint     string    `json:"hint,omitempty" jsonschema:"what was not looked at"`
}

// maxFindings bounds the answer with some room for its frame.
const maxFindings = 5600

var severities = []string{"error", "warning", "info"}

// look is one diagnosis under way.
type look struct {
	found []finding
}

func (l *look) add(severity, code, next, arguments, evidence, format string, args ...any) {
	l.found = append(l.found, finding{severity, code, fmt.Sprintf(format, args...), evidence, nextCall{next, json.RawMessage(arguments)}})
}

func (c *Causes) diagnose(call *tools.Call, in diagnoseArgs) (r diagnoseResult, err error) {
	l := &look{}
	c.host.Fresh(call)
	if h := c.host.Held(); h != nil {
		l.add("info", "held", "clock_info", `{}`, fmt.Sprintf("tick %d", h.SinceTick), "time stands still: %s", h.By)
	}
	l.times(c.host.App())
	r.Hint = "nothing is recorded, so the world was not looked at: world_check reads it, record_start records it"
	if c.rec != nil {
		c.rec.Flush(call.Context)
		l.marks(c.rec.Info())
		if line := c.rec.Line(); line.Len() > 0 {
			r.From, r.To, _ = line.Ticks()
			r.Hint = ""
			l.world(line)
		}
	}
	if in.About != "" {
		l.found = slices.DeleteFunc(l.found, func(f finding) bool {
			return !strings.Contains(strings.ToLower(f.Code+" "+f.Text+" "+f.Evidence), strings.ToLower(in.About))
		})
	}
	slices.SortStableFunc(l.found, func(a, b finding) int {
		return slices.Index(severities, a.Severity) - slices.Index(severities, b.Severity)
	})
	r.Total, r.Findings = len(l.found), []finding{}
	size := 0
	for _, f := range l.found {
		size += len(f.Text) + len(f.Evidence) + len(f.Next.Arguments) + 130
		if size > maxFindings {
			break
		}
		r.Findings = append(r.Findings, f)
	}
	return r, nil
}

// marks are what happened on the time line that is bad by itself.
func (l *look) marks(i timeline.Info) {
	count := map[string]int{}
	last := map[string]timeline.Mark{}
	for _, m := range i.Marks {
		key := m.Kind
		if m.Kind == timeline.MarkLog {
			key = "log " + m.Text
		}
		count[key] += max(m.Count, 1)
		last[key] = m
	}
	for _, key := range sortedKeys(count) {
		m, n := last[key], count[key]
		at := fmt.Sprintf("%d times, last at tick %d", n, m.Tick)
		switch m.Kind {
		case timeline.MarkCrash:
			l.add("error", "crash", "crash_report", `{}`, at, "the game panicked: %s", m.Text)
		case timeline.MarkStall:
			l.add("warning", "stall", "frame_times", `{}`, at, "the frame did not come: %s", m.Text)
		case timeline.MarkLog:
			severity := "warning"
			if strings.HasPrefix(m.Text, "ERROR") {
				severity = "error"
			}
			l.add(severity, "log", "get_logs", `{"level":"warn"}`, at, "%s", m.Text)
		case timeline.MarkWrite:
			l.add("info", "client_writes", "record_info", `{}`, at, "clients changed the world, last by %s", m.Text)
		case timeline.MarkRewind:
			l.add("info", "rewound", "record_info", `{}`, at, "the world was rewound: %s", m.Text)
		}
	}
}

// times compares each system with itself.
func (l *look) times(app *tools.App) {
	t := app.Times()
	if t == nil {
		return
	}
	h := t.History(600)
	if len(h.Frames) < 60 {
		return
	}
	for k, name := range h.Systems {
		var all []time.Duration
		worst, at, idle := time.Duration(0), uint64(0), 0
		for _, f := range h.Frames {
			d := f.Systems[k]
			if d < 0 {
				idle++
				continue
			}
			idle = 0
			if d > worst {
				worst, at = d, f.Frame
			}
			all = append(all, d)
		}
		next, args := "systems_info", fmt.Sprintf(`{"name":%q}`, name)
		if len(all) > 0 && idle >= 60 && l.others(h, k, idle) {
			l.add("warning", "system_off", next, args, fmt.Sprintf("the last %d frames", idle), "the system %s does not run while others do", name)
		}
		if len(all) < 60 {
			continue
		}
		third := len(all) / 3
		early, late := mean(all[:third]), mean(all[len(all)-third:])
		sorted := slices.Sorted(slices.Values(all))
		median := sorted[len(sorted)/2]
		if worst > 4*time.Millisecond && worst > 8*max(median, 50*time.Microsecond) {
			l.add("warning", "spike", "frame_times", fmt.Sprintf(`{"system":%q}`, name), fmt.Sprintf("frame %d", at), "the system %s took %v once, %v is usual", name, worst, median)
		}
		if late > 200*time.Microsecond && late > early*3/2 {
			l.add("warning", "slower", next, args, fmt.Sprintf("the last %d frames", len(all)), "the system %s takes %v now, it took %v", name, late, early)
		}
	}
}

// others reports whether another system ran in the last frames.
func (l *look) others(h tools.History, k, frames int) bool {
	for _, f := range h.Frames[len(h.Frames)-frames:] {
		for j, d := range f.Systems {
			if j != k && d >= 0 && h.Phases[j] == h.Phases[k] {
				return true
			}
		}
	}
	return false
}

func mean(ds []time.Duration) time.Duration {
	var sum time.Duration
	for _, d := range ds {
		sum += d
	}
	return sum / time.Duration(max(len(ds), 1))
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
