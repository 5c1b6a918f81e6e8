package xsd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/tools/text/internal/pattern"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

// Head and Tail enclose the elements of a schema. Calls is the element that
// holds several calls.
const (
	Head = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
`
	Tail = "</xs:schema>\n"
)

// Calls declares <calls>, which holds calls of the tools in any order.
func Calls(tools []string) string {
	var b strings.Builder
	b.WriteString("<xs:element name=\"calls\">\n<xs:complexType>\n<xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">\n")
	for _, t := range tools {
		fmt.Fprintf(&b, "<xs:element ref=%q/>\n", shape.XMLName(t))
	}
	b.WriteString("</xs:choice>\n</xs:complexType>\n</xs:element>\n")
	return b.String()
}

// Element declares the element of one tool.
func Element(tool, doc string, s *shape.Shape) string {
	w := &writer{types: &types{tool: shape.XMLName(tool)}}
	w.open("xs:element", "name", w.types.tool)
	w.doc(doc)
	w.complex(s)
	w.end("xs:element")
	return w.String() + w.types.String()
}

type writer struct {
	strings.Builder
	types *types
}

// types are those of a tool's plain values that have to have a name.
type types struct {
	strings.Builder
	tool string
	n    int
}

func (w *writer) open(tag string, attrs ...string)  { w.tag(tag, ">", attrs) }
func (w *writer) empty(tag string, attrs ...string) { w.tag(tag, "/>", attrs) }
func (w *writer) end(tag string)                    { w.WriteString("</" + tag + ">\n") }

func (w *writer) tag(tag, end string, attrs []string) {
	w.WriteString("<" + tag)
	for i := 0; i+1 < len(attrs); i += 2 {
		w.WriteString(" " + attrs[i] + `="` + escape(attrs[i+1]) + `"`)
	}
	w.WriteString(end + "\n")
}

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#10;", "\r", "&#13;", "\t", "&#9;")

// escape also drops what XML has no way to write.
func escape(s string) string {
	return escapes.Replace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, s))
}

func (w *writer) doc(text string) {
	if text != "" {
		w.WriteString("<xs:annotation><xs:documentation>" + escape(text) + "</xs:documentation></xs:annotation>\n")
	}
}

func describe(s *shape.Shape) string {
	switch {
	case s.Unit == "" || strings.HasSuffix(s.Doc, "("+s.Unit+")"):
		return s.Doc
	case s.Doc == "":
		return "in " + s.Unit
	}
	return s.Doc + " (" + s.Unit + ")"
}

// complex declares what an element that is no plain text holds.
func (w *writer) complex(s *shape.Shape) {
	switch s.Kind {
	case shape.Struct:
		w.open("xs:complexType")
		w.structure(s)
		w.end("xs:complexType")
	case shape.List:
		w.open("xs:complexType")
		least, most := s.WordCount()
		w.open("xs:sequence")
		w.element("item", s.Elem, strconv.Itoa(least), occurs(most))
		w.end("xs:sequence")
		w.end("xs:complexType")
	case shape.Map:
		w.open("xs:complexType")
		w.open("xs:sequence")
		w.open("xs:element", "name", "entry", "minOccurs", "0", "maxOccurs", "unbounded")
		w.entry(s.Elem)
		w.end("xs:element")
		w.end("xs:sequence")
		w.end("xs:complexType")
	default:
		w.open("xs:complexType", "mixed", "true")
		w.open("xs:sequence")
		w.empty("xs:any", "minOccurs", "0", "maxOccurs", "unbounded", "processContents", "skip")
		w.end("xs:sequence")
		w.empty("xs:anyAttribute", "processContents", "skip")
		w.end("xs:complexType")
	}
}

func occurs(most int) string {
	if most < 0 {
		return "unbounded"
	}
	return strconv.Itoa(most)
}

// element declares an element of a value.
func (w *writer) element(name string, s *shape.Shape, least, most string) {
	w.open("xs:element", "name", name, "minOccurs", least, "maxOccurs", most)
	w.doc(describe(s))
	if s.Inline() {
		w.simple(s)
	} else {
		w.complex(s)
	}
	w.end("xs:element")
}

// structure declares a struct's children, in any order, and attributes.
func (w *writer) structure(s *shape.Shape) {
	var children strings.Builder
	for _, f := range s.Fields {
		if !child(f) {
			continue
		}
		c := &writer{types: w.types}
		least := "0"
		if f.Required {
			least = "1"
		}
		c.element(shape.XMLName(f.Name), f.Shape, least, "1")
		children.WriteString(c.String())
	}
	if children.Len() > 0 {
		w.open("xs:all")
		w.WriteString(children.String())
		w.end("xs:all")
	}
	for _, f := range s.Fields {
		if !attribute(f) {
			continue
		}
		use := "optional"
		if f.Required {
			use = "required"
		}
		w.open("xs:attribute", "name", shape.XMLName(f.Name), "use", use)
		w.doc(describe(f.Shape))
		w.simple(f.Shape)
		w.end("xs:attribute")
	}
}

// child and attribute tell where an argument may stand. A value of any kind may
// be an attribute, too: a word, or JSON.
func child(f shape.Field) bool {
	return !f.Inline() && !(f.Kind == shape.Any && f.Required)
}

func attribute(f shape.Field) bool { return f.Inline() || f.Kind == shape.Any }

// entry declares an entry of a map: a key, and a value in it.
func (w *writer) entry(s *shape.Shape) {
	key := func() { w.empty("xs:attribute", "name", "key", "type", "xs:string", "use", "required") }
	switch {
	case s.Inline():
		// Only a type with a name can be given an attribute.
		w.types.n++
		name := fmt.Sprintf("%s.value%d", w.types.tool, w.types.n)
		v := &writer{types: w.types}
		v.simple(s)
		w.types.WriteString(strings.Replace(v.String(), "<xs:simpleType>", `<xs:simpleType name="`+name+`">`, 1))
		w.open("xs:complexType")
		w.open("xs:simpleContent")
		w.open("xs:extension", "base", name)
		key()
		w.end("xs:extension")
		w.end("xs:simpleContent")
		w.end("xs:complexType")
	case s.Kind == shape.Struct && !s.KeyClash():
		w.open("xs:complexType")
		w.structure(s)
		key()
		w.end("xs:complexType")
	case s.Kind == shape.Any:
		w.complex(s) // the key is one of its attributes
	default:
		w.open("xs:complexType")
		w.open("xs:sequence")
		w.element("value", s, "1", "1")
		w.end("xs:sequence")
		key()
		w.end("xs:complexType")
	}
}

// simple declares the type of a plain text: a word, a number, a list of them.
func (w *writer) simple(s *shape.Shape) {
	w.open("xs:simpleType")
	switch elem := s.Words(); {
	case elem != nil:
		least, most := s.WordCount()
		if least == 0 && most < 0 {
			w.list(elem)
			break
		}
		w.open("xs:restriction")
		w.open("xs:simpleType")
		w.list(elem)
		w.end("xs:simpleType")
		w.length(least, most)
		w.end("xs:restriction")
	case s.Kind == shape.Label && len(s.Numbers) > 0:
		w.numbered(s)
	case s.Kind == shape.Label:
		w.labels(s)
	case s.Kind == shape.Int && s.Duration:
		w.open("xs:union")
		w.member(func() { w.whole(s) })
		w.member(func() {
			w.restrict("xs:token", `[+\-]?([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+`)
		})
		w.end("xs:union")
	case s.Kind == shape.Int:
		w.whole(s)
	case s.Kind == shape.Number && len(s.Special) > 0:
		w.open("xs:union")
		w.member(func() { w.number(s) })
		w.member(func() { w.restrict("xs:token", strings.Join(s.Special, "|")) })
		w.end("xs:union")
	case s.Kind == shape.Number:
		w.number(s)
	case s.Kind == shape.Bool:
		w.restrict("xs:token", "[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]")
	case s.Kind == shape.Entity:
		w.restrict("xs:token", entity(s))
	default:
		w.text(s)
	}
	w.end("xs:simpleType")
}

func (w *writer) member(write func()) {
	w.open("xs:simpleType")
	write()
	w.end("xs:simpleType")
}

func (w *writer) restrict(base, p string) {
	w.open("xs:restriction", "base", base)
	w.empty("xs:pattern", "value", p)
	w.end("xs:restriction")
}

func (w *writer) list(elem *shape.Shape) {
	w.open("xs:list")
	w.simple(elem)
	w.end("xs:list")
}

func (w *writer) length(least, most int) {
	if least > 0 {
		w.empty("xs:minLength", "value", strconv.Itoa(least))
	}
	if most >= 0 {
		w.empty("xs:maxLength", "value", strconv.Itoa(most))
	}
}

func (w *writer) labels(s *shape.Shape) {
	base := "xs:token"
	for _, l := range s.Labels {
		if strings.Join(strings.Fields(l), " ") != l {
			base = "xs:string" // its white space is a part of it
		}
	}
	w.open("xs:restriction", "base", base)
	for _, l := range s.Labels {
		w.empty("xs:enumeration", "value", l)
	}
	w.end("xs:restriction")
}

// numbered declares a label, or its number, or one that no label has a claim on.
func (w *writer) numbered(s *shape.Shape) {
	w.open("xs:union")
	w.member(func() { w.labels(s) })
	w.member(func() {
		w.open("xs:restriction", "base", "xs:decimal")
		w.empty("xs:pattern", "value", wholePattern)
		for _, n := range s.Numbers {
			w.empty("xs:enumeration", "value", n)
		}
		w.end("xs:restriction")
	})
	for _, free := range [][2]string{{"64", s.Max}, {s.Min, "-9"}} {
		if s.Open && shape.Ordered(free[0], free[1]) {
			w.member(func() { w.whole(&shape.Shape{Min: free[0], Max: free[1]}) })
		}
	}
	w.end("xs:union")
}

const wholePattern = `[+]?-?(0|[1-9][0-9]*)(\.0+)?`

// whole declares an integer. Decimals bear a fraction of zeros, which the
// checks take.
func (w *writer) whole(s *shape.Shape) {
	w.open("xs:restriction", "base", "xs:decimal")
	w.empty("xs:pattern", "value", wholePattern)
	w.bounds(s)
	w.end("xs:restriction")
}

func (w *writer) number(s *shape.Shape) {
	w.open("xs:restriction", "base", "xs:double")
	w.empty("xs:pattern", "value", `[+]?-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+\-]?[0-9]+)?`)
	w.bounds(s)
	w.end("xs:restriction")
}

func (w *writer) bounds(s *shape.Shape) {
	facet := func(inclusive, exclusive, value string, open bool) {
		switch {
		case value == "":
		case open:
			w.empty(exclusive, "value", value)
		default:
			w.empty(inclusive, "value", value)
		}
	}
	facet("xs:minInclusive", "xs:minExclusive", s.Min, s.MinOpen)
	facet("xs:maxInclusive", "xs:maxExclusive", s.Max, s.MaxOpen)
}

func entity(s *shape.Shape) string {
	n := pattern.Seq(pattern.Many(pattern.Lit("0")), pattern.Whole("0", "4294967295"))
	alts := []pattern.P{pattern.Seq(n, pattern.Lit("v"), n)}
	if s.Slot {
		alts = append(alts, n)
	}
	if s.None {
		alts = append(alts, pattern.Lit("null"), pattern.Lit(""))
	}
	return pattern.Alt(alts...).XSD()
}

func (w *writer) text(s *shape.Shape) {
	w.open("xs:restriction", "base", "xs:string")
	if s.Kind == shape.Text {
		w.length(s.Least, s.Most)
	}
	switch p, ok := translate(s.Pattern); {
	case s.Base64:
		w.empty("xs:pattern", "value", base64(s.Bytes))
	case ok:
		w.empty("xs:pattern", "value", p)
	}
	w.end("xs:restriction")
}

// base64 matches the text of so many bytes; 0 is any number of them.
func base64(bytes int) string {
	const c = "[A-Za-z0-9+/]"
	tails := []string{"", c + "{2}==", c + "{3}="}
	if bytes == 0 {
		return "(" + c + "{4})*(" + tails[1] + "|" + tails[2] + ")?"
	}
	return fmt.Sprintf("(%s{4}){%d}%s", c, bytes/3, tails[bytes%3])
}

// translate turns an expression that a text has to contain a match of into one
// that the whole of it has to match. Expressions that use what XML Schema's do
// not know are left to the checks.
func translate(p string) (string, bool) {
	if p == "" || strings.Contains(p, "(?") || strings.Contains(p, `\b`) || strings.Contains(p, `\B`) {
		return "", false
	}
	open := strings.HasPrefix(p, "^")
	p = strings.TrimPrefix(p, "^")
	end := strings.HasSuffix(p, "$") && !strings.HasSuffix(p, `\$`)
	if end {
		p = p[:len(p)-1]
	}
	// Anchors and alternatives within are beyond what is done here.
	if strings.ContainsAny(p, "^$|") && (strings.Contains(p, "|") || strings.Contains(strings.ReplaceAll(p, "[^", ""), "^")) {
		return "", false
	}
	if !open {
		p = `[\s\S]*` + p
	}
	if !end {
		p += `[\s\S]*`
	}
	return p, true
}
