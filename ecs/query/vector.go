package query

import (
	"cmp"
	"go/token"
)

// The predicates of this file compare vectors that were computed before, and
// combine predicates.

// rangeVec tests computed integers.
func rangeVec(x intVec, reg int, r intRange, partial bool) predicate {
	if r.empty {
		return never
	}
	return func(st *state, s *selection) {
		if partial {
			st.clearBad(s.n)
		}
		v := &st.ints[reg]
		x(st, s, v)
		if partial && st.anyBad {
			st.dropBad(s, func(k int) bool { return uint64(v[k])-r.lo <= r.span })
			return
		}
		n := 0
		for k, row := range s.rows() {
			s.idx[n&blockMask] = row
			if uint64(v[k&blockMask])-r.lo <= r.span {
				n++
			}
		}
		s.n = n
	}
}

// holds reports x op y.
func holds[T cmp.Ordered](op token.Token, x, y T) bool {
	switch op {
	case token.EQL:
		return x == y
	case token.NEQ:
		return x != y
	case token.LSS:
		return x < y
	case token.LEQ:
		return x <= y
	case token.GTR:
		return x > y
	}
	return x >= y
}

// compareVec compares two vectors; regs gives the two that it may fill.
func compareVec[T cmp.Ordered, V ~func(*state, *selection, *[blockLen]T)](op token.Token, x, y V, regs func(*state, int) *[blockLen]T, partial bool) predicate {
	switch op { // two orders do for four
	case token.GTR:
		return compareVec(token.LSS, y, x, regs, partial)
	case token.GEQ:
		return compareVec(token.LEQ, y, x, regs, partial)
	}
	return func(st *state, s *selection) {
		if partial {
			st.clearBad(s.n)
		}
		a, b := regs(st, 0), regs(st, 1)
		x(st, s, a)
		y(st, s, b)
		if partial && st.anyBad {
			st.dropBad(s, func(k int) bool { return holds(op, a[k], b[k]) })
			return
		}
		rows, n := s.rows(), 0
		switch op {
		case token.LSS:
			for k, row := range rows {
				s.idx[n&blockMask] = row
				if a[k&blockMask] < b[k&blockMask] {
					n++
				}
			}
		case token.LEQ:
			for k, row := range rows {
				s.idx[n&blockMask] = row
				if a[k&blockMask] <= b[k&blockMask] {
					n++
				}
			}
		default:
			want := op == token.EQL
			for k, row := range rows {
				s.idx[n&blockMask] = row
				if (a[k&blockMask] == b[k&blockMask]) == want {
					n++
				}
			}
		}
		s.n = n
	}
}

// compareConst compares a vector with a constant.
func compareConst[T cmp.Ordered, V ~func(*state, *selection, *[blockLen]T)](op token.Token, x V, c T, reg func(*state) *[blockLen]T, partial bool) predicate {
	return func(st *state, s *selection) {
		if partial {
			st.clearBad(s.n)
		}
		v := reg(st)
		x(st, s, v)
		if partial && st.anyBad {
			st.dropBad(s, func(k int) bool { return holds(op, v[k], c) })
			return
		}
		rows, n := s.rows(), 0
		switch op {
		case token.LSS:
			for k, row := range rows {
				s.idx[n&blockMask] = row
				if v[k&blockMask] < c {
					n++
				}
			}
		case token.LEQ:
			for k, row := range rows {
				s.idx[n&blockMask] = row
				if v[k&blockMask] <= c {
					n++
				}
			}
		case token.GTR:
			for k, row := range rows {
				s.idx[n&blockMask] = row
				if v[k&blockMask] > c {
					n++
				}
			}
		case token.GEQ:
			for k, row := range rows {
				s.idx[n&blockMask] = row
				if v[k&blockMask] >= c {
					n++
				}
			}
		default:
			want := op == token.EQL
			for k, row := range rows {
				s.idx[n&blockMask] = row
				if (v[k&blockMask] == c) == want {
					n++
				}
			}
		}
		s.n = n
	}
}

// compareMixed compares a signed with an unsigned 64-bit number, exactly.
func compareMixed(op token.Token, signed, unsigned intVec, regs func(*state, int) *[blockLen]int64, partial bool) predicate {
	return func(st *state, s *selection) {
		st.clearBad(s.n)
		a, b := regs(st, 0), regs(st, 1)
		signed(st, s, a)
		unsigned(st, s, b)
		st.dropBad(s, func(k int) bool {
			order := -1
			if a[k] >= 0 {
				order = cmp.Compare(uint64(a[k]), uint64(b[k]))
			}
			return holds(op, order, 0)
		})
	}
}

// not keeps the rows for which p does not hold.
func not(p predicate, slot int) predicate {
	return func(st *state, s *selection) {
		t := &st.sels[slot]
		t.copyFrom(s)
		p(st, t)
		s.subtract(t)
	}
}

// or asks q about the rows that p leaves.
func or(p, q predicate, slot int) predicate {
	return func(st *state, s *selection) {
		a, b := &st.sels[slot], &st.sels[slot+1]
		a.copyFrom(s)
		p(st, a)
		if a.n == s.n {
			return
		}
		b.copyFrom(s)
		b.subtract(a)
		q(st, b)
		s.union(a, b)
	}
}

// sameTruth keeps the rows where p and q agree.
func sameTruth(p, q predicate, slot int) predicate {
	return func(st *state, s *selection) {
		a, b, c := &st.sels[slot], &st.sels[slot+1], &st.sels[slot+2]
		a.copyFrom(s)
		p(st, a)
		b.copyFrom(a) // p holds: q must
		q(st, b)
		s.subtract(a) // p does not hold: q must not
		c.copyFrom(s)
		q(st, c)
		s.subtract(c)
		a.copyFrom(s)
		s.union(a, b)
	}
}
