package tools

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFrameIsAddedUnlessPresent(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:                                  `{"frame":7}`,
		`{ }`:                                 `{"frame":7}`,
		`{"a":1}`:                             `{"a":1,"frame":7}`,
		`{"frame":3}`:                         `{"frame":3}`,
		`{"frame" : 3}`:                       `{"frame":3}`,
		`{"a":{"frame":3}}`:                   `{"a":{"frame":3},"frame":7}`,
		`{"a":"frame"}`:                       `{"a":"frame","frame":7}`,
		`{"a":"\"frame\":","b":["frame"]}`:    `{"a":"\"frame\":","b":["frame"],"frame":7}`,
		`{"a":[{"frame":1}],"frame":2,"z":3}`: `{"a":[{"frame":1}],"frame":2,"z":3}`,
	} {
		if got := string(object(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func FuzzObject(f *testing.F) {
	f.Add(`{"a":"\\","frame":{}}`)
	f.Add(`{"\"frame":1}`)
	f.Fuzz(func(t *testing.T, s string) {
		var before, after map[string]json.RawMessage
		if json.Unmarshal([]byte(s), &before) != nil || !strings.HasPrefix(s, "{") {
			return
		}
		out := []byte(object(s))
		if json.Unmarshal(out, &after) != nil {
			t.Fatalf("%q became %q", s, out)
		}
		if _, had := before["frame"]; had && len(after) != len(before) || !had && string(after["frame"]) != "7" {
			t.Fatalf("%q became %q", s, out)
		}
	})
}

// object is the answer of a raw result in frame 7.
func object(raw string) string {
	b, _ := (&Result{Structured: json.RawMessage(raw)}).Object(7)
	return string(b)
}

type (
	unframed struct{ A int }
	ownFrame struct {
		Frame uint64 `json:"frame"`
	}
	maybeFrame struct {
		Frame uint64 `json:"frame,omitempty"`
	}
)

func TestTypedResultsNameOneFrame(t *testing.T) {
	for _, c := range []struct {
		out  any
		want string
	}{
		{unframed{1}, `{"A":1,"frame":7}`}, {struct{}{}, `{"frame":7}`}, {nil, `{"frame":7}`}, {ownFrame{3}, `{"frame":3}`}, {&ownFrame{3}, `{"frame":3}`},
		{(*ownFrame)(nil), `{"frame":7}`}, {maybeFrame{}, `{"frame":7}`}, {maybeFrame{4}, `{"frame":4}`}, {[]int{1}, `{"result":[1],"frame":7}`},
		{map[string]int{"frame": 5}, `{"frame":5}`}, {map[string]int{"b": 5}, `{"b":5,"frame":7}`}, {&Result{Frame: 2}, `{"frame":2}`},
		{json.RawMessage("{\n}"), `{"frame":7}`},
	} {
		r, err := EncodeResult(c.out)
		if err != nil {
			t.Fatal(err)
		}
		if b, ok := r.Object(7); !ok || string(b) != c.want {
			t.Errorf("%T: %s, want %s", c.out, b, c.want)
		}
	}
	for _, bad := range []string{`[1]`, `{"half":`, `7`} {
		if b, ok := (&Result{Structured: json.RawMessage(bad)}).Object(7); ok {
			t.Errorf("%s became %s", bad, b)
		}
	}
}
