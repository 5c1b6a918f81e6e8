//go:build !nomcpdebug

package tools

import "testing"

func TestResultsOfToolsThatEncodeThemselvesAreChecked(t *testing.T) {
	for text, want := range map[string]bool{`{"a":1}`: true, `[1]`: false, `{"a":}`: false, ``: false} {
		if got := (&Result{Structured: []byte(text)}).Valid(); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	r, err := EncodeResult(struct{ A int }{1})
	if err != nil || !r.Valid() || string(r.Structured) != `{"A":1}` {
		t.Errorf("got %s, %v", r.Structured, err)
	}
}
