package main

import (
	"fmt"
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	ark "github.com/mlange-42/ark/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/query"
)

const (
	whereOne = "Health.HP < 10"
	whereTwo = "Health.HP < 10 && Position.X > 500"
)

// column is the loop one would write by hand for whereOne.
func column(w ecs.World, health ecs.TypeID) (n int) {
	for c := range w.Chunks(ecs.Filter{With: []ecs.TypeID{health}}) {
		col, _ := c.Column(health)
		for i := range c.Len() {
			if (*Health)(unsafe.Add(col.Base, uintptr(i)*col.Stride)).HP < 10 {
				n++
			}
		}
	}
	return n
}

// columns is the loop for whereTwo.
func columns(w ecs.World, health, pos ecs.TypeID) (n int) {
	for c := range w.Chunks(ecs.Filter{With: []ecs.TypeID{health, pos}}) {
		h, _ := c.Column(health)
		p, _ := c.Column(pos)
		for i := range c.Len() {
			if (*Health)(unsafe.Add(h.Base, uintptr(i)*h.Stride)).HP < 10 && (*Position)(unsafe.Add(p.Base, uintptr(i)*p.Stride)).X > 500 {
				n++
			}
		}
	}
	return n
}

// scan is a compiled condition beside loops written by hand; every side counts.
type scan struct {
	w    ecs.World
	want map[string]int
	err  error
}

func (s *scan) op(text string, f func() int) op {
	return func(n int) {
		for range n {
			if got := f(); got != s.want[text] {
				s.err = fmt.Errorf("%s: %d matches, %d expected", text, got, s.want[text])
			}
		}
	}
}

func (s *scan) loupe(text string) (op, error) {
	p, err := query.Compile(s.w.Catalog(), query.Query{Where: text})
	if err != nil {
		return nil, err
	}
	return s.op(text, func() int { return p.Count(s.w) }), nil
}

func idOf(cat *ecs.Catalog, name string) (ecs.TypeID, error) {
	c, err := cat.Component(name)
	if err != nil {
		return 0, err
	}
	return c.ID, nil
}

func newScan(w ecs.World) (s *scan, one, two, loop1, loop2 op, err error) {
	s = &scan{w: w, want: map[string]int{}}
	health, err := idOf(w.Catalog(), "Health")
	if err != nil {
		return
	}
	pos, err := idOf(w.Catalog(), "Position")
	if err != nil {
		return
	}
	s.want[whereOne], s.want[whereTwo] = column(w, health), columns(w, health, pos)
	if one, err = s.loupe(whereOne); err != nil {
		return
	}
	two, err = s.loupe(whereTwo)
	loop1 = s.op(whereOne, func() int { return column(w, health) })
	loop2 = s.op(whereTwo, func() int { return columns(w, health, pos) })
	return
}

// where measures conditions over a million entities on arche and on Ark.
func where(c *config) ([]line, error) {
	lines, err := whereArche(c)
	if err != nil {
		return nil, err
	}
	more, err := whereArk(c)
	return append(lines, more...), err
}

func whereArche(c *config) ([]line, error) {
	a := newArche(c.size(million))
	s, one, two, loop1, loop2, err := newScan(a.loupe)
	if err != nil {
		return nil, err
	}
	native := s.op(whereOne, func() (n int) {
		for q := a.w.Query(arche.All(a.health)); q.Next(); {
			if (*Health)(q.Get(a.health)).HP < 10 {
				n++
			}
		}
		return n
	})
	filter := generic.NewFilter1[Health]()
	typed := s.op(whereOne, func() (n int) {
		for q := filter.Query(a.w); q.Next(); {
			if q.Get().HP < 10 {
				n++
			}
		}
		return n
	})
	return []line{
		pair(c, one, loop1).line("where_vs_column", "≤ 1.5", 1.5),
		pair(c, two, loop2).line("where2_vs_column", "≤ 2.5", 2.5),
		pair(c, one, native).line("where_vs_native", "≤ 0.5", 0.5),
		pair(c, one, typed).line("where_vs_generic", "", 0),
	}, s.err
}

func whereArk(c *config) ([]line, error) {
	w, lw := newArk(c.size(million))
	s, one, two, loop1, loop2, err := newScan(lw)
	if err != nil {
		return nil, err
	}
	filter := ark.NewFilter1[Health](w)
	typed := s.op(whereOne, func() (n int) {
		for q := filter.Query(); q.Next(); {
			if q.Get().HP < 10 {
				n++
			}
		}
		return n
	})
	id := ark.ComponentID[Health](w)
	untyped := ark.NewUnsafeFilter(w, id)
	native := s.op(whereOne, func() (n int) {
		for q := untyped.Query(); q.Next(); {
			if (*Health)(q.Get(id)).HP < 10 {
				n++
			}
		}
		return n
	})
	return []line{
		pair(c, one, loop1).line("where_vs_column_ark", "", 0),
		pair(c, two, loop2).line("where2_vs_column_ark", "", 0),
		pair(c, one, native).line("where_vs_native_ark", "", 0),
		pair(c, one, typed).line("where_vs_generic_ark", "", 0),
	}, s.err
}
