package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

func TestRefusalsTeachInTextAndStructure(t *testing.T) {
	r := refusedReply(fmt.Errorf("query: %w", &refusal.Error{Code: refusal.UnknownComponent, Message: `no component "Positon"`, Got: "Positon",
		Options: []string{"Position", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}, Hint: "components_info lists them", Next: "components_info",
		Extra: map[string]any{"printed": "<hello>", "error": "mine", "frame": 0}}), 9)
	want := `{"error":{"code":"unknown_component","message":"no component \"Positon\"","got":"Positon","options":["Position","b","c","d","e","f","g","h","i","j"],"total":11,"hint":"components_info lists them","next":"components_info"},"frame":9,"printed":"<hello>"}`
	if string(r.Structured) != want {
		t.Errorf("%s\nwant %s", r.Structured, want)
	}
	if want := `no component "Positon"; options: Position, b, c, d, e, f, g, h, i, j (of 11). components_info lists them`; r.Text != want || !r.IsError {
		t.Errorf("text %q, want %q", r.Text, want)
	}
	for _, c := range []struct {
		err  error
		code refusal.Code
	}{{errors.New("plain"), refusal.Failed}, {context.Canceled, refusal.Cancelled}, {context.DeadlineExceeded, refusal.Timeout}, {fmt.Errorf("x: %w", refusal.WorldLocked), refusal.WorldLocked}} {
		if code, text := CodeOf(refusedReply(c.err, 1)); code != c.code {
			t.Errorf("%v has the code %s: %s", c.err, code, text)
		}
	}
	// What JSON cannot hold is told in words.
	cycle := map[string]any{}
	cycle["self"] = cycle
	for _, got := range []any{math.NaN(), func() {}, cycle, strings.Repeat("x", 3<<20)} {
		r := refusedReply(&refusal.Error{Code: refusal.NotFound, Message: "no", Got: got}, 1)
		if code, _ := CodeOf(r); code != refusal.NotFound || !json.Valid(r.Structured) {
			t.Errorf("%s: %s", code, r.Structured)
		}
		if len(r.Structured) > MaxReplyBytes {
			t.Errorf("%d bytes", len(r.Structured))
		}
	}
}
