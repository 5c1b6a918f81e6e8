package client

import (
	"encoding/json"
	"strconv"
	"strings"
)

// follow finds the value at a field path, such as Slots[2].Count or Tags["fire"],
// in the JSON of a component.
func follow(v json.RawMessage, path string) (json.RawMessage, bool) {
	for path != "" {
		switch path[0] {
		case '.':
			if path = path[1:]; path == "" || path[0] == '.' || path[0] == '[' {
				return nil, false
			}
		case '[':
			inner, rest, ok := strings.Cut(path[1:], "]")
			if !ok {
				return nil, false
			}
			path = rest
			if key, err := strconv.Unquote(inner); err == nil {
				if v, ok = member(v, key); !ok {
					return nil, false
				}
				continue
			}
			var list []json.RawMessage
			i, err := strconv.Atoi(inner)
			if err != nil || json.Unmarshal(v, &list) != nil || i < 0 || i >= len(list) {
				return nil, false
			}
			v = list[i]
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			var ok bool
			if v, ok = member(v, path[:end]); !ok {
				return nil, false
			}
			path = path[end:]
		}
	}
	return v, true
}

func member(v json.RawMessage, name string) (json.RawMessage, bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(v, &object) != nil {
		return nil, false
	}
	m, ok := object[name]
	return m, ok
}
