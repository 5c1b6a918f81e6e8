package shape

import (
	"fmt"
	"strings"
)

// Type says in a few words what a value may be: "integer from 0 to 100, px".
func (s *Shape) Type() string {
	switch s.Kind {
	case Bool:
		return "true or false"
	case Int:
		t := "integer"
		if s.Duration {
			// The unit is told already.
			return `nanoseconds or a duration such as 1.5s` + (&Shape{Min: s.Min, Max: s.Max, TypedMin: s.TypedMin, TypedMax: s.TypedMax}).rangeText()
		}
		return t + s.rangeText()
	case Number:
		return "number" + s.rangeText()
	case Text:
		if s.Base64 {
			return "bytes as base64"
		}
		return "text"
	case Label:
		return oneOf(s.Labels)
	case Entity:
		if s.Slot {
			return "entity, or its slot number"
		}
		return "entity"
	case List:
		what := s.Elem.plural()
		if s.Least == s.Most && s.Most > 0 {
			return fmt.Sprintf("%d %s", s.Most, what)
		}
		return "list of " + what
	case Map:
		if s.Elem.Kind == Any {
			return "values by name"
		}
		return "by name: " + s.Elem.Type()
	case Struct:
		if len(s.Fields) == 0 {
			return "nothing"
		}
		parts := make([]string, len(s.Fields))
		for i, f := range s.Fields {
			parts[i] = f.Name
			if !s.Vector {
				parts[i] += " " + f.Type()
			}
		}
		if s.Vector {
			return "numbers " + strings.Join(parts, " ")
		}
		return strings.Join(parts, ", ")
	}
	return "any value"
}

func (s *Shape) plural() string {
	switch s.Kind {
	case Int:
		return "integers" + s.rangeText()
	case Number:
		return "numbers" + s.rangeText()
	case Text:
		return "texts"
	case Entity:
		return "entities"
	case Struct:
		return "(" + s.Type() + ")"
	}
	return s.Type()
}

func (s *Shape) rangeText() string {
	low, high := s.Min, s.Max
	if s.TypedMin {
		low = ""
	}
	if s.TypedMax && len(high) > 6 {
		high = ""
	}
	if s.TypedMin && high != "" && s.TypedMax {
		low = s.Min
	}
	text := ""
	switch {
	case low != "" && high != "":
		text = " " + low + " to " + high
	case low != "" && s.MinOpen:
		text = " above " + low
	case low != "":
		text = " from " + low
	case high != "" && s.MaxOpen:
		text = " below " + high
	case high != "":
		text = " up to " + high
	}
	if s.Unit != "" {
		text += " " + s.Unit
	}
	return text
}

func oneOf(labels []string) string {
	const most = 16
	switch n := len(labels); {
	case n == 0:
		return "one of no labels"
	case n == 1:
		return labels[0]
	case n > most:
		return strings.Join(labels[:most], ", ") + fmt.Sprintf(" or another of %d labels", n)
	default:
		return strings.Join(labels[:n-1], ", ") + " or " + labels[n-1]
	}
}
