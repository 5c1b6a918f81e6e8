package query

import (
	"go/ast"
	"go/constant"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// source is where a column of a program comes from: a component, or a resource,
// which is a column whose rows are all one; of the world that is asked, or of
// the same world a moment before.
type source struct {
	id       ecs.TypeID
	resource bool
	before   bool
}

func (s source) typ(cat *ecs.Catalog) *value.Type {
	if s.resource {
		return cat.Resources[s.id].Type
	}
	return cat.Components[s.id].Type
}

// named is the component or resource that a path begins with. Components come
// first where both have the name.
func (c *compiler) named(path string) (s source, p *value.Path, err error) {
	comp, p, err := c.cat.ComponentPath(path)
	if err == nil {
		return source{id: comp.ID, before: c.before}, p, nil
	}
	res, p, rerr := c.cat.ResourcePath(path)
	if rerr == nil {
		return source{id: res.ID, resource: true, before: c.before}, p, nil
	}
	if e, ok := err.(*refusal.Error); ok && e.Next == "resources_info" { // the resource is there, the field is not
		err = rerr
	}
	return s, nil, meant(path, err)
}

// meant adds the whole path to a refusal of a field where only one can be meant:
// a type's only one, or one in other letters.
func meant(path string, err error) error {
	e, ok := err.(*refusal.Error)
	if !ok || e.Code != refusal.UnknownField || e.Hint != "" || len(e.Options) == 0 {
		return err
	}
	got, _ := e.Got.(string)
	if stem, last := strings.CutSuffix(path, "."+got); last && (e.Total == 1 || strings.EqualFold(got, e.Options[0])) {
		c := *e
		c.Hint = "write " + stem + "." + e.Options[0]
		return &c
	}
	return err
}

// sides evaluates both sides of a comparison. A name that stands alone beside a
// labelled value is one of its labels.
func (c *compiler) sides(e *ast.BinaryExpr) (x, y operand) {
	if id, ok := ast.Unparen(e.Y).(*ast.Ident); ok {
		x = c.expr(e.X)
		if y, ok = c.bareLabel(id, x); ok {
			return x, y
		}
		return x, c.expr(e.Y)
	}
	if id, ok := ast.Unparen(e.X).(*ast.Ident); ok {
		y = c.expr(e.Y)
		if x, ok = c.bareLabel(id, y); ok {
			return x, y
		}
		return c.expr(e.X), y
	}
	return c.expr(e.X), c.expr(e.Y)
}

func (c *compiler) bareLabel(id *ast.Ident, beside operand) (operand, bool) {
	if len(beside.enum) == 0 || slices.Contains([]string{"true", "false", "nil", "null", "entity"}, id.Name) {
		return operand{}, false
	}
	isLabel := slices.ContainsFunc(beside.enum, func(l value.EnumLabel) bool { return l.Name == id.Name })
	if _, _, err := c.named(id.Name); err == nil && !isLabel {
		return operand{}, false
	}
	return operand{class: classConst, node: id, val: constant.MakeString(id.Name)}, true
}

// enterResources looks up the resources, once a run.
func (st *state) enterResources(prog *program) {
	for i, s := range prog.columns {
		if !s.resource {
			continue
		}
		w := st.world
		if s.before {
			w = st.before
		}
		st.cols[i] = column{}
		if w == nil {
			continue
		}
		v, ok := w.Resource(s.id)
		if !ok {
			continue
		}
		if !v.CanAddr() {
			p := reflect.New(v.Type()).Elem()
			p.Set(v)
			v = p
		}
		st.cols[i] = column{Column: ecs.Column{Base: v.Addr().UnsafePointer()}, ok: true}
	}
}

// enterBefore finds the rows of a chunk in the world a moment before. In most
// chunks the same entities are in the same rows; where they are not, the values
// are gathered.
func (st *state) enterBefore(prog *program, c ecs.Chunk) {
	var was ecs.Chunk
	if st.before != nil && c.Len() > 0 {
		if b, row, ok := st.before.Row(c.Entity(0)); ok && row == 0 && sameRows(b, c) {
			was = b
		}
	}
	for i, s := range prog.columns {
		if !s.before || s.resource {
			continue
		}
		switch {
		case st.before == nil:
			st.cols[i] = column{}
		case was != nil:
			st.cols[i] = columnOf(was, s.id)
		default:
			st.cols[i] = st.gather(s.typ(st.cat).Go, s.id, c)
		}
	}
}

func sameRows(a, b ecs.Chunk) bool {
	if a.Len() != b.Len() {
		return false
	}
	for row := range b.Len() {
		if a.Entity(row) != b.Entity(row) {
			return false
		}
	}
	return true
}

// gather copies the values that a chunk's entities had, and notes those that had
// none.
func (st *state) gather(t reflect.Type, id ecs.TypeID, c ecs.Chunk) column {
	all := reflect.MakeSlice(reflect.SliceOf(t), c.Len(), c.Len())
	gone := make([]bool, c.Len())
	for row := range c.Len() {
		b, at, ok := st.before.Row(c.Entity(row))
		var col column
		if ok {
			col = columnOf(b, id)
		}
		if !col.ok {
			gone[row] = true
			continue
		}
		all.Index(row).Set(col.Value(t, at))
	}
	return column{Column: value.ColumnOf(all), ok: true, gone: gone}
}

// columnOf is a component's column of a chunk. A tag is present, with or without
// an address.
func columnOf(c ecs.Chunk, id ecs.TypeID) column {
	col, ok := c.Column(id)
	if !ok && slices.Contains(c.Components(), id) {
		col, ok = ecs.Column{Base: unsafe.Pointer(&tagMemory)}, true
	}
	return column{Column: col, ok: ok}
}

// markGone marks the selected rows that had no value a moment before.
func (st *state) markGone(s *selection, col int) {
	gone := st.cols[col].gone
	if gone == nil {
		return
	}
	for k, row := range s.rows() {
		if gone[row] {
			st.setBad(k)
		}
	}
}

// dropGone leaves them out.
func (st *state) dropGone(s *selection, col int) {
	gone := st.cols[col].gone
	if gone == nil {
		return
	}
	n := 0
	for _, row := range s.rows() {
		s.idx[n] = row
		if !gone[row] {
			n++
		}
	}
	s.n = n
}

// lookBack makes a field that of the moment before: some rows have none.
func (o *operand) lookBack(col int) {
	o.leaf, o.partial = nil, true
	if o.row == nil {
		o.row = o.asRow
	}
	if v := o.pred; v != nil {
		o.pred = func(st *state, s *selection) {
			st.dropGone(s, col)
			v(st, s)
		}
	}
	if v := o.ints; v != nil {
		o.ints = func(st *state, s *selection, dst *[blockLen]int64) { v(st, s, dst); st.markGone(s, col) }
	}
	if v := o.floats; v != nil {
		o.floats = func(st *state, s *selection, dst *[blockLen]float64) { v(st, s, dst); st.markGone(s, col) }
	}
	if v := o.strs; v != nil {
		o.strs = func(st *state, s *selection, dst *[blockLen]string) { v(st, s, dst); st.markGone(s, col) }
	}
}

// previous is prev(x): x of the moment before.
func (c *compiler) previous(e *ast.CallExpr) operand {
	if !c.mayLookBack {
		c.fail(e, "find_tick, run_until and watches look at one tick after the other; history shows a value's changes", "prev(x) is the value one tick before, and %s looks at one moment only", c.what)
	}
	if c.before {
		c.fail(e, "", "prev(prev(x)) is not known: only the sample before is at hand")
	}
	c.before, c.prog.looksBack = true, true
	x := c.expr(e.Args[0])
	c.before = false
	if x.class == classConst {
		c.fail(e, "", "%s is the same at every moment", c.text(e.Args[0]))
	}
	x.node = e
	return x
}
