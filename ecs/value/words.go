package value

import "github.com/loupe-ecs/loupe/ecs/value/layout"

// kindWords says in words what a field takes.
func kindWords(f *Field) string {
	s := ""
	switch f.Kind {
	case KindBool:
		s = "true or false"
	case KindInt, KindUint:
		s = "an integer"
	case KindFloat:
		s = "a number"
	case KindEnum:
		return "one of " + listNames(layout.LabelNames(f.Enum))
	case KindString:
		if len(f.Enum) > 0 {
			return "one of " + listNames(layout.LabelNames(f.Enum))
		}
		s = "a string"
	case KindText:
		s = "a string"
	case KindEntity:
		s = `an entity such as "42v3"`
	case KindBytes:
		s = "a base64 string"
	case KindStruct, KindMap:
		s = "an object"
	case KindArray, KindSlice:
		s = "a list"
	case KindPointer:
		if f.Elem != nil {
			return kindWords(f.Elem)
		}
		s = "a value"
	default:
		s = "a value"
	}
	if r := rangeText(f); r != "" {
		s += " " + r
	}
	return s
}

func plural(f *Field) string {
	if f == nil {
		return "values"
	}
	switch f.Kind {
	case KindInt, KindUint:
		return "integers"
	case KindFloat:
		return "numbers"
	case KindString, KindText:
		return "strings"
	case KindEnum:
		return "labels (" + listNames(layout.LabelNames(f.Enum)) + ")"
	case KindEntity:
		return `entities ("42v3")`
	case KindBool:
		return "booleans"
	case KindStruct:
		return "objects with " + listNames(fieldNames(f))
	}
	return "values"
}
