package boundlua

import (
	"sort"

	lua "github.com/yuin/gopher-lua"
)

var tableFuncs = map[string]lua.LGFunction{
	"concat": tableConcat, "getn": tableGetn, "insert": tableInsert, "maxn": tableMaxn,
	"remove": tableRemove, "sort": tableSort, "unpack": baseUnpack, "pack": tablePack,
}

// maxArray is where gopher-lua keeps integer keys in a hash rather than in the
// array part. Its own value, 2^26, lets one assignment allocate a gigabyte.
// Sequences longer than this have no reliable length.
const maxArray = 1 << 19

// This is a variable of gopher-lua, for the whole process: set before anything
// can run.
func init() { lua.MaxArrayIndex = maxArray }

func tableConcat(L *lua.LState) int {
	t := L.CheckTable(1)
	sep := ""
	if L.Get(2) != lua.LNil {
		sep = TextArg(L, 2)
	}
	i := optIntArg(L, 3, 1)
	j := optIntArg(L, 4, -1)
	if L.Get(4) == lua.LNil {
		j = t.Len()
	}
	r := Of(L)
	var out []byte
	for k := i; k <= j; k++ {
		v := t.RawGet(lua.LNumber(k))
		switch v := v.(type) {
		case lua.LString:
			if len(out)+len(v) > r.limits.StringBytes {
				r.CheckString(L, len(out)+len(v))
			}
			r.ChargeBytes(L, len(v))
			out = append(out, v...)
		case lua.LNumber:
			r.Charge(L, 2)
			out = append(out, NumberText(v)...)
		default:
			L.RaiseError("invalid value (%s) at index %d in table for 'concat'", v.Type().String(), k)
		}
		if k < j {
			if len(out)+len(sep) > r.limits.StringBytes {
				r.CheckString(L, len(out)+len(sep))
			}
			r.ChargeBytes(L, len(sep))
			out = append(out, sep...)
		}
	}
	r.CheckString(L, len(out))
	L.Push(lua.LString(out))
	return 1
}

func tableGetn(L *lua.LState) int {
	L.Push(lua.LNumber(L.CheckTable(1).Len()))
	return 1
}

func tableMaxn(L *lua.LState) int {
	t := L.CheckTable(1)
	r := Of(L)
	var n lua.LNumber
	k, _ := t.Next(lua.LNil)
	for k != lua.LNil {
		if f, ok := k.(lua.LNumber); ok && f > n {
			n = f
		}
		r.Charge(L, 1)
		k, _ = t.Next(k)
	}
	L.Push(n)
	return 1
}

func tablePack(L *lua.LState) int {
	n := L.GetTop()
	Of(L).Charge(L, 1+n>>2)
	t := L.CreateTable(n, 1)
	for i := 1; i <= n; i++ {
		t.RawSetInt(i, L.Get(i))
	}
	t.RawSetString("n", lua.LNumber(n))
	L.Push(t)
	return 1
}

// appendList is (list)(t, n, ...): it puts the values behind the first n.
func appendList(L *lua.LState) int {
	t, n := L.Get(1).(*lua.LTable), intArg(L, 2)
	Of(L).Charge(L, 1+L.GetTop()>>2)
	for i := 3; i <= L.GetTop(); i++ {
		t.RawSetInt(n+i-2, L.Get(i))
	}
	L.Push(t)
	return 1
}

func tableInsert(L *lua.LState) int {
	t := L.CheckTable(1)
	n := t.Len()
	switch L.GetTop() {
	case 2:
		if n+1 >= maxArray {
			L.RaiseError("table too long to insert (at most %d elements)", maxArray-1)
		}
		t.RawSetInt(n+1, L.Get(2))
	case 3:
		pos := intArg(L, 2)
		if pos > n || pos < 1 {
			L.RawSet(t, lua.LNumber(pos), L.Get(3))
			return 0
		}
		if n+1 >= maxArray {
			L.RaiseError("table too long to insert (at most %d elements)", maxArray-1)
		}
		Of(L).Charge(L, 1+(n-pos)>>4)
		t.Insert(pos, L.Get(3))
	default:
		L.RaiseError("wrong number of arguments to 'insert'")
	}
	return 0
}

func tableRemove(L *lua.LState) int {
	t := L.CheckTable(1)
	n := t.Len()
	pos := optIntArg(L, 2, n)
	if pos < 1 || pos > n {
		return 0
	}
	Of(L).Charge(L, 1+(n-pos)>>4)
	L.Push(t.Remove(pos)) // shrinks the array, so that Len stays cheap
	return 1
}

// sorter sorts a copy. Go's sort ends whatever a comparison answers.
type sorter struct {
	L      *lua.LState
	run    *Run
	values []lua.LValue
	less   *lua.LFunction
}

func (s *sorter) Len() int      { return len(s.values) }
func (s *sorter) Swap(i, j int) { s.values[i], s.values[j] = s.values[j], s.values[i] }
func (s *sorter) Less(i, j int) bool {
	a, b := s.values[i], s.values[j]
	if s.less != nil {
		s.run.Charge(s.L, 1)
		s.L.Push(s.less)
		s.L.Push(a)
		s.L.Push(b)
		return lua.LVAsBool(callback1(s.L, 2))
	}
	switch x := a.(type) {
	case lua.LNumber:
		if y, ok := b.(lua.LNumber); ok {
			s.run.Charge(s.L, 1)
			return x < y
		}
	case lua.LString:
		if y, ok := b.(lua.LString); ok {
			s.run.ChargeBytes(s.L, min(len(x), len(y)))
			return x < y
		}
	}
	s.run.Charge(s.L, 1)
	return s.L.LessThan(a, b)
}

func tableSort(L *lua.LState) int {
	t := L.CheckTable(1)
	s := &sorter{L: L, run: Of(L)}
	if L.Get(2) != lua.LNil {
		s.less = L.CheckFunction(2)
	}
	n := t.Len()
	s.run.Charge(L, 1+n>>2)
	s.values = make([]lua.LValue, n)
	for i := range s.values {
		s.values[i] = t.RawGetInt(i + 1)
	}
	sort.Sort(s)
	for i, v := range s.values {
		t.RawSetInt(i+1, v)
	}
	return 0
}
