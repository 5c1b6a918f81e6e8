package sandbox

import (
	"encoding/base64"
	"math"
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

// values copies the script's results out of Lua.
func (r *run) values(res *Result) {
	n := r.L.GetTop()
	res.Returned = n
	conv := converter{r: r, left: r.opt.ResultBytes}
	for i := 1; i <= n; i++ {
		if conv.left <= 0 {
			res.Values = append(res.Values, more(n-i+1))
			conv.cut = true
			break
		}
		res.Values = append(res.Values, conv.value(r.L.Get(i), "$["+itoa(i-1)+"]", 0))
	}
	if res.Values == nil {
		res.Values = []any{}
	}
	res.Truncated = conv.cut
}

func more(n int) map[string]any { return map[string]any{"$more": n} }

// converter turns Lua values into what encoding/json takes, within a budget of
// bytes, depth and width. It calls no metamethod.
type converter struct {
	r    *run
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
		if p, ok := v.Value.(interface{ export(*run) any }); ok {
			return c.exported(p.export(c.r))
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
	s = c.r.world.resolveNames(s)
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
		return cut + "… (" + itoa(len(s)) + " bytes)"
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
	if depth >= c.r.opt.ResultDepth || c.left <= 0 {
		c.cut = true
		k, _ := t.Next(lua.LNil)
		if k == lua.LNil {
			return []any{}
		}
		return more(max(n, 1))
	}
	if c.path == nil {
		c.path = map[*lua.LTable]string{}
	}
	c.path[t] = path
	defer delete(c.path, t)
	if c.isSequence(t, n) {
		out := make([]any, 0, min(n, c.r.opt.ResultEntries))
		for i := 1; i <= n; i++ {
			if i > c.r.opt.ResultEntries || c.left <= 0 {
				c.cut = true
				return append(out, more(n-i+1))
			}
			out = append(out, c.value(t.RawGetInt(i), path+"["+itoa(i-1)+"]", depth+1))
		}
		return out
	}
	out := map[string]any{}
	same := map[string]int{} // keys that different Lua keys share in JSON: 1 and "1"
	rest := 0
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if rest > 0 || len(out) >= c.r.opt.ResultEntries || c.left <= 0 {
			if rest++; rest >= 100_000 {
				break
			}
			continue
		}
		name := c.key(k)
		for _, taken := out[name]; taken; _, taken = out[name] {
			key := c.key(k)
			same[key]++
			name = key + "#" + itoa(same[key]+1)
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
		s = c.r.world.resolveNames(string(k))
	case *lua.LUserData:
		if p, ok := k.Value.(interface{ text(*run) string }); ok {
			s = p.text(c.r)
		} else {
			s = "userdata"
		}
	case lua.LNumber:
		s = numberText(k)
	case lua.LBool:
		s = k.String()
	default:
		s = k.Type().String()
	}
	if !utf8.ValidString(s) {
		s = "$bytes:" + base64.StdEncoding.EncodeToString([]byte(s)) // as keys of maps in the world
	}
	return shorten(s, 200)
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
				return append(v[:i:i], more(len(v)-i))
			}
			v[i] = c.exported(v[i])
		}
		return v
	case map[string]any:
		for k, x := range v {
			if c.left -= len(k) + 4; c.left <= 0 {
				c.cut = true
				return more(len(v))
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
func (r *run) printedText() string {
	return strings.ToValidUTF8(r.world.resolveNames(string(r.printed)), "\uFFFD")
}
