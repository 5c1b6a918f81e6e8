// Package rawjson reads and writes JSON as bytes, for where values are passed on
// as they came: it checks strictly, keeps the exact text of what it finds, and
// decodes nothing that is not asked for.
//
//	end, err := rawjson.Skip(body, 0)
//	id := rawjson.Member(body[:end], "id")
//
// Everything may be called from any goroutine.
package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// maxDepth bounds the nesting of a request: deeper ones are refused before
// any recursive decoder sees them.
const maxDepth = 200

var errDepth = fmt.Errorf("nested deeper than %d levels", maxDepth)

// Skip checks one JSON value that starts at data[i], after blanks, and returns
// the index after it.
func Skip(data []byte, i int) (int, error) { return skipValue(data, i, 0) }

// Has reports whether an object of arguments has a member that is not null; it
// need not have been checked.
func Has(object []byte, name string) bool {
	v := Member(object, name)
	return v != nil && !IsNull(v)
}

// skipValue checks one JSON value that starts at data[i] and returns the index
// after it. encoding/json would do the same in two passes and with a case-
// insensitive eye for keys; the front needs the exact bytes.
func skipValue(data []byte, i, depth int) (int, error) {
	i = SkipSpace(data, i)
	if i >= len(data) {
		return i, errors.New("it ends in the middle of a value")
	}
	switch c := data[i]; {
	case c == '{' || c == '[':
		if depth >= maxDepth {
			return i, errDepth
		}
		return skipContainer(data, i, depth+1)
	case c == '"':
		return skipString(data, i)
	case c == '-' || '0' <= c && c <= '9':
		return skipNumber(data, i)
	case c == 't':
		return skipWord(data, i, "true")
	case c == 'f':
		return skipWord(data, i, "false")
	case c == 'n':
		return skipWord(data, i, "null")
	default:
		return i, fmt.Errorf("unexpected %s at byte %d", printable(data[i:]), i)
	}
}

func skipContainer(data []byte, i, depth int) (int, error) {
	isObject := data[i] == '{'
	end := byte(']')
	if isObject {
		end = '}'
	}
	i = SkipSpace(data, i+1)
	if i < len(data) && data[i] == end {
		return i + 1, nil
	}
	for {
		var err error
		if isObject {
			if i = SkipSpace(data, i); i >= len(data) || data[i] != '"' {
				return i, fmt.Errorf("a key in quotes is missing at byte %d", i)
			}
			if i, err = skipString(data, i); err != nil {
				return i, err
			}
			if i = SkipSpace(data, i); i >= len(data) || data[i] != ':' {
				return i, fmt.Errorf("a colon is missing at byte %d", i)
			}
			i++
		}
		if i, err = skipValue(data, i, depth); err != nil {
			return i, err
		}
		i = SkipSpace(data, i)
		switch {
		case i >= len(data):
			return i, errors.New("it ends in the middle of a value")
		case data[i] == end:
			return i + 1, nil
		case data[i] != ',':
			return i, fmt.Errorf("unexpected %s at byte %d", printable(data[i:]), i)
		}
		i++
	}
}

func skipString(data []byte, i int) (int, error) {
	start := i
	for i++; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			return i + 1, nil
		case c == '\\':
			i++
			if i >= len(data) {
				break
			}
			switch data[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for k := 1; k <= 4; k++ {
					if i+k >= len(data) || !isHex(data[i+k]) {
						return i, fmt.Errorf("a broken \\u escape at byte %d", i-1)
					}
				}
				i += 4
			default:
				return i, fmt.Errorf("an unknown escape at byte %d", i-1)
			}
		case c < 0x20:
			return i, fmt.Errorf("a control character in a string at byte %d", i)
		}
	}
	return i, fmt.Errorf("a string that begins at byte %d does not end", start)
}

func skipNumber(data []byte, i int) (int, error) {
	start := i
	bad := func() (int, error) { return i, fmt.Errorf("a broken number at byte %d", start) }
	if data[i] == '-' {
		i++
	}
	switch {
	case i >= len(data):
		return bad()
	case data[i] == '0':
		i++
	case '1' <= data[i] && data[i] <= '9':
		i = skipDigits(data, i)
	default:
		return bad()
	}
	if i < len(data) && data[i] == '.' {
		n := skipDigits(data, i+1)
		if n == i+1 {
			return bad()
		}
		i = n
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		k := i + 1
		if k < len(data) && (data[k] == '+' || data[k] == '-') {
			k++
		}
		n := skipDigits(data, k)
		if n == k {
			return bad()
		}
		i = n
	}
	return i, nil
}

func skipDigits(data []byte, i int) int {
	for i < len(data) && '0' <= data[i] && data[i] <= '9' {
		i++
	}
	return i
}

func skipWord(data []byte, i int, word string) (int, error) {
	if len(data)-i < len(word) || string(data[i:i+len(word)]) != word {
		return i, fmt.Errorf("unexpected %s at byte %d", printable(data[i:]), i)
	}
	return i + len(word), nil
}

// SkipSpace returns the index of the first byte that is no blank.
func SkipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func printable(b []byte) string {
	r, _ := utf8.DecodeRune(b)
	return fmt.Sprintf("%q", r)
}

// Members calls f with each member of a checked object; keys come as they are
// written, which for every key the protocol knows is what they mean. Anything
// that is no object has no members.
func Members(object []byte, f func(key, value []byte)) {
	i := SkipSpace(object, 0)
	if i >= len(object) || object[i] != '{' {
		return
	}
	for i++; ; i++ {
		i = SkipSpace(object, i)
		if i >= len(object) || object[i] != '"' {
			return
		}
		k, err := skipString(object, i)
		if err != nil {
			return
		}
		key := object[i+1 : k-1]
		v := SkipSpace(object, SkipSpace(object, k)+1)
		end, err := skipValue(object, v, 0)
		if err != nil {
			return
		}
		f(key, object[v:end:end])
		if i = SkipSpace(object, end); i >= len(object) || object[i] != ',' {
			return
		}
	}
}

// Elements calls f with each element of a checked array.
func Elements(array []byte, f func(value []byte)) {
	i := SkipSpace(array, 0)
	if i >= len(array) || array[i] != '[' {
		return
	}
	for i++; ; i++ {
		v := SkipSpace(array, i)
		end, err := Skip(array, v)
		if err != nil {
			return
		}
		f(array[v:end:end])
		if i = SkipSpace(array, end); i >= len(array) || array[i] != ',' {
			return
		}
	}
}

// Member returns one member of an object; nil: there is none.
func Member(object []byte, name string) (value []byte) {
	Members(object, func(k, v []byte) {
		if string(k) == name {
			value = v
		}
	})
	return value
}

// Text reads a checked JSON string.
func Text(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), true
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// IsObject and IsNull tell what a checked value is.
func IsObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

func IsNull(raw []byte) bool { return string(raw) == "null" }
