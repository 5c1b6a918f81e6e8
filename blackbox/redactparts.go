package blackbox

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/timeline"
)

// part copies a document without what is taken out.
func (r *Redaction) part(to *Writer, s scan) (err error) {
	defer recovered(&err)
	name := string(s.bytes())
	data := s.data
	switch name {
	case PartScreen:
		if r.Screen {
			return nil
		}
	case PartCPU, PartHeap:
		if r.Paths {
			return nil
		}
	case PartGoroutines:
		data = []byte(r.text(string(data)))
	case PartLog:
		var lines []Line
		if err := json.Unmarshal(data, &lines); err != nil {
			return badFile("the log is not readable: %v", err)
		}
		for i := range lines {
			l := &lines[i]
			if r.matches(l.Msg) || r.matches(string(l.Attrs)) {
				l.Msg, l.Attrs = redacted, nil
				continue
			}
			l.Msg = r.text(l.Msg)
			if l.Attrs, err = r.json(l.Attrs); err != nil {
				return err
			}
		}
		return to.JSON(name, lines)
	default:
		if data, err = r.json(data); err != nil {
			return err
		}
	}
	return to.Part(name, data)
}

// json rewrites the texts of a document. Lines of the log in it are taken out
// whole, and the row of the entity that a crash is about where any values are.
func (r *Redaction) json(raw []byte) ([]byte, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // numbers of entities and frames are long
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, badFile("a document is not readable: %v", err)
	}
	return json.Marshal(r.rewrite(v))
}

func (r *Redaction) rewrite(v any) any {
	switch v := v.(type) {
	case string:
		return r.text(v)
	case []any:
		for i := range v {
			v[i] = r.rewrite(v[i])
		}
	case map[string]any:
		if msg, ok := v["Msg"].(string); ok {
			attrs, _ := json.Marshal(v["Attrs"])
			if r.matches(msg) || r.matches(string(attrs)) {
				v["Msg"], v["Attrs"] = redacted, nil
			}
		}
		r.mark(v)
		out := make(map[string]any, len(v))
		for k, x := range v {
			if (k == "Row" || k == "Label") && len(r.Components)+len(r.Fields) > 0 {
				continue
			}
			out[r.text(k)] = r.rewrite(x)
		}
		return out
	}
	return v
}

// mark takes the values out of a mark that tells of some: the arguments of calls
// that wrote, and what a watched value was before and after. Which call, and which
// watch, stays.
func (r *Redaction) mark(m map[string]any) {
	kind, _ := m["kind"].(string)
	text, ok := m["text"].(string)
	if !ok || len(r.Components)+len(r.Fields)+len(r.Resources) == 0 {
		return
	}
	end := " "
	switch kind {
	case timeline.MarkWatch:
		end = ": "
	case timeline.MarkWrite, timeline.MarkEvent:
	default:
		return
	}
	if name, _, more := strings.Cut(text, end); more {
		m["text"] = name + end + redacted
	}
}

func (r *Redaction) matches(s string) bool {
	return slices.ContainsFunc(r.Logs, func(re *regexp.Regexp) bool { return re.MatchString(s) })
}

// text is a text without what matches and without directories.
func (r *Redaction) text(s string) string {
	for _, re := range r.Logs {
		s = re.ReplaceAllString(s, redacted)
	}
	if !r.Paths {
		return s
	}
	if whole.MatchString(s) {
		return s[strings.LastIndexAny(s, `/\`)+1:]
	}
	return inside.ReplaceAllString(sources.ReplaceAllString(s, "$1"), "$1")
}

// Where absolute paths stand: alone; in a line of a stack, where they may have
// spaces; anywhere else in a text.
var (
	whole   = regexp.MustCompile(`^(?:[A-Za-z]:)?[/\\][^\n]*[/\\][^/\\\n]+$`)
	sources = regexp.MustCompile(`(?m)^([ \t]+)(?:[A-Za-z]:)?[/\\].*[/\\]`)
	inside  = regexp.MustCompile("(^|[\\s\"'`(\\[=:,])(?:[A-Za-z]:)?[/\\\\](?:[^/\\\\\\s\"'`()\\[\\],:]+[/\\\\])+")
)
