package layout

import (
	"encoding/base64"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

const HexDigits = "0123456789abcdef"

// plainChar marks the bytes that stand for themselves in a JSON string.
var plainChar = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return
}()

// appendString writes a JSON string; text that is not UTF-8 becomes
// {"$bytes":"<base64>"}, so that nothing is lost and the JSON stays valid.
func AppendString(dst []byte, s string) []byte {
	i := 0
	for i < len(s) && plainChar[s[i]] {
		i++
	}
	if i == len(s) {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	if !utf8.ValidString(s) {
		dst = append(dst, `{"$bytes":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, []byte(s))
		return append(dst, `"}`...)
	}
	return appendQuoted(dst, s, i)
}

// appendText is appendString for results, whose schema says string: what is no
// UTF-8 is replaced.
func appendText(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return AppendString(dst, s)
}

// appendQuoted writes valid UTF-8 whose first i bytes need no escape.
func appendQuoted(dst []byte, s string, i int) []byte {
	dst = append(dst, '"')
	dst = append(dst, s[:i]...)
	start := i
	for ; i < len(s); i++ {
		c := s[i]
		if plainChar[c] || c >= utf8.RuneSelf {
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, HexDigits[c>>4], HexDigits[c&15])
		}
		start = i + 1
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// Keys of JSON objects that mean something of their own. A map key that looks
// like one is written with another "$" in front.
const (
	KeyBytes  = "$bytes"
	KeyLen    = "$len"
	KeyType   = "$type"
	KeyRef    = "$ref"
	KeyMore   = "$more"
	keyOpaque = "$opaque"
)

func reservedKey(s string) bool {
	switch s {
	case KeyLen, KeyType, KeyRef, KeyMore, keyOpaque:
		return true
	}
	return strings.HasPrefix(s, "$$") || strings.HasPrefix(s, KeyBytes)
}

// escapeKey makes any string a key that is valid UTF-8 and reserved by nobody.
func escapeKey(s string) string {
	if !utf8.ValidString(s) {
		return KeyBytes + ":" + base64.StdEncoding.EncodeToString([]byte(s))
	}
	if len(s) > 0 && s[0] == '$' && reservedKey(s) {
		return "$" + s
	}
	return s
}

func UnescapeKey(s string) (string, bool) {
	if len(s) == 0 || s[0] != '$' {
		return s, true
	}
	if rest, ok := strings.CutPrefix(s, KeyBytes+":"); ok {
		b, err := base64.StdEncoding.DecodeString(rest)
		return string(b), err == nil
	}
	if strings.HasPrefix(s, "$$") {
		return s[1:], true
	}
	return s, true
}

func bytesEnc(t reflect.Type) encFunc {
	if t.Kind() == reflect.Array {
		n := t.Len()
		return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
			return e.appendBytes(dst, unsafe.Slice((*byte)(p), n))
		}
	}
	return func(e *encoder, dst []byte, p unsafe.Pointer) []byte {
		b := *(*[]byte)(p)
		if b == nil {
			return append(dst, "null"...)
		}
		return e.appendBytes(dst, b)
	}
}

// appendBytes writes base64; in bulk a long one is cut, which the object form
// with "$len" says.
func (e *encoder) appendBytes(dst, b []byte) []byte {
	if e.bulk && len(b) > bulkBytes {
		dst = append(dst, `{"$bytes":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, b[:bulkBytes])
		dst = append(dst, `","$len":`...)
		dst = strconv.AppendInt(dst, int64(len(b)), 10)
		return append(dst, '}')
	}
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

func DecodeBase64(s string) []byte {
	b, _ := base64.StdEncoding.DecodeString(s)
	return b
}

// numberText reports whether s is a number as JSON writes it.
func NumberText(s string) bool {
	digits := func() bool {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n > 0
	}
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	if s != "" && s[0] == '0' {
		s = s[1:]
	} else if !digits() {
		return false
	}
	if s != "" && s[0] == '.' {
		s = s[1:]
		if !digits() {
			return false
		}
	}
	if s != "" && s[0]|0x20 == 'e' {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}
