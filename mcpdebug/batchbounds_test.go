//go:build !nomcpdebug

package mcpdebug

import (
	"strings"
	"testing"
)

// Answers that do not fit into maxBytes are left out one by one, each with its
// size; the batch says so, is done all the same, and is not rolled back.
func TestABatchThatAnswersTooMuchSaysSo(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		bindArche(s, nil)
		s.Poll()
		spawn := `{"tool":"spawn","arguments":{"components":{"Position":{"X":1}}}}`
		big := `{"tool":"spawn","arguments":{"count":20,"components":{"Health":{"HP":1}}}}`
		m := succeeded(t, polled(t, s, "batch", `{"maxBytes":1024,"atomic":false,"calls":[`+spawn+`,`+big+`,`+spawn+`]}`))
		results := m["results"].([]any)
		if len(results) != 3 || m["truncated"] != true || m["rolledBack"] == true || m["done"] != 3.0 || !strings.Contains(m["hint"].(string), "maxBytes") {
			t.Fatalf("%v", m)
		}
		for i, r := range results {
			cut := r.(map[string]any)
			if whole := i != 1; (cut["truncated"] == nil) != whole || !whole && cut["bytes"].(float64) < 1024 || whole && cut["entity"] == nil {
				t.Errorf("answer %d: %v", i, r)
			}
		}
		m = succeeded(t, polled(t, s, "batch", `{"calls":[`+spawn+`,`+spawn+`]}`))
		if m["truncated"] == true || m["hint"] != nil || m["done"] != 2.0 {
			t.Errorf("what fits: %v", m)
		}
		if n := succeeded(t, polled(t, s, "query", `{"where":"Position.X == 1","with":["Position"]}`))["matched"]; n != 5.0 {
			t.Errorf("%v entities, one of the world's and four spawned", n)
		}
	})
}
