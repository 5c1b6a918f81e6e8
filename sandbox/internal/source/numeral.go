package source

import (
	"math"
	"strconv"
	"strings"
)

// blank is what may surround a number in a string, as C's isspace has it.
const blank = " \t\n\v\f\r"

// ParseNumber reads a number as Lua 5.1 does, which leaves it to C's strtod:
// decimal or hexadecimal, with a fraction and an exponent, or inf or nan; none
// of Go's underscores, octals and binaries.
func ParseNumber(s string) (float64, bool) {
	s = strings.Trim(s, blank)
	if len(s) > 1000 {
		return 0, false
	}
	body, negative := s, false
	if body != "" && (body[0] == '-' || body[0] == '+') {
		body, negative = body[1:], body[0] == '-'
	}
	f, ok := parseUnsigned(strings.ToLower(body))
	if negative {
		f = -f
	}
	return f, ok
}

func parseUnsigned(s string) (float64, bool) {
	switch s {
	case "inf", "infinity":
		return math.Inf(1), true
	case "nan":
		return math.NaN(), true
	}
	digits := "0123456789.e+-"
	if strings.HasPrefix(s, "0x") {
		digits = "0123456789abcdef.xp+-"
		if !strings.Contains(s, "p") {
			s += "p0" // which Go wants
		}
	}
	if s == "" || s[0] == '+' || s[0] == '-' || strings.Trim(s, digits) != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil || math.IsInf(f, 0)
}

// ParseInteger reads s in a base other than 10, as C's strtoul does.
func ParseInteger(s string, base int) (float64, bool) {
	s = strings.ToLower(strings.Trim(s, blank))
	body, negative := s, false
	if body != "" && (body[0] == '-' || body[0] == '+') {
		body, negative = body[1:], body[0] == '-'
	}
	if base == 16 {
		if rest := strings.TrimPrefix(body, "0x"); rest != "" {
			body = rest
		}
	}
	if strings.ContainsAny(body, "_+-") {
		return 0, false
	}
	n, err := strconv.ParseUint(body, base, 64)
	if err != nil && n != math.MaxUint64 {
		return 0, false
	}
	if negative {
		n = -n
	}
	return float64(n), true
}
