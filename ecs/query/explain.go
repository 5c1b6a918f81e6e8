package query

// Explanation says how a plan's matches came about.
type Explanation struct {
	Conditions []ConditionCount
	Matched    int
}

// ConditionCount is how one condition of where fared among the rows that
// with, without, exclusive and target leave.
type ConditionCount struct {
	Condition string
	Rows      int // asked, after the conditions before it
	Passed    int
	Alone     int // would pass without the other conditions
}

// explainBlock runs the conditions as written and counts.
func (p *Plan) explainBlock(st *state, ex *Explanation) {
	all := st.sel
	for i := range p.prog.conds {
		cond, count := &p.prog.conds[i], &ex.Conditions[i]
		alone := all
		cond.pred(st, &alone)
		count.Alone += alone.n
		count.Rows += st.sel.n
		if st.sel.n > 0 {
			cond.pred(st, &st.sel)
		}
		count.Passed += st.sel.n
	}
}
