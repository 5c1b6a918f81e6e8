package shape

import (
	"fmt"
	"strconv"
	"strings"
)

// XMLName is a tool's or an argument's name as an XML name: characters that
// cannot stand there become _xHHHH_, the way of other serialisers.
func XMLName(name string) string {
	var b strings.Builder
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		switch {
		case r == '_' && encoded(name[i:]):
			b.WriteString("_x005F_") // a name that looks encoded already
		case letter || i > 0 && (r >= '0' && r <= '9' || r == '-' || r == '.'):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "_x%04X_", r)
		}
	}
	return b.String()
}

func encoded(s string) bool {
	_, _, ok := decodeRune(s)
	return ok
}

// decodeRune reads _xHHHH_.
func decodeRune(s string) (r rune, size int, ok bool) {
	if len(s) < 4 || s[:2] != "_x" {
		return 0, 0, false
	}
	end := strings.IndexByte(s[2:], '_')
	if end < 4 || end > 6 {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(s[2:2+end], 16, 21)
	return rune(n), end + 3, err == nil
}

// PlainName undoes XMLName.
func PlainName(name string) string {
	if !strings.Contains(name, "_x") {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		if r, size, ok := decodeRune(name[i:]); ok {
			b.WriteRune(r)
			i += size
			continue
		}
		b.WriteByte(name[i])
		i++
	}
	return b.String()
}
