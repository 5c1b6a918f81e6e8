package layout

import (
	"encoding"
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"time"
)

var (
	DurationType   = reflect.TypeFor[time.Duration]()
	RawMessageType = reflect.TypeFor[json.RawMessage]()
	NumberType     = reflect.TypeFor[json.Number]()
	textMarshaler  = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshal  = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonMarshaler  = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshal  = reflect.TypeFor[json.Unmarshaler]()
)

// handlePackages hold handles of the process (locks, files, connections,
// goroutines, interned pointers, reflection): looking inside shows nothing of
// the game, a copy of the bits is a broken handle, and reading them off their
// own locks is a race. A name that ends in a slash stands for what is below it
// too.
var handlePackages = []string{"context", "crypto/tls", "database/", "internal/", "io", "iter", "log/", "net/", "os/", "plugin", "reflect",
	"runtime/", "sync", "syscall", "testing/", "unique", "weak"}

// plainPackages stand below those and hold plain values.
var plainPackages = map[string]bool{"sync/atomic": true, "net/netip": true, "net/url": true, "runtime/metrics": true}

func isHandlePackage(path string) bool {
	if plainPackages[path] {
		return false
	}
	for _, h := range handlePackages {
		if dir, below := strings.CutSuffix(h, "/"); path == dir || below && strings.HasPrefix(path, h) {
			return true
		}
	}
	return false
}

// isHandle reports whether values of t stand for something of the running
// process: a func, a channel, a type that was declared opaque, or one of the
// standard library that holds pointers to its own world. It is the one answer
// for everything that looks into values.
func isHandle(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return true
	case reflect.Struct:
		if t == locationType.Elem() || isHandlePackage(t.PkgPath()) && t.Name() != "" && (isLock(t) || !Flat(t)) {
			return true
		}
	case reflect.Interface:
		// What is in an io.Reader may well be a strings.Reader.
		return t.NumMethod() > 0 && isHandlePackage(t.PkgPath()) && t.PkgPath() != "io"
	case reflect.Pointer:
		if leadsNowhere(t) {
			return true
		}
	}
	return typeName(t) != "" && declared(reg.opaque, t)
}

// isLock: a lock holds no pointer and is a handle all the same. A copy starts
// unlocked.
func isLock(t reflect.Type) bool { return t.Kind() == reflect.Struct && t.PkgPath() == "sync" }

// shared: what a pointer to it points at belongs to the process, or never
// changes and is known by its address (locations, sentinel errors).
func shared(l *Layout) bool {
	switch l.Go.PkgPath() {
	case "time", "errors", "fmt":
		return true
	}
	return l.Handle
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

// memKinds is the kind of a type that nothing else is said about.
var memKinds = [...]Kind{reflect.Bool: KindBool, reflect.Int: KindInt, reflect.Int8: KindInt, reflect.Int16: KindInt, reflect.Int32: KindInt,
	reflect.Int64: KindInt, reflect.Uint: KindUint, reflect.Uint8: KindUint, reflect.Uint16: KindUint, reflect.Uint32: KindUint,
	reflect.Uint64: KindUint, reflect.Uintptr: KindUint, reflect.Float32: KindFloat, reflect.Float64: KindFloat, reflect.Complex64: KindComplex,
	reflect.Complex128: KindComplex, reflect.String: KindString, reflect.Struct: KindStruct, reflect.Array: KindArray, reflect.Slice: KindSlice,
	reflect.Map: KindMap, reflect.Pointer: KindPointer, reflect.Interface: KindInterface}

// classify finds the kind of a type for clients; field tags may still refine
// it.
func (l *Layout) classify() {
	t := l.Go
	if form, ok := entityType(t); ok {
		l.Kind, l.entity = KindEntity, form
		if l.Handle = t.Kind() == reflect.Pointer; form != nil && form.store == nil {
			l.noWrite = "values of type " + t.String() + " are made by the engine only"
		}
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan:
	default:
		if typeName(t) == "" || PkgPath(t) == "" || declared(reg.opaque, t) {
			break
		}
		if len(l.Labels) > 0 {
			l.Kind = KindEnum
			return
		}
		if l.Kind, l.noWrite = marshalKind(t); l.Kind != 0 {
			return
		}
	}
	if isHandle(t) {
		l.Kind, l.Handle, l.noWrite = KindOpaque, true, "values of type "+t.String()+" exist in the running process only"
		return
	}
	l.Kind = memKinds[t.Kind()]
	if (l.Kind == KindSlice || l.Kind == KindArray && t.Len() > 16) && plainByte(t.Elem()) {
		l.Kind = KindBytes
	}
}

// plainByte: a byte that neither has labels nor says itself how it looks.
func plainByte(t reflect.Type) bool {
	if t.Kind() != reflect.Uint8 {
		return false
	}
	l := Layout{Go: t}
	l.Labels, _ = labelsOf(t)
	l.classify()
	return l.Kind == KindUint
}

// marshalKind tells whether a type says itself how it looks. Methods that are
// merely promoted from an embedded field do not count: they would hide every
// sibling of that field.
func marshalKind(t reflect.Type) (k Kind, noWrite string) {
	pt := reflect.PointerTo(t)
	own := func(iface reflect.Type, name string) bool { return pt.Implements(iface) && ownMethod(t, name) }
	text, js := own(textMarshaler, "MarshalText"), own(jsonMarshaler, "MarshalJSON")
	if text && js && moduleOf(t.PkgPath()) == "" && t != RawMessageType {
		js = false // time.Time, big.Int: the text form keeps every digit
	}
	switch {
	case js:
		if !pt.Implements(jsonUnmarshal) {
			noWrite = t.String() + " has MarshalJSON but no UnmarshalJSON"
		}
		return KindJSON, noWrite
	case text:
		if !pt.Implements(textUnmarshal) {
			noWrite = t.String() + " has MarshalText but no UnmarshalText"
		}
		return KindText, noWrite
	}
	return 0, ""
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
