package page

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/words"
)

// DefaultMaxBytes is what a list's rows may take unless the call says otherwise.
const DefaultMaxBytes = 32 << 10

// Args are the arguments that every list tool has besides its limit.
// Embed it.
type Args struct {
	Cursor   string `json:"cursor,omitempty" jsonschema:"next of a page"`
	MaxBytes int    `json:"maxBytes,omitempty" jsonschema:"bytes" debug:"min=1024,max=1048576,default=32768"`
}

func (a Args) Max() int {
	if a.MaxBytes <= 0 {
		return DefaultMaxBytes
	}
	return a.MaxBytes
}

// Info is what every list result says of itself. Embed it.
type Info struct {
	Total     int    `json:"total" jsonschema:"how many rows there are in all"`
	Returned  int    `json:"returned" jsonschema:"how many rows are here"`
	Truncated bool   `json:"truncated" jsonschema:"whether rows follow"`
	Next      string `json:"next,omitempty" jsonschema:"pass it as cursor to get the rows that follow"`
	Hint      string `json:"hint,omitempty" jsonschema:"how to ask for less"`
}

// Cut is how many of the rows fit into maxBytes of JSON.
func Cut[T any](rows []T, maxBytes int) int {
	var buf []byte
	total := 0
	for i := range rows {
		b, err := value.AppendJSON(buf[:0], reflect.ValueOf(&rows[i]).Elem(), value.EncodeOptions{JSON: true})
		if err == nil {
			buf = b
			total += len(b) + 1
		}
		if total > maxBytes {
			return i
		}
	}
	return len(rows)
}

// Position is where a page of an in-memory list ended: the key of its last
// row, and its number in case that row is gone by then.
type Position struct {
	Key   string `json:"k"`
	Index int    `json:"i"`
}

// Of takes a page of rows that are all at hand, in their lasting order.
// kind names the list, so that a cursor of another one is refused; key names a
// row; hint says how to ask for less. The first row comes even if it alone is
// larger than maxBytes: bound single rows elsewhere.
func Of[T any](kind string, rows []T, limit int, a Args, key func(*T) string, hint string) ([]T, Info, error) {
	info := Info{Total: len(rows)}
	start := 0
	if a.Cursor != "" {
		var p Position
		if err := DecodeCursor(kind, a.Cursor, &p); err != nil {
			return nil, info, err
		}
		start = min(max(p.Index, 0), len(rows))
		for i := range rows {
			if key(&rows[i]) == p.Key {
				start = i + 1
				break
			}
		}
	}
	rows = rows[start:]
	n := len(rows)
	if limit > 0 {
		n = min(n, limit)
	}
	n = Cut(rows[:n], a.Max())
	if n == 0 && len(rows) > 0 {
		n = 1
	}
	if n < len(rows) {
		info.Truncated, info.Hint = true, hint
		info.Next = EncodeCursor(kind, Position{Key: key(&rows[n-1]), Index: start + n})
	}
	rows = rows[:n:n]
	if rows == nil {
		rows = []T{}
	}
	info.Returned = len(rows)
	return rows, info, nil
}

// EncodeCursor makes an opaque text of a list's position. The checksum is no
// secret: it tells a damaged or invented cursor and one of another list.
func EncodeCursor(kind string, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("builtin: a cursor that is no JSON: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(append(binary.BigEndian.AppendUint32(nil, cursorSum(kind, b)), b...))
}

func DecodeCursor(kind, s string, v any) error {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil && len(b) > 4 && binary.BigEndian.Uint32(b) == cursorSum(kind, b[4:]) && json.Unmarshal(b[4:], v) == nil {
		return nil
	}
	return &refusal.Error{Code: refusal.InvalidArguments, Message: "cursor: this is no cursor of this call", Got: words.Clip(s, 80),
		Want: "the next of an earlier page of the same call, with the same other arguments",
		Hint: fmt.Sprintf("leave cursor out to start from the first row of %s", kind[:nameLen(kind)])}
}

// nameLen is the length of the tool's name in a kind ("query:...").
func nameLen(kind string) int {
	for i, r := range kind {
		if r == ':' {
			return i
		}
	}
	return len(kind)
}

func cursorSum(kind string, b []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE([]byte(kind)), crc32.IEEETable, b)
}
