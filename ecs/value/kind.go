package value

import (
	"encoding"
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"time"
)

var (
	durationType   = reflect.TypeFor[time.Duration]()
	rawMessageType = reflect.TypeFor[json.RawMessage]()
	numberType     = reflect.TypeFor[json.Number]()
	textMarshaler  = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshal  = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonMarshaler  = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshal  = reflect.TypeFor[json.Unmarshaler]()
)

// kindInfo is the class of a type, and why its values cannot be written if
// they cannot.
type kindInfo struct {
	kind    Kind
	noWrite string
}

// machinePackages hold handles of the process (locks, files, connections,
// reflection): looking inside shows nothing of the game, and reading them off
// their own locks is a race.
var machinePackages = map[string]bool{"sync": true, "os": true, "net": true, "context": true, "log": true,
	"log/slog": true, "reflect": true, "runtime": true, "unique": true, "weak": true, "net/http": true,
	"os/exec": true, "database/sql": true, "plugin": true, "testing": true, "internal/abi": true, "internal/poll": true}

func isOpaque(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return true
	case reflect.Struct:
		return machinePackages[t.PkgPath()] || declared(reg.opaque, t)
	case reflect.Interface:
		return t.NumMethod() > 0 && machinePackages[t.PkgPath()]
	case reflect.Pointer:
		if leadsNowhere(t) {
			return true
		}
	}
	return t.Name() != "" && declared(reg.opaque, t)
}

// leadsNowhere tells a pointer type that points at pointers only, such as
// type P *P: whoever follows it to what it points at never arrives.
func leadsNowhere(t reflect.Type) bool {
	for range 32 {
		if t.Kind() != reflect.Pointer {
			return false
		}
		t = t.Elem()
	}
	return true
}

// kindOf classes a type; field tags may still refine it.
func kindOf(t reflect.Type) kindInfo {
	c := cachePtr.Load()
	if k, ok := c.kinds.Load(t); ok {
		return k.(kindInfo)
	}
	k := classify(t)
	c.kinds.Store(t, k)
	return k
}

func classify(t reflect.Type) kindInfo {
	if declared(reg.entities, t) {
		return kindInfo{kind: KindEntity}
	}
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface && t.Kind() != reflect.Func &&
		t.Kind() != reflect.Chan && t.Name() != "" && t.PkgPath() != "" {
		if isInteger(t) && len(labelsOf(t)) > 0 {
			return kindInfo{kind: KindEnum}
		}
		if k := marshalKind(t); k.kind != 0 {
			return k
		}
	}
	if isOpaque(t) {
		return kindInfo{kind: KindOpaque, noWrite: "values of type " + t.String() + " exist in the running process only"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return kindInfo{kind: KindBool}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return kindInfo{kind: KindInt}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return kindInfo{kind: KindUint}
	case reflect.Float32, reflect.Float64:
		return kindInfo{kind: KindFloat}
	case reflect.Complex64, reflect.Complex128:
		return kindInfo{kind: KindComplex}
	case reflect.String:
		return kindInfo{kind: KindString}
	case reflect.Struct:
		return kindInfo{kind: KindStruct}
	case reflect.Array:
		if t.Len() > 16 && plainByte(t.Elem()) {
			return kindInfo{kind: KindBytes}
		}
		return kindInfo{kind: KindArray}
	case reflect.Slice:
		if plainByte(t.Elem()) {
			return kindInfo{kind: KindBytes}
		}
		return kindInfo{kind: KindSlice}
	case reflect.Map:
		return kindInfo{kind: KindMap}
	case reflect.Pointer:
		return kindInfo{kind: KindPointer}
	case reflect.Interface:
		return kindInfo{kind: KindInterface}
	}
	return kindInfo{kind: KindOpaque, noWrite: "values of type " + t.String() + " cannot be written"}
}

func plainByte(t reflect.Type) bool {
	return t.Kind() == reflect.Uint8 && kindOf(t).kind == KindUint
}

// marshalKind tells whether a type says itself how it looks. Methods that are
// merely promoted from an embedded field do not count: they would hide every
// sibling of that field.
func marshalKind(t reflect.Type) kindInfo {
	pt := reflect.PointerTo(t)
	own := func(iface reflect.Type, name string) bool { return pt.Implements(iface) && ownMethod(t, name) }
	text, js := own(textMarshaler, "MarshalText"), own(jsonMarshaler, "MarshalJSON")
	if text && js && moduleOf(t.PkgPath()) == "" && t != rawMessageType {
		js = false // time.Time, big.Int: the text form keeps every digit
	}
	switch {
	case js:
		k := kindInfo{kind: KindJSON}
		if !pt.Implements(jsonUnmarshal) {
			k.noWrite = t.String() + " has MarshalJSON but no UnmarshalJSON"
		}
		return k
	case text:
		k := kindInfo{kind: KindText}
		if !pt.Implements(textUnmarshal) {
			k.noWrite = t.String() + " has MarshalText but no UnmarshalText"
		}
		return k
	}
	return kindInfo{}
}

// ownMethod reports whether t itself declares the method. For a promoted one
// the compiler made a wrapper, which has no source file.
func ownMethod(t reflect.Type, name string) bool {
	if t.Kind() != reflect.Struct || !embedsMethod(t, name) {
		return true
	}
	for _, c := range []reflect.Type{t, reflect.PointerTo(t)} {
		m, ok := c.MethodByName(name)
		if !ok {
			continue
		}
		if f := runtime.FuncForPC(m.Func.Pointer()); f != nil {
			if file, _ := f.FileLine(f.Entry()); !strings.Contains(file, "<autogenerated>") {
				return true
			}
		}
	}
	return false
}

func embedsMethod(t reflect.Type, name string) bool {
	for i := range t.NumField() {
		sf := t.Field(i)
		if !sf.Anonymous {
			continue
		}
		if _, ok := sf.Type.MethodByName(name); ok {
			return true
		}
		if sf.Type.Kind() != reflect.Pointer && sf.Type.Kind() != reflect.Interface {
			if _, ok := reflect.PointerTo(sf.Type).MethodByName(name); ok {
				return true
			}
		}
	}
	return false
}

// pointerFree reports whether values of t hold nothing the collector follows.
func pointerFree(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() == 0 || pointerFree(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !pointerFree(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Complex128
}

// isDeep reports whether a value of t can lead back to itself or to unbounded
// depth: its codec then keeps track of where it is.
func isDeep(t reflect.Type) bool {
	c := cachePtr.Load()
	if v, ok := c.deep.Load(t); ok {
		return v.(bool)
	}
	d := deepWalk(t, map[reflect.Type]bool{})
	c.deep.Store(t, d)
	return d
}

func deepWalk(t reflect.Type, on map[reflect.Type]bool) bool {
	switch kindOf(t).kind {
	case KindPointer, KindInterface:
		return true
	case KindArray, KindSlice, KindMap, KindStruct:
	default:
		return false
	}
	if on[t] {
		return true
	}
	on[t] = true
	defer delete(on, t)
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if deepWalk(t.Field(i).Type, on) {
				return true
			}
		}
		return false
	case reflect.Map:
		return deepWalk(t.Key(), on) || deepWalk(t.Elem(), on)
	}
	return deepWalk(t.Elem(), on)
}
