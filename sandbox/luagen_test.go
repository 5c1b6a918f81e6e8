package sandbox_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// program writes a Lua 5.1 program that ends, prints what it computes, and
// means the same to every implementation: no order of evaluation that the
// manual leaves open, no order of keys, no length of a list with holes.
func program(seed uint64) string {
	g := &luagen{r: rand.New(rand.NewPCG(seed, 7))}
	g.b.WriteString(prelude)
	g.open()
	for range 3 {
		g.declare(num)
	}
	g.declare(str)
	g.declare(listOfNum)
	g.declare(record)
	for range g.n(6, 14) {
		g.stmt()
	}
	g.printAll()
	g.close()
	return g.b.String()
}

// prelude shows values: numbers as C's %.14g does, tables by fixed keys.
const prelude = `local function show(v, d)
  local t = type(v)
  if t == "number" then return v ~= v and "nan" or v == 0 and "0" or string.format("%.14g", v) end
  if t == "string" then return string.format("%q", v) end
  if t ~= "table" then return (t == "function" or t == "thread") and t or tostring(v) end
  if (d or 0) > 2 then return "{...}" end
  local r = {}
  for i = 1, 4 do r[i] = show(rawget(v, i), (d or 0) + 1) end
  for _, k in ipairs{"a", "b", "Pos", "X", "n"} do local e = rawget(v, k) if e ~= nil then r[#r + 1] = k .. "=" .. show(e, (d or 0) + 1) end end
  return "{" .. table.concat(r, ",") .. "}"
end
local function out(...)
  local r = {}
  for i = 1, select("#", ...) do r[i] = show((select(i, ...))) end
  print(table.concat(r, " "))
end
`

type kind int

const (
	num kind = iota
	str
	boolean
	listOfNum // 1..n without holes
	record    // with number fields a and b, and Pos={X=}
	pure      // a function of two numbers that gives a number and changes nothing
	impure    // one that may change numbers around it
	kinds
)

type luavar struct {
	name string
	kind kind
	fn   int // how many functions enclose it
	ro   bool
}

type luagen struct {
	r      *rand.Rand
	b      strings.Builder
	scopes [][]luavar
	names  int
	depth  int // of blocks
	fn     int
	loops  []int // per function: loops around here
	vararg []bool
	quiet  bool // inside a pure function
}

func (g *luagen) n(lo, hi int) int        { return lo + g.r.IntN(hi-lo+1) }
func (g *luagen) chance(percent int) bool { return g.r.IntN(100) < percent }
func pick[T any](g *luagen, list ...T) T  { return list[g.r.IntN(len(list))] }

func (g *luagen) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat(" ", len(g.scopes)-1))
	fmt.Fprintf(&g.b, format+"\n", args...)
}

func (g *luagen) open()  { g.scopes = append(g.scopes, nil) }
func (g *luagen) close() { g.scopes = g.scopes[:len(g.scopes)-1] }

func (g *luagen) name() string {
	g.names++
	if g.chance(25) && g.names > 3 { // shadow something
		return fmt.Sprintf("v%d", g.n(1, g.names-1))
	}
	return fmt.Sprintf("v%d", g.names)
}

// counter names the variable that ends a loop: nothing else has its name.
func (g *luagen) counter() string {
	g.names++
	return fmt.Sprintf("c%d", g.names)
}

// add makes a variable known, and hides those of its name.
func (g *luagen) add(name string, k kind) {
	for _, s := range g.scopes {
		for i := range s {
			if s[i].name == name {
				s[i].name = ""
			}
		}
	}
	top := len(g.scopes) - 1
	g.scopes[top] = append(g.scopes[top], luavar{name: name, kind: k, fn: g.fn})
}

// find picks a variable of the kind; toWrite: one that may be assigned.
func (g *luagen) find(k kind, toWrite bool) (string, bool) {
	var list []string
	for _, s := range g.scopes {
		for _, v := range s {
			if v.name != "" && v.kind == k && !(toWrite && (v.ro || g.quiet && v.fn != g.fn)) {
				list = append(list, v.name)
			}
		}
	}
	if len(list) == 0 {
		return "", false
	}
	// Near ones more often.
	return list[max(g.r.IntN(len(list)), g.r.IntN(len(list)))], true
}

// hidden runs f in a scope whose variables are forgotten afterwards; variables
// that it shadowed are known again.
func (g *luagen) hidden(f func()) {
	saved := make([][]luavar, len(g.scopes))
	for i, s := range g.scopes {
		saved[i] = append([]luavar(nil), s...)
	}
	g.open()
	g.depth++
	f()
	g.depth--
	g.scopes = saved
}

func (g *luagen) block(n int) {
	g.hidden(func() {
		for range n {
			g.stmt()
		}
	})
}

// expressions

func (g *luagen) literal() string {
	return pick(g, "0", "1", "2", "3", "-1", "-2", "10", "0.5", "1.25", "7", "100", "0x1F", "1e3", "2^3", "1e15", "5", "4")
}

func (g *luagen) num(d int) string {
	if d <= 0 || g.chance(25) {
		if v, ok := g.find(num, false); ok && g.chance(70) {
			return v
		}
		return g.literal()
	}
	switch g.n(0, 17) {
	case 0, 1, 2:
		return fmt.Sprintf("%s %s %s", g.atom(d), pick(g, "+", "-", "*"), g.atom(d))
	case 3:
		return g.remainder(d, pick(g, "2", "3", "7"))
	case 4:
		return fmt.Sprintf("(%s) / %s", g.num(d-1), pick(g, "2", "4", "-8"))
	case 5:
		return "-" + g.atom(d)
	case 6:
		return "#" + g.strAtom()
	case 7:
		if l, ok := g.find(listOfNum, false); ok {
			return fmt.Sprintf("(%s[%s] or %s)", l, pick(g, "1", "2", "#"+l, "3", "9"), g.literal())
		}
	case 8:
		if l, ok := g.find(listOfNum, false); ok {
			return "#" + l
		}
	case 9, 10:
		if r, ok := g.find(record, false); ok {
			return r + pick(g, ".a", ".b", ".Pos.X", `["a"]`)
		}
	case 11, 12:
		return fmt.Sprintf("(%s and %s or %s)", g.cond(d-1), g.num(d-1), g.num(d-1))
	case 13:
		if f, ok := g.find(pure, false); ok {
			return fmt.Sprintf("%s(%s, %s)", f, g.num(d-1), g.num(d-1))
		}
	case 14:
		return fmt.Sprintf("math.%s(%s)", pick(g, "floor", "abs", "ceil"), g.num(d-1))
	case 15:
		return fmt.Sprintf("math.%s(%s, %s)", pick(g, "max", "min"), g.num(d-1), g.num(d-1))
	case 16:
		return fmt.Sprintf("(%s or %s)", pick(g, "nil", "false", g.literal(), "tonumber(\"x\")"), g.num(d-1))
	case 17:
		if g.vararg[len(g.vararg)-1] {
			return pick(g, "select('#', ...)", "((...) or 3)")
		}
	}
	return g.atom(d)
}

// remainder is e % by for an e of which the reference, too, computes it exactly.
func (g *luagen) remainder(d int, by string) string {
	return fmt.Sprintf("math.max(math.min(%s, 9999), -9999) %% %s", g.num(d-1), by)
}

// short is a number of few digits, whose texts agree.
func (g *luagen) short(d int) string { return "math.floor(" + g.remainder(d, "1000") + ")" }

func (g *luagen) atom(d int) string {
	e := g.num(d - 1)
	if strings.ContainsAny(e, " -#") {
		return "(" + e + ")"
	}
	return e
}

func (g *luagen) str(d int) string {
	if d <= 0 || g.chance(30) {
		if v, ok := g.find(str, false); ok && g.chance(70) {
			return v
		}
		return pick(g, `"a"`, `"xyz"`, `""`, `"k v"`, `'q"t'`, `"l\n2"`, `[[lo]]`, `"10"`)
	}
	switch g.n(0, 10) {
	case 0, 1, 2:
		return fmt.Sprintf("%s .. %s", g.strAtom(), g.strAtom())
	case 3:
		return fmt.Sprintf("%s .. (%s) .. %s", g.strAtom(), g.short(d), g.strAtom())
	case 4:
		return fmt.Sprintf("%s:sub(%s, %s)", g.strAtom(), pick(g, "1", "2", "-2"), pick(g, "1", "-1", "3"))
	case 5:
		return fmt.Sprintf("%s:%s()", g.strAtom(), pick(g, "upper", "reverse", "lower"))
	case 6:
		return fmt.Sprintf("string.format(%s, %s)", pick(g, `"%5.2f"`, `"%g"`, `"%s"`, `"<%8.3e>"`, `"%+d"`, `"%05d"`), g.short(d))
	case 7:
		return fmt.Sprintf("(%s and %s or %s)", g.cond(d-1), g.str(d-1), g.str(d-1))
	case 8:
		return fmt.Sprintf("tostring(%s)", pick(g, g.short(d), "not "+g.atom(d-1), "nil"))
	case 9:
		return fmt.Sprintf("(%s:gsub(%s, %s))", g.strAtom(), pick(g, `"%w"`, `"a"`, `"(.)(.)"`), pick(g, `"%0%0"`, `"-"`, `"%1"`))
	}
	return fmt.Sprintf("%s:rep(%d)", g.strAtom(), g.n(0, 3))
}

func (g *luagen) strAtom() string {
	if v, ok := g.find(str, false); ok && g.chance(60) {
		return v
	}
	return pick(g, `("a")`, `("bc")`, `("")`, `("x1")`)
}

// cond gives an expression whose truth counts.
func (g *luagen) cond(d int) string {
	if d <= 0 || g.chance(15) {
		return pick(g, "true", "false", "nil", "1", `"s"`, g.num(0), g.num(0))
	}
	switch g.n(0, 8) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("%s %s %s", g.atom(d), pick(g, "<", ">", "<=", ">=", "==", "~="), g.atom(d))
	case 4:
		return fmt.Sprintf("not (%s)", g.cond(d-1))
	case 5:
		return fmt.Sprintf("(%s and %s)", g.cond(d-1), g.cond(d-1))
	case 6:
		return fmt.Sprintf("(%s or %s)", g.cond(d-1), g.cond(d-1))
	case 7:
		return fmt.Sprintf("%s %s %s", g.strAtom(), pick(g, "==", "<", "~=", ">="), g.strAtom())
	}
	if v, ok := g.find(boolean, false); ok {
		return v
	}
	return "not " + g.atom(d)
}

func (g *luagen) list() string {
	if g.chance(6) { // more than the VM moves at once
		n := pick(g, 49, 50, 51, 99, 100, 103)
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprint(i)
			if g.chance(5) {
				items[i] = g.num(1)
			}
		}
		if g.chance(50) {
			items = append(items, pick(g, "n = 1", "[\"b\"] = 2", "a = "+g.num(1)))
		}
		if g.chance(50) {
			items = append(items, "unpack({7, 8, 9})")
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	var items []string
	for range g.n(0, 4) {
		items = append(items, g.num(1))
	}
	if g.chance(20) {
		items = append(items, pick(g, "unpack({4, 5})", "(unpack({6, 7}))", "n = 3", "b = math.abs("+g.num(1)+")", "unpack({8}), [\"a\"] = select(2, 5, 6)"))
	}
	return "{" + strings.Join(items, pick(g, ", ", "; ")) + "}"
}

func (g *luagen) record() string {
	return fmt.Sprintf("{a = %s, b = %s, Pos = {X = %s}}", g.num(1), g.num(2), g.num(1))
}

// function writes a function expression of the kind.
func (g *luagen) function(k kind, head string) {
	vararg := g.chance(25)
	a, b := g.name(), g.name()
	if a == b {
		b += "b"
	}
	params := a + ", " + b
	if vararg {
		params += ", ..."
	}
	g.line("%s(%s)", head, params)
	g.fn++
	g.loops = append(g.loops, 0)
	g.vararg = append(g.vararg, vararg)
	quiet := g.quiet
	g.quiet = quiet || k == pure
	g.hidden(func() {
		g.add(a, num)
		g.add(b, num)
		g.line("%s, %s = %s or 1, %s or 2", a, b, a, b)
		for range g.n(0, 3) {
			g.stmt()
		}
		if g.chance(15) {
			g.line("if %s then return %s end", g.cond(1), g.num(1))
		}
		g.line("return %s", g.num(2))
	})
	g.quiet = quiet
	g.fn--
	g.loops = g.loops[:len(g.loops)-1]
	g.vararg = g.vararg[:len(g.vararg)-1]
}

func (g *luagen) value(k kind) string {
	switch k {
	case num:
		return g.num(3)
	case str:
		return g.str(2)
	case boolean:
		return g.cond(2)
	case listOfNum:
		return g.list()
	case record:
		return g.record()
	}
	panic(k)
}

func (g *luagen) declare(k kind) {
	if len(g.loops) == 0 {
		g.loops, g.vararg = []int{0}, []bool{false}
	}
	v := g.value(k)
	name := g.name()
	g.line("local %s = %s", name, v)
	g.add(name, k)
}

func (g *luagen) printAll() {
	var names []string
	for _, s := range g.scopes {
		for _, v := range s {
			if v.name != "" {
				names = append(names, v.name)
			}
		}
	}
	if len(names) > 12 {
		names = names[len(names)-12:]
	}
	if len(names) > 0 && !g.quiet {
		g.line("out(%s)", strings.Join(names, ", "))
	}
}

// target is something numbers can be assigned to.
func (g *luagen) target() string {
	switch g.n(0, 5) {
	case 0:
		if r, ok := g.find(record, !g.quiet); ok && !g.quiet {
			return r + pick(g, ".a", ".b", ".Pos.X", `["b"]`)
		}
	case 1:
		if l, ok := g.find(listOfNum, !g.quiet); ok && !g.quiet {
			return fmt.Sprintf("%s[%s]", l, pick(g, "1", "#"+l+" + 1"))
		}
	case 2:
		if !g.quiet {
			return pick(g, "G1", "G2")
		}
	}
	if v, ok := g.find(num, true); ok {
		return v
	}
	return "G3"
}

func (g *luagen) stmt() {
	if g.b.Len() > 7000 {
		g.line("out(%s)", g.num(1))
		return
	}
	d := g.depth
	switch c := g.n(0, 39); {
	case c < 5:
		g.declare(pick(g, num, num, str, boolean, listOfNum, record))
	case c < 7: // several at once
		a, b, x := g.name(), g.name(), g.name()
		switch g.n(0, 3) {
		case 0:
			g.line("local %s, %s = %s, %s", a, b, g.num(2), g.num(2))
		case 1:
			g.line("local %s, %s = unpack({%s, %s, 3})", a, b, g.num(1), g.num(1))
		case 2:
			g.line("local %s, %s = %s, (unpack({%s, 5}))", a, b, g.num(1), g.num(1))
		case 3:
			if f, ok := g.find(impure, false); ok && !g.quiet {
				g.line("local %s, %s = %s, %s(%s)", a, b, g.num(1), f, g.num(1))
			} else {
				g.line("local %s, %s, %s = %s, %s", a, b, x, g.num(1), g.num(1))
			}
		}
		g.add(a, num)
		if a != b {
			g.add(b, num)
		}
	case c < 10:
		t := g.target()
		g.line("%s = %s", t, g.num(3))
	case c < 14: // several, swaps among them
		var to, from []string
		if v, ok := g.find(num, true); ok {
			w, _ := g.find(num, true)
			to, from = append(to, v, w), append(from, w, pick(g, v, "-"+v, v+" - 3", "("+v+" and "+w+")"))
		}
		for range g.n(0, 2) {
			to, from = append(to, g.target()), append(from, g.num(2))
		}
		if g.chance(15) && len(from) > 1 {
			from = append(from[:len(from)-1], "unpack({"+g.num(1)+", "+g.num(1)+"})")
		}
		if len(to) > 0 && !dup(to) {
			g.line("%s = %s", strings.Join(to, ", "), strings.Join(from, ", "))
		}
	case c < 16: // and, or into their own variable
		if v, ok := g.find(num, true); ok {
			g.line("%s = %s", v, pick(g, v+" and "+g.num(1)+" or "+v, "("+g.cond(1)+") and "+v+" or "+g.num(1), g.num(1)+" or "+v, v+" and ("+v+" or 1)"))
		}
		if s, ok := g.find(str, true); ok {
			g.line("%s = %s", s, pick(g, s+":find('a') and ("+s+" or 'n') or 'none'", "("+g.cond(1)+" and "+s+") or "+g.str(1), s+" .. "+s+":sub(1, 1)"))
			g.line("%s = #%s > 12 and %s:sub(1, 12) or %s", s, s, s, s)
		}
	case c < 19 && d < 4:
		g.line("if %s then", g.cond(2))
		g.block(g.n(0, 2))
		if g.chance(30) {
			g.line("elseif %s then", g.cond(2))
			g.block(g.n(0, 2))
		}
		if g.chance(50) {
			g.line("else")
			g.block(g.n(1, 2))
		}
		g.line("end")
	case c < 22 && d < 4:
		g.loop()
	case c < 23 && d < 4:
		g.line("do")
		g.block(g.n(1, 3))
		g.line("end")
	case c < 26 && d < 3:
		k := pick(g, pure, impure)
		name := g.name()
		if g.chance(60) {
			g.function(k, "local function "+name)
			g.line("end")
		} else {
			g.function(k, "local "+name+" = function")
			g.line("end")
		}
		g.add(name, k)
	case c < 29 && !g.quiet: // call for the effect
		if f, ok := g.find(impure, false); ok {
			g.line("out(%s, %s(%s, %s))", g.num(1), f, g.num(1), g.num(1))
			if v, ok := g.find(num, true); ok {
				g.line("%s = %s", v, pick(g, f+"("+v+")", "("+f+"("+v+", 1))"))
			}
		}
	case c < 30 && !g.quiet:
		g.printAll()
	case c < 31 && g.loops[len(g.loops)-1] > 0:
		g.line("if %s then break end", g.cond(2))
	case c < 33 && d < 3 && !g.quiet:
		g.closures()
	case c < 35 && d < 3 && !g.quiet:
		g.protected()
	case c < 37 && d < 3 && !g.quiet:
		g.meta()
	case c < 38 && d < 3 && !g.quiet:
		g.coroutine()
	case c < 39 && !g.quiet:
		if l, ok := g.find(listOfNum, false); ok {
			g.line("%s", pick(g, "table.insert("+l+", "+g.num(1)+")", "table.remove("+l+")", "table.insert("+l+", 1, "+g.num(1)+")", "table.sort("+l+", function(x, y) return x > y end)",
				"out(#"+l+", unpack("+l+"))"))
		}
	case !g.quiet:
		g.line("out(%s, %s, %s)", g.str(2), g.num(3), g.cond(2))
	}
}

func dup(names []string) bool {
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			return true
		}
		seen[n] = true
	}
	return false
}

// loop writes a loop of any kind, of few turns.
func (g *luagen) loop() {
	g.loops[len(g.loops)-1]++
	defer func() { g.loops[len(g.loops)-1]-- }()
	i := g.name()
	switch g.n(0, 8) {
	case 0, 1:
		step := pick(g, "", "", ", 1", ", -1", ", 0.5", ", 2")
		g.line("for %s = %s, %d%s do", i, pick(g, "1", "3", "0", "-1"), g.n(1, 3), step)
		g.hidden(func() {
			g.add(i, num)
			for range g.n(1, 3) {
				g.stmt()
			}
		})
	case 2, 3:
		i = g.counter()
		g.line("local %s = 0", i)
		g.add(i, num)
		top := g.scopes[len(g.scopes)-1]
		top[len(top)-1].ro = true
		if g.chance(30) {
			g.line("while true do")
			g.hidden(func() {
				if g.chance(30) {
					g.line("if %s then local z = %s end", pick(g, "false", "nil", "nil and x", "true"), g.num(1))
				}
				g.line("%s = %s + 1", i, i)
				g.line("if %s > %d then break end", i, g.n(1, 3))
				g.stmt()
			})
		} else {
			g.line("while %s < %d%s do", i, g.n(1, 4), pick(g, "", " and "+g.cond(1), " and ("+g.cond(1)+" or "+g.cond(1)+")"))
			g.hidden(func() {
				if g.chance(30) {
					g.line("if %s then %s end", pick(g, "false", "nil", "true", "nil and x"), pick(g, "local z = "+g.num(1), "out('dead?')"))
				}
				g.line("%s = %s + 1", i, i)
				for range g.n(0, 2) {
					g.stmt()
				}
			})
		}
	case 4:
		i = g.counter()
		g.line("local %s = 0", i)
		g.add(i, num)
		top := g.scopes[len(g.scopes)-1]
		top[len(top)-1].ro = true
		g.line("repeat")
		g.hidden(func() {
			g.line("%s = %s + 1", i, i)
			for range g.n(0, 2) {
				g.stmt()
			}
			z := g.name()
			if z != i {
				g.line("local %s = %s", z, g.num(1))
				g.add(z, num)
			}
			g.line("until %s >= %d or %s", i, g.n(1, 3), g.cond(2))
		})
		return
	case 5, 6:
		l, ok := g.find(listOfNum, false)
		if !ok {
			l = "{1, 2}"
		}
		v := g.name()
		g.line("for %s, %s in %s do", i, v, pick(g, "ipairs("+l+")", "next, {"+g.num(1)+"}", "ipairs({"+g.num(1)+", "+g.num(1)+"})", "pairs({"+g.num(1)+"})", "next, {"+g.num(1)+"}, nil"))
		g.hidden(func() {
			g.add(i, num)
			if v != i {
				g.add(v, num)
			}
			if g.chance(25) {
				g.line("if %s then local z = %s end", pick(g, "false", "nil"), g.num(1))
			}
			for range g.n(0, 2) {
				g.stmt()
			}
			g.line("if %s > 3 then break end", i)
		})
	case 7:
		g.line("for %s in (%s):gmatch(%s) do", i, g.str(1), pick(g, `"%w+"`, `"."`, `"a?"`))
		g.hidden(func() {
			g.add(i, str)
			g.line("if #%s > 20 then break end", i)
			g.stmt()
		})
	case 8: // an iterator of the program's own, alone
		g.line("local k%s = 0", i)
		g.line("for %s in function() k%s = k%s + 1 if k%s <= %d then return k%s end end do", i, i, i, i, g.n(1, 3), i)
		g.hidden(func() {
			g.add(i, num)
			if g.chance(30) {
				g.line("do break end")
			} else {
				g.stmt()
			}
		})
	}
	g.line("end")
}

// closures captures the variables of a loop and calls what it made later.
func (g *luagen) closures() {
	fs, i, x := "f"+g.name(), g.name(), g.name()
	g.line("local %s = {}", fs)
	g.line("for %s = 1, %d do", i, g.n(1, 3))
	g.loops[len(g.loops)-1]++
	g.hidden(func() {
		g.add(i, num)
		g.line("local %s = %s", x, g.num(2))
		g.add(x, num)
		if g.chance(40) {
			g.line("%s = %s + 1", i, i)
		}
		switch g.n(0, 2) {
		case 0:
			g.line("%s[#%s + 1] = function(d) %s = %s + (d or 1) return %s + %s end", fs, fs, x, x, x, i)
		case 1:
			g.line("if %s then local y = %s %s[#%s + 1] = function() y = y + 1 return y + %s end if %s then break end end", g.cond(1), g.num(1), fs, fs, i, g.cond(1))
		case 2:
			g.line("do local y = %s %s[#%s + 1] = function() return y, %s end %s end", x, fs, fs, x, pick(g, "", "if "+g.cond(1)+" then break end"))
		}
		if g.chance(50) {
			g.stmt()
		}
	})
	g.loops[len(g.loops)-1]--
	g.line("end")
	z := g.name()
	g.line("local %s = %s", z, g.num(1))
	g.add(z, num)
	g.line("for _, f in ipairs(%s) do out(f()) out(f()) end", fs)
}

// protected catches an error, and looks whether variables are still shared.
func (g *luagen) protected() {
	v, ok := g.find(num, true)
	if !ok {
		return
	}
	ok1, e := "ok"+g.name(), "e"+g.name()
	g.line("local %s, %s = pcall(function(...)", ok1, e)
	g.fn++
	g.loops = append(g.loops, 0)
	g.vararg = append(g.vararg, true)
	g.hidden(func() {
		g.line("%s = %s + 1", v, v)
		for range g.n(0, 2) {
			g.stmt()
		}
		g.line("%s", pick(g, "error('boom')", "error('flat', 0)", "error({n = 1})", "local q = nil; q.x = 1", "return 1 + {}", "error()", "local q = 1; q()", "if "+g.cond(1)+" then error('perhaps') end", "return "+g.num(1), "do (5).x = 1 end", "return ('a') < 1", "do (nil).x = 2 end", "assert(false, 'no')"))
	})
	g.fn--
	g.loops = g.loops[:len(g.loops)-1]
	g.vararg = g.vararg[:len(g.vararg)-1]
	g.line("end)")
	// Positions count in what the program raises; the VM's own words differ.
	g.line("if type(%s) == 'string' and not (%s:find('boom') or %s:find('flat') or %s:find('perhaps')) then %s = 'words' end", e, e, e, e, e)
	g.line("out(%s, %s, %s)", ok1, e, v)
	g.line("%s = %s * 2", v, v)
	if f, ok := g.find(impure, false); ok {
		g.line("out(%s(1), %s)", f, v)
	}
}

// meta makes an object with metamethods and works with it.
func (g *luagen) meta() {
	m, a, b := "m"+g.name(), "oa"+g.name(), "ob"+g.name()
	g.line("local %s = {}", m)
	g.line("%s.__index = %s", m, pick(g, m, "function(t, k) return k .. '?' end", "{b = "+g.num(1)+"}"))
	g.line("%s.__add = function(x, y) return (type(x) == 'table' and x.n or x) + (type(y) == 'table' and y.n or y) end", m)
	g.line("%s.__concat = function(x, y) return (type(x) == 'table' and x.n or x) .. '|' .. (type(y) == 'table' and y.n or y) end", m)
	g.line("%s.__eq = function(x, y) return x.n == y.n end", m)
	g.line("%s.__lt = function(x, y) return x.n < y.n end", m)
	if g.chance(50) {
		g.line("%s.__le = function(x, y) return x.n <= y.n end", m)
	}
	g.line("%s.__unm = function(x) return -x.n end", m)
	g.line("%s.__call = function(self, x, ...) return self.n, x, select('#', ...) end", m)
	g.line("%s.__newindex = function(t, k, v) rawset(t, k, v) rawset(t, 'a', k) end", m)
	g.line("%s.__tostring = function(x) return 'obj' .. x.n end", m)
	g.line("local %s, %s = setmetatable({n = %s}, %s), setmetatable({n = %s}, %s)", a, b, g.num(1), m, g.num(1), m)
	g.line("function %s:get(d) self.n = self.n + (d or 1) return self.n end", m)
	for range g.n(1, 4) {
		g.line("%s", pick(g,
			fmt.Sprintf("out(%s + %s, %s + 1, 2 + %s, -%s)", a, b, a, b, a), fmt.Sprintf("out(%s == %s, %s ~= %s, %s < %s, %s >= %s)", a, b, a, b, a, b, a, b),
			fmt.Sprintf("%s.n, %s.n = 1, 2.5 out(%s .. 'x', 1 .. %s, %s .. %s, tostring(%s))", a, b, a, b, a, b, a), fmt.Sprintf("out(%s(%s), (%s(1, 2, 3)))", a, g.num(1), b),
			fmt.Sprintf("%s.b = %s out(%s, %s.zz)", a, g.num(1), a, b), fmt.Sprintf("%s, %s = %s, %s out(%s.n, %s.n)", a, b, b, a, a, b),
			fmt.Sprintf("if rawget(%s, 'get') or %s.__index == %s then out(%s:get(2), %s:get()) end", m, m, m, a, b),
			fmt.Sprintf("out(%s < %s and %s.n or %s.n, not (%s == %s))", a, b, a, b, a, b)))
	}
}

func (g *luagen) coroutine() {
	co := "co" + g.name()
	g.line("local %s = coroutine.wrap(function(p, ...)", co)
	g.fn++
	g.loops = append(g.loops, 0)
	g.vararg = append(g.vararg, true)
	g.hidden(func() {
		g.add("p", num)
		g.line("p = p or 1")
		g.line("for i = 1, 3 do p = p + (coroutine.yield(p, i) or %s) end", g.num(1))
		g.stmt()
		g.line("return p, 'end'")
	})
	g.fn--
	g.loops = g.loops[:len(g.loops)-1]
	g.vararg = g.vararg[:len(g.vararg)-1]
	g.line("end)")
	g.line("out(%s(%s)) out(%s()) out(%s(%s)) out(%s())", co, g.num(1), co, co, g.num(1), co)
	if g.chance(40) {
		g.line("out((pcall(%s)))", co)
	}
}
