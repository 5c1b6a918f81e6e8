package text_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/tools/text"
)

// FuzzExtract: no text makes extraction panic, every call has arguments that
// are an object and a place in the text, calls come in order, and a text that
// comes in pieces has the same ones.
func FuzzExtract(f *testing.F) {
	for i, s := range corpus(f) {
		if i%7 == 0 {
			f.Add(s.text, uint64(i))
		}
	}
	for _, s := range []string{"<<<<<<", "{{{{{{", `{"tool":"heal","arguments":{`, "<heal <heal <heal", "```\n```", "<tool_call>heal<arg_key>", `<heal entity="`, "functions.heal((((", "&lt;heal &amp;lt;"} {
		f.Add(s, uint64(len(s)))
	}
	l := listing(f)
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		found, err := l.Extract(s)
		if err != nil {
			t.Fatal(err)
		}
		var after int64
		for _, c := range found {
			if !json.Valid(c.Arguments) || c.Arguments[0] != '{' {
				t.Fatalf("%s is called with %s", c.Tool, c.Arguments)
			}
			if c.Start >= c.End || c.End > int64(len(s)) || c.Start < after && c.Form != text.JSON && c.Form != text.ToolCall {
				t.Fatalf("%s stands at %d to %d, after one that ends at %d", c.Tool, c.Start, c.End, after)
			}
			after = c.End
		}
		thinking := len(found) > 0 && found[0].Status == text.Thought && strings.Contains(s, "</")
		if thinking {
			return // it may begin within a thought, which a Scanner has to be told
		}
		sc := l.NewScanner(false)
		r := rand.New(rand.NewPCG(seed, 1))
		var pieces []text.Found
		for rest := s; rest != ""; {
			n := min(len(rest), 1+r.IntN(16))
			pieces = append(pieces, sc.Feed(rest[:n])...)
			rest = rest[n:]
		}
		pieces = append(pieces, sc.Close()...)
		if len(pieces)+len(found) > 0 && !reflect.DeepEqual(pieces, found) {
			t.Fatalf("in pieces %+v\nat once %+v", pieces, found)
		}
	})
}

// hostile are texts that are long for what they hold: each is a way to make a
// parser look at the same characters again and again.
func hostile(n int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, n/len(s)+1)[:n] }
	return map[string]string{
		"tags":        fill("<"),
		"braces":      fill("{"),
		"open calls":  fill(`<heal entity="1v1" `),
		"open tags":   fill(`<heal>`),
		"open json":   fill(`{"tool":"heal","arguments":{`),
		"open texts":  fill(`{"`),
		"curly":       fill("{“"),
		"escapes":     fill(`{"\`),
		"parentheses": fill("functions.heal("),
		"lists":       fill("functions.heal([["),
		"ticks":       fill("`{'"),
		"fences":      fill("```\n{"),
		"children":    fill(`<bag_fill><slots><item>`),
		"parameters":  fill(`<invoke name="heal"><parameter name="HP">`),
		"pairs":       fill(`<tool_call>heal<arg_key>HP</arg_key>`),
		"entities":    fill(`&lt;heal entity=&quot;`),
		"comments":    fill(`<!-- {/* `),
		"thoughts":    fill(`<think><heal `),
		"headers":     fill("Action: heal\nAction Input: {}"),
		"calls":       fill(`<stats/>`),
		"strings":     fill(`{"tool":"heal","arguments":"{`),
		"quotes":      fill(`<heal note="a"b `),
	}
}

// TestTimeIsLinear: a megabyte of anything takes no longer than its length
// allows. The bound is wide: machines are busy.
func TestTimeIsLinear(t *testing.T) {
	l := listing(t)
	for name, s := range hostile(1 << 20) {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			if _, err := l.Extract(s); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("1 MB took %s", took)
			}
		})
	}
}

func BenchmarkExtract(b *testing.B) {
	l := listing(b)
	prose := strings.Repeat("The player stands near the northern wall, and three of the grunts (the slow ones) are on their way; its health is 12, it isn't moving.\n\nI would wait for the next wave - there is time.\n", 6000)
	texts := map[string]string{"prose": prose, "hostile/tags": strings.Repeat("<", 1<<20),
		"calls": strings.Repeat("I lower it now.\n<heal entity=\"42v3\" HP=\"7\"/>\n", 20000)}
	for name, s := range texts {
		b.Run("text="+name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				if _, err := l.Extract(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
