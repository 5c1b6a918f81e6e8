//go:build !nomcpdebug

package tools

import "testing"

func TestMembersAreFoundAtTheTopLevelOnly(t *testing.T) {
	const object = ` { "a" : {"b":1} , "c":["d",{"e":2}], "f":"g", "h\"i":3, "\u006a":4 }`
	for name, want := range map[string]bool{"a": true, "b": false, "c": true, "d": false, "e": false, "f": true, "g": false, `h"i`: true, "j": true, "": false} {
		if got := hasMember([]byte(object), name); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
}

func TestResultsOfToolsThatEncodeThemselvesAreChecked(t *testing.T) {
	for text, want := range map[string]bool{`{"a":1}`: true, `[1]`: false, `{"a":}`: false, ``: false} {
		if got := (&Result{Structured: []byte(text)}).Valid(); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	r, err := encodeResult(struct{ A int }{1})
	if err != nil || !r.Valid() || string(r.Structured) != `{"A":1}` {
		t.Errorf("got %s, %v", r.Structured, err)
	}
}
