package blackbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/timeline"
)

// Redaction says what is taken out of a file before it is passed on.
type Redaction struct {
	Components []string // names of components; all their fields are emptied
	Fields     []string // Health.HP, Bag.Items.Label
	Resources  []string
	Logs       []*regexp.Regexp // lines that match are replaced, and matches in stacks and marks
	Paths      bool             // of files: only their last part stays. Profiles, which are full of them, go
	States     bool             // what the host saved of itself, and inputs
	Screen     bool             // the picture

	found   map[string]bool
	marked  *typesDoc    // all types of the file, marked
	touched map[int]bool // those that something is taken out of
	doc     *typesDoc
}

// redacted stands for a text that was taken out.
const redacted = "(redacted)"

// Redact copies a file without what r names. A name that the file does not have
// is refused at the end: the copy is then not to be used. damage says where the
// file was cut off or spoiled: the copy ends there too.
func Redact(to io.Writer, from io.Reader, size int64, r Redaction) (damage string, err error) {
	l := Limits{}.orDefault(size)
	r.found, r.touched = map[string]bool{}, map[int]bool{}
	again, ok := from.(io.ReadSeeker)
	if !ok {
		raw, err := io.ReadAll(io.LimitReader(from, size))
		if err != nil {
			return "", err
		}
		again = bytes.NewReader(raw)
	}
	start, err := again.Seek(0, io.SeekCurrent)
	if err != nil {
		return "", err
	}
	r.plan(io.LimitReader(again, size), int(min(l.Chunk, maxBlock)))
	if _, err := again.Seek(start, io.SeekStart); err != nil {
		return "", err
	}
	in := &reader{blocks: blockReader{r: io.LimitReader(again, size), limit: int(min(l.Chunk, maxBlock))}, limits: l, results: l.Chunk, builder: newBuilder(), file: &File{Parts: map[string][]byte{}}}
	if err := in.header(); err != nil {
		return "", err
	}
	out, err := NewWriter(to, in.file.Header)
	if err != nil {
		return "", err
	}
	in.redaction, in.copyTo = &r, out
	for err == nil {
		var s *timeline.Sample
		if s, err = in.next(); err != nil {
			break
		}
		if out.chunk.told = r.doc; r.States {
			s.States, s.Inputs = nil, nil
		}
		s.Cause = r.text(s.Cause)
		if failed := out.Sample(s); failed != nil {
			return "", failed
		}
	}
	if err := r.missing(); err != nil {
		return "", err
	}
	if !errors.Is(err, io.EOF) {
		return err.Error(), out.flush()
	}
	return "", out.Close()
}

// plan reads all descriptions of types beforehand: what a later one names may be
// of a type that samples before it have too.
func (r *Redaction) plan(from io.Reader, limit int) {
	blocks := blockReader{r: from, limit: limit}
	for err := blocks.begin(); err == nil; {
		var kind byte
		var raw []byte
		if kind, raw, err = blocks.next(); err == nil && kind == kindTypes {
			var doc *typesDoc
			if doc, err = parseTypes(raw); err == nil {
				r.marked = doc
			}
		}
	}
	// What the file is damaged by is told when it is copied.
	if r.marked != nil {
		r.find(r.marked)
	}
}

// find marks what is taken out in the description of the types, by which the
// samples are read: they come without it.
func (r *Redaction) find(doc *typesDoc) {
	touched := r.touched
	for k, list := range [][]componentDoc{doc.Components, doc.Resources} {
		whole := r.Components
		if k == 1 {
			whole = r.Resources
		}
		for i := range list {
			c := &list[i]
			for _, name := range whole {
				if names(&doc.Types[c.Type], name) {
					r.found[name] = true
					c.Removed = true
					empty(&doc.Types[c.Type], touched, c.Type)
				}
			}
			for _, path := range r.Fields {
				name, rest := cutField(&doc.Types[c.Type], path)
				if name && doc.hide(c.Type, strings.Split(rest, "."), touched) {
					r.found[path] = true
				}
			}
		}
	}
	if len(touched) > 0 {
		doc.hideAny(touched)
	}
}

// types takes the marks over into a description. The same types are then written,
// less the labels and computed values that may tell of what is taken out.
func (r *Redaction) types(doc *typesDoc) error {
	all := r.marked
	if all == nil || len(doc.Types) > len(all.Types) || len(doc.Components) > len(all.Components) || len(doc.Resources) > len(all.Resources) {
		return badFile("types were forgotten on the way")
	}
	for i := range doc.Types {
		t, as := &doc.Types[i], &all.Types[i]
		if t.Text != as.Text || t.Pkg != as.Pkg || len(t.Fields) != len(as.Fields) {
			return badFile("type %s was changed on the way", strconv.Quote(t.Text))
		}
		t.Opaque, t.Labels = as.Opaque, as.Labels
		for k := range t.Fields {
			t.Fields[k].Private, t.Fields[k].Embedded = as.Fields[k].Private, as.Fields[k].Embedded
		}
	}
	for i := range doc.Components {
		doc.Components[i].Removed = all.Components[i].Removed
	}
	for i := range doc.Resources {
		doc.Resources[i].Removed = all.Resources[i].Removed
	}
	told := *doc
	told.Types = slices.Clone(doc.Types)
	told.Components, told.Resources = slices.Clone(doc.Components), slices.Clone(doc.Resources)
	for _, list := range [][]componentDoc{told.Components, told.Resources} {
		for i := range list {
			if doc.reaches(list[i].Type, r.touched, map[int]bool{}) {
				list[i].Label, list[i].Computed = false, nil
			}
		}
	}
	r.doc = &told
	return nil
}

// settle tells which values hold no pointers now that some are opaque: their
// columns are written as words.
func (r *Redaction) settle(cat *ecs.Catalog) {
	for i, c := range cat.Components {
		r.doc.Types[r.doc.Components[i].Type].Flat = c.Type.PointerFree
	}
	for i, c := range cat.Resources {
		r.doc.Types[r.doc.Resources[i].Type].Flat = c.Type.PointerFree
	}
}

// empty hides all of a type.
func empty(t *typeDoc, touched map[int]bool, n int) {
	touched[n] = true
	if len(t.Fields) == 0 {
		t.Opaque, t.Labels = true, nil
	}
	for i := range t.Fields {
		t.Fields[i].hide()
	}
}

func (f *fieldDoc) hide() {
	if !f.Marker {
		f.Private, f.Embedded = true, false
	}
}

// names: a type is meant by a name, short or with its package.
func names(t *typeDoc, name string) bool {
	return name == t.Text || name == t.Name || t.Name != "" && name == t.Pkg+"."+t.Name
}

// cutField tells the fields of a path that begins with a type's name.
func cutField(t *typeDoc, path string) (ok bool, rest string) {
	for i, c := range path {
		if c == '.' && names(t, path[:i]) {
			return true, path[i+1:]
		}
	}
	return false, ""
}

// hide hides the field that a path leads to, through references, lists and maps.
func (t *typesDoc) hide(n int, path []string, touched map[int]bool) (found bool) {
	for range maxLevels {
		switch t.Types[n].Kind {
		case "ptr", "slice", "array", "map":
			n = t.Types[n].Elem
		}
	}
	for i := range t.Types[n].Fields {
		f := &t.Types[n].Fields[i]
		if f.Name != path[0] {
			continue
		}
		if len(path) > 1 {
			return t.hide(f.Type, path[1:], touched)
		}
		f.hide()
		touched[n] = true
		return true
	}
	return false
}

// hideAny hides the fields that hold interfaces, in lists and maps too: what is
// in them may be of a type that was touched.
func (t *typesDoc) hideAny(touched map[int]bool) {
	for n := range t.Types {
		for i := range t.Types[n].Fields {
			if f := &t.Types[n].Fields[i]; t.any(f.Type, 0) {
				f.hide()
				touched[n] = true
			}
		}
	}
	for _, c := range slices.Concat(t.Components, t.Resources) {
		if t.any(c.Type, 0) {
			empty(&t.Types[c.Type], touched, c.Type)
		}
	}
}

func (t *typesDoc) any(n, depth int) bool {
	switch d := &t.Types[n]; {
	case depth > maxLevels:
		return true
	case d.Kind == "interface":
		return true
	case d.Kind == "map":
		return t.any(d.Key, depth+1) || t.any(d.Elem, depth+1)
	case d.Kind == "ptr" || d.Kind == "slice" || d.Kind == "array":
		return t.any(d.Elem, depth+1)
	}
	return false
}

// reaches: values of type n may hold one that was touched.
func (t *typesDoc) reaches(n int, touched, seen map[int]bool) bool {
	if touched[n] {
		return true
	}
	if seen[n] {
		return false
	}
	seen[n] = true
	d := &t.Types[n]
	switch d.Kind {
	case "map":
		return t.reaches(d.Key, touched, seen) || t.reaches(d.Elem, touched, seen)
	case "ptr", "slice", "array":
		return t.reaches(d.Elem, touched, seen)
	}
	return slices.ContainsFunc(d.Fields, func(f fieldDoc) bool { return t.reaches(f.Type, touched, seen) })
}

// missing refuses names that the file does not have: a slip of the pen must not
// pass for a redaction.
func (r *Redaction) missing() error {
	for _, name := range slices.Concat(r.Components, r.Fields, r.Resources) {
		if r.found[name] {
			continue
		}
		e := &refusal.Error{Code: refusal.NotFound, Got: name, Message: fmt.Sprintf("the file has no %s, so nothing was redacted", refusal.Cut(name, 80)),
			Hint: "components, fields as Health.HP, and resources are named as query and info show them"}
		if r.doc != nil {
			for _, c := range slices.Concat(r.doc.Components, r.doc.Resources) {
				e.Options = append(e.Options, r.doc.Types[c.Type].Name)
			}
			e.Total = len(e.Options)
			e.Options = e.Options[:min(20, len(e.Options))]
		}
		return e
	}
	return nil
}
