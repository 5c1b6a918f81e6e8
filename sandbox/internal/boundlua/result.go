package boundlua

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/sandbox/internal/source"
)

// Result is what a script gave. It is detached from Lua.
type Result struct {
	// Returned counts the values, so that "return nil" (1) and no return (0)
	// differ.
	Returned int
	// Values are ready for encoding/json: nil, bool, int64, float64, string,
	// []any, map[string]any. Non-finite numbers and binary strings have the
	// forms of the wire contract.
	Values  []any
	Printed string
	// Truncated: Values or Printed were cut at a limit.
	Truncated bool
	Steps     int64
	Ms        float64
}

// result copies the script's results out of Lua.
func (r *Run) result() *Result {
	n := r.L.GetTop()
	res := &Result{Returned: n, Values: []any{}}
	conv := converter{r: r, left: r.limits.ResultBytes}
	for i := 1; i <= n; i++ {
		if conv.left <= 0 {
			res.Values = append(res.Values, More(n-i+1))
			conv.cut = true
			break
		}
		res.Values = append(res.Values, conv.value(r.L.Get(i), "$["+strconv.Itoa(i-1)+"]", 0))
	}
	res.Truncated = conv.cut
	return res
}

// More stands for n values that were left out.
func More(n int) map[string]any { return map[string]any{"$more": n} }

// converter turns Lua values into what encoding/json takes, within a budget of
// bytes, depth and width. It calls no metamethod.
type converter struct {
	r    *Run
	left int // bytes
	cut  bool
	path map[*lua.LTable]string // tables being converted, for cycles
}

func (c *converter) value(v lua.LValue, path string, depth int) any {
	c.left -= 8
	switch v := v.(type) {
	case lua.LBool:
		return bool(v)
	case lua.LNumber:
		return number(float64(v))
	case lua.LString:
		return c.string(string(v))
	case *lua.LTable:
		return c.table(v, path, depth)
	case *lua.LUserData:
		if p, ok := v.Value.(Exporter); ok {
			return c.exported(p.Export(c.r))
		}
		return opaque(v)
	case *lua.LNilType:
		return nil
	case nil:
		return nil
	}
	return opaque(v)
}

func opaque(v lua.LValue) any { return map[string]any{"$opaque": v.Type().String()} }

// number keeps integers integers; the three that JSON lacks are strings.
func number(f float64) any {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return int64(f)
	}
	return f
}

func (c *converter) string(s string) any {
	s = c.r.Host.Resolve(s)
	if room := max(c.left, 64); len(s) > room {
		c.cut = true
		cut := s[:room]
		if !utf8.ValidString(s) {
			c.left -= len(cut) * 4 / 3
			return map[string]any{"$bytes": base64.StdEncoding.EncodeToString([]byte(cut)), "$len": len(s)}
		}
		for len(cut) > 0 && !utf8.ValidString(cut) {
			cut = cut[:len(cut)-1]
		}
		c.left -= len(cut)
		return cut + "… (" + strconv.Itoa(len(s)) + " bytes)"
	}
	c.left -= len(s)
	if !utf8.ValidString(s) {
		return map[string]any{"$bytes": base64.StdEncoding.EncodeToString([]byte(s))}
	}
	return s
}

func (c *converter) table(t *lua.LTable, path string, depth int) any {
	if at, ok := c.path[t]; ok {
		return map[string]any{"$ref": at}
	}
	n := t.Len()
	if depth >= c.r.limits.ResultDepth || c.left <= 0 {
		c.cut = true
		k, _ := t.Next(lua.LNil)
		if k == lua.LNil {
			return []any{}
		}
		return More(max(n, 1))
	}
	if c.path == nil {
		c.path = map[*lua.LTable]string{}
	}
	c.path[t] = path
	defer delete(c.path, t)
	if c.isSequence(t, n) {
		out := make([]any, 0, min(n, c.r.limits.ResultEntries))
		for i := 1; i <= n; i++ {
			if i > c.r.limits.ResultEntries || c.left <= 0 {
				c.cut = true
				return append(out, More(n-i+1))
			}
			out = append(out, c.value(t.RawGetInt(i), path+"["+strconv.Itoa(i-1)+"]", depth+1))
		}
		return out
	}
	out := map[string]any{}
	same := map[string]int{} // keys that different Lua keys share in JSON: 1 and "1"
	rest := 0
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if rest > 0 || len(out) >= c.r.limits.ResultEntries || c.left <= 0 {
			if rest++; rest >= 100_000 {
				break
			}
			continue
		}
		name := c.key(k)
		for _, taken := out[name]; taken; _, taken = out[name] {
			key := c.key(k)
			same[key]++
			name = key + "#" + strconv.Itoa(same[key]+1)
		}
		c.left -= len(name)
		out[name] = c.value(v, path+"."+name, depth+1)
	}
	if rest > 0 {
		c.cut = true
		out["$more"] = rest
	}
	return out
}

// isSequence tells whether the keys are 1..n and nothing else. An empty table
// counts as one.
func (c *converter) isSequence(t *lua.LTable, n int) bool {
	last := lua.LValue(lua.LNil)
	if n > 0 {
		if t.RawGetInt(1) == lua.LNil {
			return false
		}
		last = lua.LNumber(n)
	}
	k, _ := t.Next(last)
	return k == lua.LNil
}

func (c *converter) key(k lua.LValue) string {
	var s string
	switch k := k.(type) {
	case lua.LString:
		s = c.r.Host.Resolve(string(k))
	case *lua.LUserData:
		if p, ok := k.Value.(fmt.Stringer); ok {
			s = p.String()
		} else {
			s = "userdata"
		}
	case lua.LNumber:
		s = NumberText(k)
	case lua.LBool:
		s = k.String()
	default:
		s = k.Type().String()
	}
	if !utf8.ValidString(s) {
		s = "$bytes:" + base64.StdEncoding.EncodeToString([]byte(s)) // as keys of maps in the world
	}
	return source.Shorten(s, 200)
}

// exported bounds a value that the world gave, already in Go form.
func (c *converter) exported(v any) any {
	switch v := v.(type) {
	case string:
		return c.string(v)
	case []any:
		for i := range v {
			if c.left <= 0 {
				c.cut = true
				return append(v[:i:i], More(len(v)-i))
			}
			v[i] = c.exported(v[i])
		}
		return v
	case map[string]any:
		for k, x := range v {
			if c.left -= len(k) + 4; c.left <= 0 {
				c.cut = true
				return More(len(v))
			}
			v[k] = c.exported(x)
		}
		return v
	case float64:
		c.left -= 8
		return number(v)
	}
	c.left -= 8
	return v
}

// printedText is what print wrote, as valid text.
func (r *Run) printedText() string {
	return strings.ToValidUTF8(r.Host.Resolve(string(r.printed)), "\uFFFD")
}
