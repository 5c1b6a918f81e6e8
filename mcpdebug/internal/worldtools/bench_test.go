package worldtools

import (
	"testing"

	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
)

// BenchmarkQueryTool is the whole tool over a million entities: arguments
// checked and compiled, world scanned, all matches counted, the first page of
// 50 copied out and encoded.
func BenchmarkQueryTool(b *testing.B) {
	h := tooltest.New(b, Tools(nil)...)
	m := generic.NewMap2[Position, Health](h.Arche)
	for i := range 1_000_000 {
		m.NewWith(&Position{X: float64(i % 1009)}, &Health{HP: i * 7919 % 100, Max: 100})
	}
	for name, args := range map[string]string{
		"page":   `{"where":"Health.HP < 10"}`,
		"two":    `{"where":"Health.HP < 10 && Position.X > 500"}`,
		"select": `{"where":"Health.HP < 10","select":["Health.HP"]}`,
		"sort":   `{"where":"Health.HP < 10","sort":"-Position.X"}`,
		"all":    `{}`,
	} {
		b.Run(name+"/entities=1e6", func(b *testing.B) {
			for b.Loop() {
				if _, err := h.Run("query", args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
