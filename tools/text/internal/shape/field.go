package shape

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/loupe-ecs/loupe/ecs/value"
)

// OfFields is the shape of arguments that are described Go values. readOnly
// tools take an entity by its bare slot number, too.
func OfFields(fields []*value.Field, atLeast int, readOnly bool) *Shape {
	s := ofStruct(fields, readOnly)
	s.AtLeast = atLeast
	return s
}

func ofStruct(fields []*value.Field, readOnly bool) *Shape {
	s := &Shape{Kind: Struct}
	for _, f := range fields {
		if f.Hidden || f.ReadOnly || f.Kind == value.KindOpaque {
			continue
		}
		required := !f.Optional && f.Default == ""
		part := ofField(f, readOnly)
		if part.Kind == Entity {
			part.None = !required
		}
		s.Fields = append(s.Fields, Field{part, f.Name, required})
	}
	return s
}

func ofField(f *value.Field, readOnly bool) *Shape {
	s := ofKind(f, readOnly)
	if f.Doc != "" {
		s.Doc = f.Doc
	}
	if f.Unit != "" {
		s.Unit = f.Unit
	}
	return s
}

func ofKind(f *value.Field, readOnly bool) *Shape {
	switch f.Kind {
	case value.KindBool:
		return &Shape{Kind: Bool}
	case value.KindInt, value.KindUint:
		s := whole(f)
		s.Duration = f.Go == reflect.TypeFor[time.Duration]()
		return s
	case value.KindFloat:
		return float(f)
	case value.KindEnum:
		s := whole(f)
		s.Kind, s.Labels, s.Open = Label, labels(f), f.Labelled(math.MaxInt32)
		for _, l := range f.Enum {
			s.Numbers = append(s.Numbers, strconv.FormatInt(l.Value, 10))
		}
		return s
	case value.KindString:
		if len(f.Enum) > 0 {
			return &Shape{Kind: Label, Labels: labels(f)}
		}
		return text()
	case value.KindText, value.KindComplex:
		return text()
	case value.KindBytes:
		s := text()
		s.Base64 = true
		if f.Go.Kind() == reflect.Array {
			s.Bytes = f.Go.Len()
		}
		return s
	case value.KindEntity:
		return &Shape{Kind: Entity, None: true, Slot: readOnly && !ownEntity(f.Go)}
	case value.KindArray, value.KindSlice:
		if f.Elem == nil {
			break
		}
		s := &Shape{Kind: List, Most: -1, Vector: f.Vector, Elem: ofField(f.Elem, readOnly)}
		if f.Kind == value.KindArray {
			s.Least, s.Most = f.Go.Len(), f.Go.Len()
		}
		return s
	case value.KindMap:
		// Keys of other types are texts that the decoder reads.
		if f.Elem == nil {
			break
		}
		return &Shape{Kind: Map, Elem: ofField(f.Elem, readOnly)}
	case value.KindPointer:
		if f.Elem != nil {
			return ofField(f.Elem, readOnly)
		}
	case value.KindStruct:
		if f.Recursive || len(f.Fields) == 0 {
			break
		}
		s := ofStruct(f.Fields, readOnly)
		s.Vector = f.Vector
		return s
	}
	return &Shape{}
}

func text() *Shape { return &Shape{Kind: Text, Most: -1} }

// ownEntity tells an entity type from an argument that only reads like one and
// has ways of its own.
func ownEntity(t reflect.Type) bool {
	return t != nil && value.ArgsOf(t).Root.Kind == value.KindEntity
}

func labels(f *value.Field) []string {
	names := make([]string, len(f.Enum))
	for i, l := range f.Enum {
		names[i] = l.Name
	}
	return names
}

// whole bounds an integer by its tag, else by its type.
func whole(f *value.Field) *Shape {
	bits, signed := 64, true
	if f.Go != nil && f.Go.Kind() >= reflect.Int && f.Go.Kind() <= reflect.Uintptr {
		bits, signed = f.Go.Bits(), f.Go.Kind() <= reflect.Int64
	}
	s := &Shape{Kind: Int, TypedMin: true, TypedMax: true, Min: "0", Max: strconv.FormatUint(math.MaxUint64>>(64-bits), 10)}
	if signed {
		s.Min, s.Max = strconv.FormatInt(math.MinInt64>>(64-bits), 10), strconv.FormatInt(math.MaxInt64>>(64-bits), 10)
	} else {
		s.TypedMin = false // that it is not negative is worth saying
	}
	// A bound beyond the type's own bounds nothing; as numbers they compare well
	// enough, since a bound of more than 53 bits is the type's.
	if f.Min != nil && *f.Min > decimalOf(s.Min) {
		s.Min, s.TypedMin = decimal(math.Ceil(*f.Min)), false
	}
	if f.Max != nil && *f.Max < decimalOf(s.Max) {
		s.Max, s.TypedMax = decimal(math.Floor(*f.Max)), false
	}
	return s
}

func float(f *value.Field) *Shape {
	largest := math.MaxFloat64
	if f.Go != nil && f.Go.Kind() == reflect.Float32 {
		largest = math.MaxFloat32
	}
	s := &Shape{Kind: Number, Min: decimal(-largest), Max: decimal(largest), TypedMin: true, TypedMax: true}
	if f.Min != nil {
		s.Min, s.TypedMin = decimal(*f.Min), false
	}
	if f.Max != nil {
		s.Max, s.TypedMax = decimal(*f.Max), false
	}
	if f.Min == nil && f.Max == nil {
		s.Special = append(s.Special, "NaN")
	}
	if f.Max == nil {
		s.Special = append(s.Special, "Infinity")
	}
	if f.Min == nil {
		s.Special = append(s.Special, "-Infinity")
	}
	return s
}

func decimalOf(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("shape: not a number: " + s) // only what this package wrote
	}
	return f
}

// Ordered reports whether one bound is not above another.
func Ordered(low, high string) bool {
	return low == "" || high == "" || decimalOf(low) <= decimalOf(high)
}

// decimal writes a bound as people and validators read it.
func decimal(f float64) string {
	if math.Abs(f) < 1e21 && (math.Abs(f) > 1e-6 || f == 0) {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// literals writes the values of a JSON Schema enum, and says whether they are
// texts.
func literals(values []any) (labels []string, texts bool) {
	texts = !slices.ContainsFunc(values, func(v any) bool { _, ok := v.(string); return !ok })
	for _, v := range values {
		if s, ok := v.(string); ok && texts {
			labels = append(labels, s)
			continue
		}
		b, err := json.Marshal(v)
		if err != nil {
			continue
		}
		labels = append(labels, string(b))
	}
	return labels, texts
}
