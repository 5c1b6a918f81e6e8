package causes

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools/host"
)

// crashed tells of the last crash and the last hang.
func (l *look) crashed(c *crashes.Report, st *loop.StallReport) {
	if c != nil {
		severity, what := "error", "the game has panicked"
		if c.Cleared {
			severity, what = "warning", "the game had panicked and goes on"
		}
		if c.System != "" {
			what += " in the system " + c.System
		}
		if !c.Entity.IsZero() {
			what += ", at entity " + c.Entity.String()
		}
		l.add(severity, "crash", "crash_report", `{}`, fmt.Sprintf("frame %d, %d times", c.Frame, max(c.Count, 1)), "%s: %s", what, firstLine(c.Panic))
	}
	if st != nil {
		where := ""
		if st.At != nil {
			where = " in " + st.At.Func
		}
		if st.System != "" {
			where += ", system " + st.System
		}
		severity, what := "error", "the frame hangs"
		if st.Over {
			severity, what = "warning", "the frame hung, and came back"
		}
		l.add(severity, "stall", "crash_report", `{}`, fmt.Sprintf("after frame %d, %d ms", st.Frame, st.ForMs), "%s%s", what, where)
	}
}

// host looks at what the frame has published of clock, states and systems.
func (l *look) game(v *loop.View) {
	if v.Held != nil {
		l.add("info", "held", "clock_info", `{}`, fmt.Sprintf("tick %d", v.Held.SinceTick), "time stands still: %s", v.Held.By)
	}
	for i, name := range v.Stack {
		if slices.Index(v.Stack, name) == i {
			if n := count(v.Stack, name); n > 1 {
				l.add("warning", "state_stays", "states_info", `{}`, "the stack of states: "+strings.Join(v.Stack, ", "),
					"the state %s lies on the stack %d times: one pop does not leave it", name, n)
			}
		}
	}
	for _, s := range v.Systems {
		if !s.Enabled {
			l.add("warning", "system_off", "systems_info", fmt.Sprintf(`{"name":%q}`, s.Name), "place "+fmt.Sprint(s.Position)+" in phase "+s.Phase, "the system %s is switched off", s.Name)
		}
	}
	l.order(v.Systems)
}

func count(list []string, name string) (n int) {
	for _, x := range list {
		if x == name {
			n++
		}
	}
	return n
}

// order looks, by what the systems declare, for one that reads what only later
// ones write: it sees the state of the tick before. Between phases that is how
// most games are made, and one line tells it; within a phase it is more often a
// mistake.
func (l *look) order(systems []host.SystemInfo) {
	var late []string
	for i, s := range systems {
		for _, name := range s.Reads {
			first := slices.IndexFunc(systems, func(w host.SystemInfo) bool { return slices.Contains(w.Writes, name) })
			switch {
			case first <= i:
			case systems[first].Phase == s.Phase:
				l.add("warning", "order", "systems_info", fmt.Sprintf(`{"name":%q,"observe":30}`, s.Name), fmt.Sprintf("places %d and %d of phase %s, by what they declare", s.Position, systems[first].Position, s.Phase),
					"the system %s reads %s, which is written only after it, by %s", s.Name, name, systems[first].Name)
			default:
				late = append(late, fmt.Sprintf("%s reads %s before %s", s.Name, name, systems[first].Name))
			}
		}
	}
	if len(late) > 0 {
		l.add("info", "order", "systems_list", `{}`, "what the systems declare", "the tick before is what these see: %s", strings.Join(late[:min(len(late), 6)], "; "))
	}
}

// logs are the lines of the log that are bad by themselves, and calls that held
// the frame.
func (l *look) logs(h Host) {
	page, _ := h.Logs(logbuf.Query{Tail: true, Limit: 500, Level: slog.LevelWarn, MaxBytes: 256 << 10})
	type sum struct {
		n     int
		last  logbuf.Line
		worst float64
	}
	lines, calls := map[string]*sum{}, map[string]*sum{}
	for _, line := range page.Lines {
		if line.Msg == crashes.Message || line.Msg == loop.StallMessage || line.Msg == loop.PollsAgain {
			continue // told already
		}
		into, key, ms := lines, line.Level.String()+" "+line.Msg, 0.0
		if line.Msg == loop.SlowTool {
			var a struct {
				Tool string  `json:"tool"`
				Ms   float64 `json:"ms"`
			}
			_ = json.Unmarshal(line.Attrs, &a)
			into, key, ms = calls, a.Tool, a.Ms
		}
		s := into[key]
		if s == nil {
			s = &sum{}
			into[key] = s
		}
		s.n, s.last, s.worst = s.n+1, line, max(s.worst, ms)
	}
	for _, key := range sortedKeys(lines) {
		s := lines[key]
		severity := "warning"
		if s.last.Level >= slog.LevelError {
			severity = "error"
		}
		arguments, _ := json.Marshal(map[string]any{"contains": s.last.Msg})
		l.add(severity, "log", "get_logs", string(arguments), fmt.Sprintf("%d lines, the last is number %d %s", s.n, s.last.N, cut(string(s.last.Attrs))), "logged: %s", key)
	}
	for _, key := range sortedKeys(calls) {
		s := calls[key]
		l.add("info", "slow_call", "get_logs", fmt.Sprintf(`{"contains":%q}`, loop.SlowTool), fmt.Sprintf("%d calls", s.n), "the call %s held the frame for %.0f ms", key, s.worst)
	}
}

func firstLine(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return cut(first)
}

// cut keeps one finding from filling the answer.
func cut(s string) string {
	if len(s) > 160 {
		return strings.ToValidUTF8(s[:160], "") + "..."
	}
	return s
}

// marks are what clients did on the time line.
func (l *look) marks(i timeline.Info) {
	n, last := map[string]int{}, map[string]timeline.Mark{}
	for _, m := range i.Marks {
		n[m.Kind] += max(m.Count, 1)
		last[m.Kind] = m
	}
	if m, ok := last[timeline.MarkWrite]; ok {
		l.add("info", "client_writes", "record_info", `{}`, fmt.Sprintf("%d times, last at tick %d", n[m.Kind], m.Tick), "clients changed the world, last by %s", cut(m.Text))
	}
	if m, ok := last[timeline.MarkRewind]; ok {
		l.add("info", "rewound", "record_info", `{}`, fmt.Sprintf("%d times, last at tick %d", n[m.Kind], m.Tick), "the world was rewound: %s", cut(m.Text))
	}
}
