package ecs

import (
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// What moved to packages of its own, under the name it had here. New code names
// refusal and value.

type (
	Code  = refusal.Code
	Error = refusal.Error
)

const (
	InvalidArguments = refusal.InvalidArguments
	UnknownComponent = refusal.UnknownComponent
	UnknownField     = refusal.UnknownField
	UnknownEntity    = refusal.UnknownEntity
	EntityDead       = refusal.EntityDead
	ComponentMissing = refusal.ComponentMissing
	WorldLocked      = refusal.WorldLocked
	NoWorld          = refusal.NoWorld
	NoApp            = refusal.NoApp
	ReadOnly         = refusal.ReadOnly
	Parked           = refusal.Parked
	Crashed          = refusal.Crashed
	Stalled          = refusal.Stalled
	Busy             = refusal.Busy
	Timeout          = refusal.Timeout
	Cancelled        = refusal.Cancelled
	Panicked         = refusal.Panicked
	TooLarge         = refusal.TooLarge
	NotFound         = refusal.NotFound
	NotSupported     = refusal.NotSupported
	AlreadyRunning   = refusal.AlreadyRunning
	NotRunning       = refusal.NotRunning
	BadSnapshot      = refusal.BadSnapshot
	ScriptError      = refusal.ScriptError
	ScriptTimeout    = refusal.ScriptTimeout
	ScriptMemory     = refusal.ScriptMemory
	OutcomeUnknown   = refusal.OutcomeUnknown
	Closed           = refusal.Closed
	Starting         = refusal.Starting
	CrashLayout      = refusal.CrashLayout
)

func Nearest(got string, options []string) []string { return refusal.Nearest(got, options) }

type (
	Type          = value.Type
	Field         = value.Field
	Kind          = value.Kind
	EnumLabel     = value.EnumLabel
	ComputedValue = value.ComputedValue
	ActionInfo    = value.ActionInfo
	Path          = value.Path
	Guide         = value.Guide
	GuideField    = value.GuideField
	GuidePath     = value.GuidePath
	Forms         = value.Forms
	EncodeOptions = value.EncodeOptions
	Encoding      = value.Encoding

	TypeOption[T any] = value.TypeOption[T]
)

const (
	KindBool      = value.KindBool
	KindInt       = value.KindInt
	KindUint      = value.KindUint
	KindFloat     = value.KindFloat
	KindComplex   = value.KindComplex
	KindString    = value.KindString
	KindEnum      = value.KindEnum
	KindEntity    = value.KindEntity
	KindBytes     = value.KindBytes
	KindStruct    = value.KindStruct
	KindArray     = value.KindArray
	KindSlice     = value.KindSlice
	KindMap       = value.KindMap
	KindPointer   = value.KindPointer
	KindInterface = value.KindInterface
	KindText      = value.KindText
	KindJSON      = value.KindJSON
	KindOpaque    = value.KindOpaque
)

func TypeOf(t reflect.Type) *Type                           { return value.TypeOf(t) }
func ArgsOf(t reflect.Type) *Type                           { return value.ArgsOf(t) }
func Copy(v reflect.Value) reflect.Value                    { return value.Copy(v) }
func EncodingOf(t reflect.Type, o EncodeOptions) *Encoding  { return value.EncodingOf(t, o) }
func ToGo(v reflect.Value) any                              { return value.ToGo(v) }
func FieldValue(root reflect.Value, f *Field) reflect.Value { return value.FieldValue(root, f) }
func KnownTypes(name string) []reflect.Type                 { return value.KnownTypes(name) }
func LearnType(t reflect.Type)                              { value.LearnType(t) }
func RegisterEntityType(t reflect.Type)                     { value.RegisterEntityType(t) }
func RegisterMarkerType(t reflect.Type)                     { value.RegisterMarkerType(t) }
func RegisterOpaqueType(t reflect.Type)                     { value.RegisterOpaqueType(t) }
func RegisterType[T any]()                                  { value.RegisterType[T]() }
func EnumLabels[T comparable](labels map[T]string)          { value.EnumLabels(labels) }
func Describe[T any](opts ...TypeOption[T])                 { value.Describe(opts...) }
func Doc[T any](text string) TypeOption[T]                  { return value.Doc[T](text) }
func Default[T any](v T) TypeOption[T]                      { return value.Default(v) }
func Label[T any](f func(*T) string) TypeOption[T]          { return value.Label(f) }
func FieldDoc[T any](field, tag, doc string) TypeOption[T]  { return value.FieldDoc[T](field, tag, doc) }
func AppendJSON(dst []byte, v reflect.Value, o EncodeOptions) ([]byte, error) {
	return value.AppendJSON(dst, v, o)
}

func CopyColumn(t *Type, base unsafe.Pointer, stride uintptr, n int) reflect.Value {
	return value.CopyColumn(t, base, stride, n)
}

func Computed[T, V any](name string, f func(*T) V, doc ...string) TypeOption[T] {
	return value.Computed(name, f, doc...)
}

func Action[T, In, Out any](name string, f func(*T, In) (Out, error), doc ...string) TypeOption[T] {
	return value.Action(name, f, doc...)
}
