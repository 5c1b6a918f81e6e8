package ecs

// Signatures that other packages build on; each moves to its own file.

import (
	"reflect"
	"unsafe"
)

type catalogIndex struct{}

// TypeOf describes t as a component or resource: fields by their Go names.
// Described once and cached; Describe for the same type later replaces it.
func TypeOf(t reflect.Type) *Type { panic("stub") }

// ArgsOf describes t as arguments or result of a tool: fields by their JSON
// names, `json:"-"` left out, embedded structs flattened as encoding/json does.
func ArgsOf(t reflect.Type) *Type { panic("stub") }

// TypeOption adds to the description of T.
type TypeOption[T any] func(*describer)
type describer struct{}

// Describe adds computed values, actions, a label, docs, defaults to T. At init.
func Describe[T any](opts ...TypeOption[T]) { panic("stub") }

// Computed adds a read-only value. doc options may follow.
func Computed[T, V any](name string, f func(*T) V, doc ...string) TypeOption[T] { panic("stub") }

// Action adds a method an agent may call. In is a struct with JSON tags.
func Action[T, In, Out any](name string, f func(*T, In) (Out, error), doc ...string) TypeOption[T] {
	panic("stub")
}

// ActionWith is Action for a function that needs the entity and the world.
func ActionWith[T, In, Out any](name string, f func(ActionContext, *T, In) (Out, error), doc ...string) TypeOption[T] {
	panic("stub")
}

// Label names an entity for people.
func Label[T any](f func(*T) string) TypeOption[T] { panic("stub") }

// Doc describes the type.
func Doc[T any](text string) TypeOption[T] { panic("stub") }

// EnumLabels declares the labels of an integer type (they win over String()).
func EnumLabels[T comparable](labels map[T]string) { panic("stub") }

// RegisterEntityType says that t (two uint32: id, generation) is an engine's
// entity type. Adapters call it at init.
func RegisterEntityType(t reflect.Type) { panic("stub") }

// RegisterMarkerType says that embedding t carries no data (an engine's
// relation marker): the field is left out everywhere.
func RegisterMarkerType(t reflect.Type) { panic("stub") }

// RegisterType makes T known as a dynamic type of interface values ($type).
func RegisterType[T any]() { panic("stub") }

// Copy makes a deep copy: what the frame goroutine takes out for later
// encoding. Cycles and sharing are kept; funcs, chans are shared. Typed, safe
// for the collector. CopyColumn is the same for n rows into a slice []T.
func Copy(v reflect.Value) reflect.Value { panic("stub") }

// CopyColumn copies n rows at base/stride into a new slice []T: memcpy for
// pointer-free types, deep otherwise.
func CopyColumn(t *Type, base unsafe.Pointer, stride uintptr, n int) reflect.Value { panic("stub") }

// EncodeOptions: the zero value encodes a value whole.
type EncodeOptions struct {
	Bulk bool // reading many: byte strings are cut at 256 bytes with "$len"
	JSON bool // field names from JSON tags, omitempty/omitzero honoured (tool results)
}

// AppendJSON appends v as JSON (TOOLS.md section 6) to dst. Never panics, never
// emits broken JSON: on an error dst is returned as it came.
func AppendJSON(dst []byte, v reflect.Value, o EncodeOptions) ([]byte, error) { panic("stub") }

// DecodeJSON decodes raw into a new value that starts as a deep copy of base
// (or the type's default when base is invalid). Refusals teach: path, got, want.
func (t *Type) DecodeJSON(raw []byte, base reflect.Value) (reflect.Value, error) { panic("stub") }

// New returns an addressable value of the type with its declared defaults.
func (t *Type) New() reflect.Value { panic("stub") }

// Path is a compiled field path, relative to a component or resource.
type Path struct {
	Text     string
	Field    *Field         // of the leaf; nil for a computed value
	Computed *ComputedValue // nil for a stored field
}

// Path compiles a selector: X, Slots[2].Count, Tags["fire"], or a computed
// value's name; "" is the whole value. unknown_field with options otherwise.
func (t *Type) Path(sel string) (*Path, error) { panic("stub") }

// Fixed gives the byte offset of the leaf in the component when the path
// crosses no slice, map, pointer or interface.
func (p *Path) Fixed() (offset uintptr, ok bool) { panic("stub") }

// Get reads the leaf; root is addressable, of the component's type.
func (p *Path) Get(root reflect.Value) (reflect.Value, error) { panic("stub") }

// Decode checks and decodes a new leaf value (ranges, labels, read-only).
func (p *Path) Decode(raw []byte) (reflect.Value, error) { panic("stub") }

// Set writes the leaf by typed assignment; index out of range and nil pointers
// are refusals.
func (p *Path) Set(root, leaf reflect.Value) error { panic("stub") }

// FromGo converts a plain Go value (nil, bool, float64, int64, string,
// []any, map[string]any: what a script hands over) into a leaf value.
func (p *Path) FromGo(v any) (reflect.Value, error) { panic("stub") }

// FromGo is the same for a whole value, on top of base or the default.
func (t *Type) FromGo(v any, base reflect.Value) (reflect.Value, error) { panic("stub") }

// ToGo is the way back: nil, bool, float64, int64, uint64, string, []any,
// map[string]any, cut like AppendJSON.
func ToGo(v reflect.Value) any { panic("stub") }

// Component finds a component type by short, qualified or full name;
// unknown_component with options otherwise. Resource likewise (not_found).
func (c *Catalog) Component(name string) (*Component, error) { panic("stub") }

// Resource finds a resource type by name.
func (c *Catalog) Resource(name string) (*Resource, error) { panic("stub") }

// ComponentPath resolves "Position.X", "game.Position.X", `Inventory.Tags["a"]`.
func (c *Catalog) ComponentPath(s string) (*Component, *Path, error) { panic("stub") }

// NewCatalog is for adapters: it works out unique names and the indexes.
func NewCatalog(c Catalog) *Catalog { panic("stub") }

// Nearest ranks options by spelling distance to got, at most 10.
func Nearest(got string, options []string) []string { panic("stub") }

// LabelOf names the entity in a row by the first component with a Label.
func LabelOf(cat *Catalog, c Chunk, row int) string { panic("stub") }
