package find

import (
	"testing"

	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

func arena() *Index {
	num := &shape.Shape{Kind: shape.Int}
	return NewIndex([]Tool{
		{Name: "Health_configure", Args: &shape.Shape{Kind: shape.Struct, Fields: []shape.Field{
			{Shape: &shape.Shape{Kind: shape.Entity}, Name: "entity", Required: true}, {Shape: num, Name: "HP"}, {Shape: num, Name: "Max"}}}},
		{Name: "stats", Args: &shape.Shape{Kind: shape.Struct}},
	})
}

func TestSmoke(t *testing.T) {
	for _, text := range []string{
		"Sure!\n```xml\n<Health_configure entity=\"1v1\" HP=\"41\"/>\n```\nDone.",
		`<thinking>maybe 3</thinking> <tool_call>{"name": "Health_configure", "arguments": {"entity": "1v1", "HP": 42,}}</tool_call>`,
		`I'd call {'tool': 'Health_configure', 'arguments': {'entity': '1v1', 'HP': 43}} now`,
		`<Health_configure entity=“1v1” HP=“44”/>`,
		`text <Health_configure entity="1v1" HP="-5"/> text`,
		"no call here, just < and > and { and }",
		"functions.Health_configure({\"entity\":\"1v1\",\"HP\":5})",
		"<invoke name=\"Health_configure\">\n<parameter name=\"entity\">1v1</parameter><parameter name=\"HP\">7</parameter>\n</invoke>",
		"Action: Health_configure\nAction Input: {\"entity\":\"1v1\"}",
		"<function=Health_configure>\n<parameter=HP>\n7\n</parameter>\n</function>",
		"see `stats()` or <stats> and stats() in a sentence\nstats()\n",
	} {
		for _, f := range arena().Scan(text) {
			t.Logf("%q: %+v %s", text[f.Start:f.End], f, f.Arguments)
		}
	}
}
