package value

import (
	"reflect"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// What games, adapters and tools say of values without a thought of memory, by
// the name of this package. Package layout has the rest.
type (
	Layout        = layout.Layout
	Part          = layout.Part
	Column        = layout.Column
	Place         = layout.Place
	SliceHeader   = layout.SliceHeader
	Entity        = layout.Entity
	EntityAt      = layout.EntityAt
	Kind          = layout.Kind
	Field         = layout.Field
	Forms         = layout.Forms
	EnumLabel     = layout.EnumLabel
	EncodeOptions = layout.EncodeOptions
	Encoding      = layout.Encoding
	Hasher        = layout.Hasher
)

// The kinds of value.
const (
	KindBool      = layout.KindBool
	KindInt       = layout.KindInt
	KindUint      = layout.KindUint
	KindFloat     = layout.KindFloat
	KindComplex   = layout.KindComplex
	KindString    = layout.KindString
	KindEnum      = layout.KindEnum
	KindEntity    = layout.KindEntity
	KindBytes     = layout.KindBytes
	KindStruct    = layout.KindStruct
	KindArray     = layout.KindArray
	KindSlice     = layout.KindSlice
	KindMap       = layout.KindMap
	KindPointer   = layout.KindPointer
	KindInterface = layout.KindInterface
	KindText      = layout.KindText
	KindJSON      = layout.KindJSON
	KindOpaque    = layout.KindOpaque
)

// RegisterType makes T known as a dynamic type of interface values: it may be
// written as {"$type":"game.Sword","value":...}. Types that were described or
// seen in a world are known already.
func RegisterType[T any]() { layout.RegisterType[T]() }

// EnumLabels declares the labels of an integer type (they win over String()).
// At init. Types that are no integers are ignored.
func EnumLabels[T comparable](labels map[T]string) { layout.EnumLabels(labels) }

// RegisterEntityForm is [layout.RegisterEntityForm].
func RegisterEntityForm[T any](to func(T) Entity, from func(Entity) T) {
	layout.RegisterEntityForm(to, from)
}

// CopyColumn is [layout.CopyColumn].
func CopyColumn(t *Type, c Column, n int) reflect.Value { return layout.CopyColumn(t.Go, c, n) }

// The rest are those of package layout, with their documentation.
var (
	LayoutOf           = layout.Of
	ColumnOf           = layout.ColumnOf
	ParseEntity        = layout.ParseEntity
	EntityIn           = layout.EntityIn
	RegisterEntityType = layout.RegisterEntityType
	RegisterMarkerType = layout.RegisterMarkerType
	RegisterOpaqueType = layout.RegisterOpaqueType
	KnownTypes         = layout.KnownTypes
	LearnType          = layout.LearnType
	FieldValue         = layout.FieldValue
	Addressable        = layout.Addressable
	AppendJSON         = layout.AppendJSON
	AppendEnum         = layout.AppendEnum
	EncodingOf         = layout.EncodingOf
	Copy               = layout.Copy
	Equal              = layout.Equal
	SameStandIn        = layout.SameStandIn
)
