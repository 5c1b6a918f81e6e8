package causes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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
	v := c.host.Fresh(call)
	l.crashed(c.host.Crash(), c.host.Stall())
	l.game(v)
	l.kinds(v.Catalog)
	l.times(c.host.App())
	l.logs(c.host)
	r.Hint = "nothing is recorded: values, and how they went, were not looked at. world_check reads the world; record_start records from now on"
	if c.rec != nil {
		c.rec.Flush(call.Context)
		if line := c.rec.Line(); line.Len() > 0 {
			r.From, r.To, _ = line.Ticks()
			r.Hint = ""
			l.marks(c.rec.Info())
			l.world(line)
			l.resources(line)
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

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
