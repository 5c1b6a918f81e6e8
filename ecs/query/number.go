package query

import (
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
)

// Number is a value of each entity, or of resources alone, as a float64. Compile
// once; running it is for the goroutine that may read the world.
type Number struct {
	text   string
	cat    *ecs.Catalog
	used   []usedType
	prog   program
	floats floatVec
}

// CompileNumber checks an expression over fields: Health.HP, or
// Health.HP - Health.Max.
func CompileNumber(cat *ecs.Catalog, text string) (*Number, error) {
	n := &Number{text: text, cat: cat}
	c := &compiler{clause: newClause("value", strings.TrimSpace(flat(text))), cat: cat, allOptional: true}
	err := c.catch(func() error {
		expr, err := c.parse()
		if err != nil {
			return err
		}
		x := c.expr(expr)
		if !x.number() || x.class == classConst {
			c.fail(expr, "name a field that holds a number, or an expression over some: Health.HP - Health.Max", "%s is %s", c.text(expr), x.describe())
		}
		x = c.toFloat(x)
		c.prog.regs = x.need
		n.floats = x.floats
		return nil
	})
	if err != nil {
		return nil, err
	}
	n.prog = c.prog
	for _, s := range n.prog.columns {
		n.used = append(n.used, usedType{s, s.typ(cat)})
	}
	return n, nil
}

// Each calls f with the value of every entity that matches the plan and has one.
func (n *Number) Each(w ecs.World, p *Plan, f func(v float64)) error {
	if cat := w.Catalog(); cat != n.cat && !fits(cat, n.used) {
		fresh, err := CompileNumber(cat, n.text)
		if err != nil {
			return err
		}
		n = fresh
	}
	p, err := p.Bind(w)
	if err != nil {
		return err
	}
	st := newState(&n.prog)
	st.begin(&n.prog, w, nil)
	var out [blockLen]float64
	p.Each(w, func(c ecs.Chunk, rows []int32) bool {
		st.enterColumns(&n.prog, c)
		st.sel.set(rows)
		st.clearBad(len(rows))
		n.floats(st, &st.sel, &out)
		for k := range rows {
			if !st.bad[k] {
				f(out[k])
			}
		}
		return true
	})
	return nil
}
