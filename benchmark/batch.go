package main

import (
	"fmt"
)

// batch50 compares what a batch of 50 reads takes of the frame with one script
// that makes the same reads.
func batch50(c *config) ([]line, error) {
	t, _, err := loupeTarget(1000)
	if err != nil {
		return nil, err
	}
	defer t.close()
	type step struct {
		Tool      string         `json:"tool"`
		Arguments map[string]any `json:"arguments"`
	}
	calls := make([]step, 50)
	for i := range calls {
		calls[i] = step{"info", map[string]any{"entity": fmt.Sprintf("%dv0", i+1), "referencedBy": false}}
	}
	batch := callBody("batch", map[string]any{"calls": calls})
	script := callBody("run_lua", map[string]any{"timeoutMs": 1000,
		"code": `local n = 0 for i = 1, 50 do if world.tool('info', {entity = i .. 'v0', referencedBy = false}).alive then n = n + 1 end end return n`})
	var p sides
	for range c.rounds {
		for _, side := range []struct {
			times      *[]float64
			body, want string
		}{{&p.a, string(batch), `"done":50`}, {&p.b, string(script), `"values":[50]`}} {
			t.client.body, t.client.want = []byte(side.body), []byte(side.want)
			took, err := pollTimesOf(c.size(60), t)
			if err != nil {
				return nil, err
			}
			*side.times = append(*side.times, float64(quantile(took, 0.5).Nanoseconds()))
		}
	}
	l := p.line("batch50_vs_lua", "≤ 2", 2)
	l.detail = "p50 of the Poll that answers a batch of 50 `info`, beside a script of 50: " + l.detail
	return []line{l}, nil
}
