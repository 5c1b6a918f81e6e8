package value

import (
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// sameNode compares two values as they came.
func sameNode(a, b *node) bool {
	if a.kind != b.kind || a.text != b.text || len(a.items) != len(b.items) {
		if a.kind == nodeNumber && b.kind == nodeNumber {
			// 4 and 4.0 are the same number; what rounds to the same is not.
			x, ok1 := wholeNumber(a.text)
			y, ok2 := wholeNumber(b.text)
			return ok1 && ok2 && x == y
		}
		return false
	}
	for i := range a.items {
		o := &b.items[i]
		if a.kind == nodeObject {
			if o = b.get(a.keys[i]); o == nil {
				return false
			}
		}
		if !sameNode(&a.items[i], o) {
			return false
		}
	}
	return true
}

// refuse is the refusal of a value: "Health.HP: got -4, want at least 0".
func (d *decoder) refuse(n *node, want string) error {
	got := "null"
	if n != nil {
		got = n.short()
	}
	return &refusal.Error{Code: refusal.InvalidArguments, Message: d.path() + ": got " + got + ", want " + want, Got: n.plain(), Want: want}
}

// short is the node as a client would write it, cut to a readable length.
func (n *node) short() string {
	s := string(n.json(nil))
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:77], "") + "..."
	}
	return s
}

func (n *node) json(b []byte) []byte {
	switch n.kind {
	case nodeString:
		return layout.AppendString(b, n.text)
	case nodeNumber, nodeBool:
		return append(b, n.text...)
	case nodeArray:
		b = append(b, '[')
		for i := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = n.items[i].json(b)
		}
		return append(b, ']')
	case nodeObject:
		b = append(b, '{')
		for i := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(layout.AppendString(b, n.keys[i]), ':')
			b = n.items[i].json(b)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

// plain is the node as a Go value, for [Error.Got].
func (n *node) plain() any {
	if n == nil {
		return nil
	}
	switch n.kind {
	case nodeBool:
		return n.text == "true"
	case nodeNumber:
		if i, err := strconv.ParseInt(n.text, 10, 64); err == nil && i <= layout.MaxSafeInteger && i >= -layout.MaxSafeInteger {
			return i
		}
		if f, err := strconv.ParseFloat(n.text, 64); err == nil && !strings.ContainsAny(n.text, "eE") {
			if i, err := strconv.ParseInt(n.text, 10, 64); err != nil || float64(i) == f {
				return f
			}
		}
		return n.text
	case nodeString:
		return n.text
	case nodeArray, nodeObject:
		return n.short()
	}
	return nil
}
