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
	case reflect.Int:
		f = float64(*(*int)(p))
	case reflect.Int8:
		f = float64(*(*int8)(p))
	case reflect.Int16:
		f = float64(*(*int16)(p))
	case reflect.Int32:
		f = float64(*(*int32)(p))
	case reflect.Int64:
		f = float64(*(*int64)(p))
	case reflect.Uint:
		f = float64(*(*uint)(p))
	case reflect.Uint8:
		f = float64(*(*uint8)(p))
	case reflect.Uint16:
		f = float64(*(*uint16)(p))
	case reflect.Uint32:
		f = float64(*(*uint32)(p))
	case reflect.Uint64:
		f = float64(*(*uint64)(p))
	case reflect.Uintptr:
		f = float64(*(*uintptr)(p))
	case reflect.Float32:
		f = widen(*(*float32)(p))
	case reflect.Float64:
		f = *(*float64)(p)
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
	fits := func(lo, hi int64) bool { return i >= lo && i <= hi }
	switch a.scalar {
	case reflect.Int8:
		ok = fits(math.MinInt8, math.MaxInt8)
	case reflect.Int16:
		ok = fits(math.MinInt16, math.MaxInt16)
	case reflect.Int32:
		ok = fits(math.MinInt32, math.MaxInt32)
	case reflect.Int:
		ok = strconv.IntSize == 64 || fits(math.MinInt32, math.MaxInt32)
	case reflect.Int64:
		ok = true
	case reflect.Uint8:
		ok = fits(0, math.MaxUint8)
	case reflect.Uint16:
		ok = fits(0, math.MaxUint16)
	case reflect.Uint32:
		ok = fits(0, math.MaxUint32)
	case reflect.Uint:
		ok = i >= 0 && (strconv.IntSize == 64 || fits(0, math.MaxUint32))
	case reflect.Uint64:
		ok = i >= 0
	default:
		return u, false
	}
	if !ok {
		return u, false
	}
	u.p, u.size = p, uint8(a.field.Go.Size())
	switch u.size {
	case 1:
		u.old = uint64(*(*uint8)(p))
		*(*uint8)(p) = uint8(i)
	case 2:
		u.old = uint64(*(*uint16)(p))
		*(*uint16)(p) = uint16(i)
	case 4:
		u.old = uint64(*(*uint32)(p))
		*(*uint32)(p) = uint32(i)
	default:
		u.old = *(*uint64)(p)
		*(*uint64)(p) = uint64(i)
	}
	return u, true
}
