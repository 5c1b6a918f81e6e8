package listing

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/internal/schema"
	"github.com/loupe-ecs/loupe/tools"
)

// usage writes the calling convention in one line, from the schema alone:
//
//	Health_Heal(entity: string, amount: integer >= 1)
//
// Optional arguments carry a question mark.
func usage(name string, s *tools.Schema) string {
	if s == nil {
		return name + "(...)"
	}
	args := make([]string, 0, len(s.Properties))
	for _, n := range schema.Names(s) {
		p := s.Properties[n]
		arg := n
		if !slices.Contains(s.Required, n) {
			arg += "?"
		}
		args = append(args, arg+": "+typeText(p))
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

func typeText(s *tools.Schema) string {
	if s != nil && s.Type == "" && len(s.AnyOf) > 0 {
		return typeText(s.AnyOf[0])
	}
	if s == nil || s.Type == "" && len(s.Enum) == 0 {
		return "any"
	}
	text := s.Type
	switch {
	case len(s.Enum) > 0:
		labels := make([]string, 0, len(s.Enum))
		for _, e := range s.Enum {
			labels = append(labels, fmt.Sprint(e))
		}
		if len(labels) > 6 {
			labels = append(labels[:6], "...")
		}
		text = strings.Join(labels, "|")
	case s.Type == "array" && s.Items != nil:
		text = typeText(s.Items) + "[]"
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		text += " " + decimal(*s.Minimum) + ".." + decimal(*s.Maximum)
	case s.Minimum != nil:
		text += " >= " + decimal(*s.Minimum)
	case s.Maximum != nil:
		text += " <= " + decimal(*s.Maximum)
	}
	return text
}

// decimal writes whole numbers as one would type them: 1048576, not 1.048576e+06.
func decimal(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
