package text_test

import (
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/tools/text"
	"github.com/loupe-ecs/loupe/tools/text/internal/form"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

// generator makes calls, right ones and wrong ones.
type generator struct {
	*rand.Rand
	tools []text.Tool
	// spoil, if not nil, is asked at each value whether it is made wrong.
	spoil func() bool
	// plain values are written in the one form that grammars know.
	plain bool
}

func (g *generator) call() (tool text.Tool, s *shape.Shape, args map[string]any) {
	tool = g.tools[g.IntN(len(g.tools))]
	s = shapeOf(tool)
	return tool, s, g.object(s)
}

func shapeOf(t text.Tool) *shape.Shape {
	if t.Fields == nil {
		return shape.OfSchema(t.Schema)
	}
	return shape.OfFields(t.Fields, 0, t.ReadOnly)
}

func (g *generator) object(s *shape.Shape) map[string]any {
	m := map[string]any{}
	for _, f := range s.Fields {
		if f.Required || g.IntN(2) == 0 {
			m[f.Name] = g.value(f.Shape)
		}
	}
	return m
}

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

func (g *generator) value(s *shape.Shape) any {
	if g.spoil != nil && g.spoil() {
		return g.wrong(s)
	}
	if g.plain {
		if v, ok := g.plainValue(s); ok {
			return v
		}
	}
	switch s.Kind {
	case shape.Bool:
		return g.IntN(2) == 0
	case shape.Int:
		if s.Duration && g.IntN(2) == 0 {
			return pick(g, "1.5s", "20ms", "1h2m", "-3us")
		}
		return g.whole(s)
	case shape.Number:
		if len(s.Special) > 0 && g.IntN(6) == 0 {
			return pick(g, s.Special...)
		}
		return g.number(s)
	case shape.Text:
		if s.Base64 {
			return base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", g.IntN(5))))
		}
		if s.Pattern != "" {
			return pick(g, "a1", "abcd7", "zz0")
		}
		texts := []string{"", "fire", "two words", `say "hi" & <go>`, "it's", "42v3", "Ünïcode ✓", "  spaced  "}
		t := pick(g, texts...)
		if s.Most >= 0 && len([]rune(t)) > s.Most {
			t = "short"
		}
		return t
	case shape.Label:
		if len(s.Numbers) > 0 && g.IntN(4) == 0 {
			return strconv.Itoa(g.IntN(len(s.Labels)))
		}
		return pick(g, s.Labels...)
	case shape.Entity:
		if s.None && g.IntN(5) == 0 {
			return "null"
		}
		return pick(g, "42v3", "1v1", "4294967295v4294967295", "007v1")
	case shape.List:
		n := g.IntN(4)
		if s.Most >= 0 {
			n = s.Least + g.IntN(s.Most-s.Least+1)
		}
		list := make([]any, n)
		for i := range list {
			list[i] = g.value(s.Elem)
		}
		return list
	case shape.Map:
		m := map[string]any{}
		for range g.IntN(3) {
			m[pick(g, "fire", "ice and snow", "a<b", "ключ")] = g.value(s.Elem)
		}
		return m
	case shape.Struct:
		return g.object(s)
	}
	return pick[any](g, "text", "7", map[string]any{"a": "1", "b": []any{"x", "y"}})
}

func (g *generator) plainValue(s *shape.Shape) (any, bool) {
	switch s.Kind {
	case shape.Int:
		for {
			if n := strings.TrimSpace(g.whole(s).(string)); !strings.Contains(n, ".") {
				return json.Number(n), true
			}
		}
	case shape.Number:
		for {
			if n := g.number(s).(string); !strings.ContainsAny(n, "e") {
				return json.Number(n), true
			}
		}
	case shape.Label:
		if s.Literal {
			return json.Number(pick(g, s.Labels...)), true
		}
		return pick(g, s.Labels...), true
	case shape.Entity:
		return pick(g, "42v3", "1v1", "4294967295v4294967295"), true
	case shape.Any:
		return pick[any](g, "text", map[string]any{"a": "1"}), true
	}
	return nil, false
}

func (g *generator) whole(s *shape.Shape) any {
	low, high := int64(-1000), int64(1000)
	if n, err := strconv.ParseInt(s.Min, 10, 64); err == nil {
		low = max(low, n)
	}
	if n, err := strconv.ParseInt(s.Max, 10, 64); err == nil {
		high = min(n, max(high, low+10))
	}
	n := strconv.FormatInt(low+g.Int64N(high-low+1), 10)
	switch g.IntN(8) {
	case 0:
		return n + ".0"
	case 1:
		return " " + n + " "
	}
	if edge := pick(g, s.Min, s.Max, n, n, n); edge != "" {
		return edge
	}
	return n
}

func (g *generator) number(s *shape.Shape) any {
	low, high := -50.0, 50.0
	if f, err := strconv.ParseFloat(s.Min, 64); err == nil && f > low {
		low = f
	}
	if f, err := strconv.ParseFloat(s.Max, 64); err == nil && f < high {
		high = f
	}
	f := low + (high-low)*(0.001+0.998*g.Float64())
	return pick(g, strconv.FormatFloat(f, 'f', 3, 64), strconv.FormatFloat(f, 'g', -1, 64), strconv.FormatFloat(f, 'e', 4, 64))
}

// wrong is a value that does not fit, mostly.
func (g *generator) wrong(s *shape.Shape) any {
	switch s.Kind {
	case shape.Bool:
		return pick(g, "yes", "1", "", "truely")
	case shape.Int:
		return pick(g, "seven", "", "7.5", "-1", "1e", "99999999999999999999", "0x10", "07", "300", "-99999", "1,000", "12 ")
	case shape.Number:
		return pick(g, "seven", "", ".5", "5.", "-0.1", "1.01", "1e999", "NaN", "-Infinity", "07.5", "4")
	case shape.Text:
		switch {
		case s.Base64:
			return pick(g, "a", "ab=c", "!!!!", "abcde")
		case s.Pattern != "":
			return pick(g, "A1", "abcde1", "", "a1 ", "1")
		case s.Most >= 0:
			return pick(g, "much too long a text", "just right")
		}
		return "anything"
	case shape.Label:
		return pick(g, "Dragon", "grunt", "", "99999999999999999999", "angry  mobs", "4")
	case shape.Entity:
		return pick(g, "abc", "42", "42v", "v3", "4294967296v1", "42v3v1", "-1v1", "")
	case shape.List:
		list := []any{}
		for range max(1, s.Most+1, s.Least-1) {
			list = append(list, g.value(s.Elem))
		}
		if s.Most < 0 {
			list = append(list, g.wrong(s.Elem))
		}
		return list
	case shape.Map:
		return map[string]any{"fire": g.wrong(s.Elem)}
	case shape.Struct:
		m := g.object(s)
		if g.IntN(2) == 0 || len(m) == 0 {
			m["mana"] = "7"
		} else {
			for k := range m {
				delete(m, k)
				break
			}
		}
		return m
	}
	return "anything"
}

// mutated makes a call that is wrong in one place, mostly.
func (g *generator) mutated() string {
	at, n := g.IntN(6), 0
	g.spoil = func() bool { n++; return n == at+1 }
	t, s, args := g.call()
	g.spoil = nil
	switch g.IntN(6) {
	case 0:
		args["mana"] = "7"
	case 1:
		for k := range args {
			delete(args, k)
			break
		}
	case 2:
		if g.IntN(3) == 0 {
			return strings.Replace(form.XML(t.Name, s, args), "<"+shape.XMLName(t.Name), "<"+shape.XMLName(t.Name)+"x", 1)
		}
	}
	return form.XML(t.Name, s, args)
}

func (g *generator) right() string {
	t, s, args := g.call()
	return form.XML(t.Name, s, args)
}

func newGenerator(l *text.Listing, seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 21)), tools: l.Tools()}
}
