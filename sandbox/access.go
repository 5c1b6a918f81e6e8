package sandbox

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// access is a compiled way to one value inside a component or resource.
type access struct {
	path   *value.Path
	field  *value.Field // nil for a computed value
	off    uintptr
	scalar reflect.Kind // of a value at a fixed offset that plain loads and stores serve; else Invalid
	write  bool         // plain stores may serve it
	inMap  bool         // the way leads through a map
}

// typeAccess caches the ways into one type. Types are immutable, so it is
// shared by all runs.
type typeAccess struct {
	t       *value.Type
	actions map[string]*value.ActionInfo

	mu    sync.Mutex
	bySel map[string]*access
}

// maxSelectors bounds the cache of one type: map keys and indexes come from
// scripts.
const maxSelectors = 4096

var typeAccesses sync.Map // *value.Type → *typeAccess

func accessOf(t *value.Type) *typeAccess {
	if ta, ok := typeAccesses.Load(t); ok {
		return ta.(*typeAccess)
	}
	ta := &typeAccess{t: t, actions: map[string]*value.ActionInfo{}, bySel: map[string]*access{}}
	for _, a := range t.Actions {
		ta.actions[a.Name] = a
	}
	actual, _ := typeAccesses.LoadOrStore(t, ta)
	return actual.(*typeAccess)
}

// find compiles a selector; the refusal lists the real fields.
func (ta *typeAccess) find(sel string) (*access, error) {
	ta.mu.Lock()
	defer ta.mu.Unlock()
	if a := ta.bySel[sel]; a != nil {
		return a, nil
	}
	p, err := ta.t.Path(sel)
	if err != nil {
		return nil, err
	}
	a := &access{path: p, field: p.Field, inMap: strings.Contains(sel, `["`) || ta.crossesMap(sel)}
	if p.Computed == nil && p.Field != nil {
		if off, ok := p.Fixed(); ok {
			switch p.Field.Kind {
			case value.KindBool, value.KindInt, value.KindUint, value.KindFloat, value.KindString:
				a.off, a.scalar = off, p.Field.Go.Kind()
				a.write = p.Settable() == ""
			}
		}
	}
	if len(ta.bySel) < maxSelectors {
		ta.bySel[sel] = a
	}
	return a, nil
}

// crossesMap tells whether a prefix of sel that ends before an index is a map
// (one whose keys are not strings: those show by their quotes).
func (ta *typeAccess) crossesMap(sel string) bool {
	for i := range len(sel) {
		if sel[i] != '[' {
			continue
		}
		if p, err := ta.t.Path(sel[:i]); err == nil && p.Field != nil {
			f := p.Field
			if f.Kind == value.KindPointer && f.Elem != nil {
				f = f.Elem
			}
			if f.Kind == value.KindMap {
				return true
			}
		}
	}
	return false
}

// push loads the scalar at p.
func (a *access) push(L *lua.LState, p unsafe.Pointer) {
	p = unsafe.Add(p, a.off)
	var f float64
	switch a.scalar {
	case reflect.Bool:
		L.Push(lua.LBool(*(*bool)(p)))
		return
	case reflect.String:
		L.Push(lua.LString(*(*string)(p)))
		return
	case reflect.Float32:
		f = widen(*(*float32)(p))
	case reflect.Float64:
		f = *(*float64)(p)
	case reflect.Int: // the commonest
		f = float64(*(*int)(p))
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		f = float64(uint64(layout.ReadInt(a.scalar, p)))
	default:
		f = float64(layout.ReadInt(a.scalar, p))
	}
	if f >= 0 && f < float64(len(small)) && f == float64(int(f)) && (f != 0 || !math.Signbit(f)) {
		L.Push(small[int(f)])
		return
	}
	L.Push(lua.LNumber(f))
}

// small holds numbers that need no allocation.
var small = func() (s [1024]lua.LValue) {
	for i := range s {
		s[i] = lua.LNumber(i)
	}
	return s
}()

// widen gives the float64 that prints like f: 0.1, not 0.10000000149011612.
func widen(f float32) float64 {
	d := float64(f)
	if d == math.Trunc(d) || math.IsNaN(d) {
		return d
	}
	d, _ = strconv.ParseFloat(strconv.FormatFloat(d, 'g', -1, 32), 64)
	return d
}

// store writes a number or boolean in place and gives what undoes it. It
// reports false, having written nothing, whenever the value is not plainly
// right: the long way then decides, and words the refusal.
func (a *access) store(p unsafe.Pointer, v lua.LValue) (u undo, ok bool) {
	if !a.write {
		return u, false
	}
	p = unsafe.Add(p, a.off)
	if a.scalar == reflect.Bool {
		b, ok := v.(lua.LBool)
		if !ok {
			return u, false
		}
		u = undo{p: p, size: 1, old: uint64(*(*uint8)(p))}
		*(*bool)(p) = bool(b)
		return u, true
	}
	n, ok := v.(lua.LNumber)
	if !ok {
		return u, false
	}
	f := float64(n)
	if lo := a.field.Min; lo != nil && !(f >= *lo) {
		return u, false
	}
	if hi := a.field.Max; hi != nil && !(f <= *hi) {
		return u, false
	}
	const exact = 1 << 53
	if a.scalar == reflect.Float64 {
		if f-f != 0 { // NaN and the infinities
			return u, false
		}
		u = undo{p: p, size: 8, old: *(*uint64)(p)}
		*(*float64)(p) = f
		return u, true
	}
	if a.scalar == reflect.Float32 {
		if !(f >= -math.MaxFloat32 && f <= math.MaxFloat32) {
			return u, false
		}
		u = undo{p: p, size: 4, old: uint64(*(*uint32)(p))}
		*(*float32)(p) = float32(f)
		return u, true
	}
	i := int64(f)
	if float64(i) != f || f >= exact || f <= -exact {
		return u, false
	}
	// What is beyond the width of the field is all sign: 0, or -1 if it has one.
	width := 8 * a.field.Go.Size()
	switch a.field.Kind {
	case value.KindInt:
		ok = i>>(width-1) == 0 || i>>(width-1) == -1
	case value.KindUint:
		ok = i >= 0 && i>>width == 0
	default: // text
		ok = false
	}
	if !ok {
		return u, false
	}
	u.p, u.size = p, uint8(width/8)
	u.old = u.load()
	u.put(uint64(i))
	return u, true
}
