package shape

import (
	"encoding/json"
	"strconv"
)

// Example gives a value that fits: for a struct its required fields and, where
// more are asked for, the first others.
func (s *Shape) Example() any {
	switch s.Kind {
	case Bool:
		return true
	case Int:
		return s.exampleNumber(7)
	case Number:
		return s.exampleNumber(1.5)
	case Text:
		if s.Base64 {
			return exampleBytes(s.Bytes)
		}
		return "text"
	case Label:
		if len(s.Labels) == 0 {
			return nil
		}
		if s.Literal {
			return json.RawMessage(s.Labels[0])
		}
		return s.Labels[0]
	case Entity:
		return "42v3"
	case List:
		list := make([]any, max(1, min(s.Least, 16)))
		for i := range list {
			list[i] = s.Elem.Example()
		}
		return list
	case Map:
		return map[string]any{"name": s.Elem.Example()}
	case Struct:
		return s.ExampleArguments()
	}
	return 1
}

// ExampleArguments is Example of a struct.
func (s *Shape) ExampleArguments() map[string]any {
	m := map[string]any{}
	for _, f := range s.Fields {
		if f.Required {
			m[f.Name] = f.Example()
		}
	}
	for _, f := range s.Fields {
		if !f.Required && len(m) < s.AtLeast {
			m[f.Name] = f.Example()
		}
	}
	return m
}

// exampleNumber is like, or the bound nearest to it.
func (s *Shape) exampleNumber(like float64) any {
	if s.Min != "" {
		if low := decimalOf(s.Min); like < low || s.MinOpen && like == low {
			like = low
			if s.MinOpen {
				like++
			}
		}
	}
	if s.Max != "" {
		if high := decimalOf(s.Max); like > high || s.MaxOpen && like == high {
			like = high
		}
	}
	return json.Number(strconv.FormatFloat(like, 'f', -1, 64))
}

func exampleBytes(n int) string {
	if n == 0 {
		n = 3
	}
	b := []byte{}
	for range (n + 2) / 3 {
		b = append(b, "AAAA"...)
	}
	for i := range (3 - n%3) % 3 {
		b[len(b)-1-i] = '='
	}
	return string(b)
}
