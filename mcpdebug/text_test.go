//go:build !nomcpdebug

package mcpdebug

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/tools"
)

// TestDispatchTextRunsCallsWhereTheyAreFound: inline, in order, answered in the
// form they had; what is only shown is neither run nor answered.
func TestDispatchTextRunsCallsWhereTheyAreFound(t *testing.T) {
	s := New(nil)
	defer s.Close()
	s.Bind(archeworld.New(newArena()), nil)
	s.Poll()
	const hero = "1v0"
	got := s.DispatchText("First this:\n" +
		`<Armor_configure entity="` + hero + `" Points="3"/>` + "\nthen\n" +
		`{"tool":"Armor_configure","arguments":{"entity":"` + hero + `","Points":-3}}` + "\nand\n" +
		`<tool_call>{"name":"info","arguments":{"entity":"` + hero + `","components":["Armor"],"referencedBy":false}}</tool_call>` + "\n" +
		"```xml example\n<Armor_configure entity=\"" + hero + "\" Points=\"9\"/>\n```\n<ping/>")
	lines := strings.Split(got, "\n")
	if len(lines) != 4 {
		t.Fatalf("%d answers, want 4:\n%s", len(lines), got)
	}
	for i, want := range []string{`<result tool="Armor_configure">{"changed":1,`, `{"tool":"Armor_configure","error":{"code":"invalid_arguments","message":"Armor.Points: got -3`,
		`<tool_response>{"name":"info","content":{"entity":"` + hero + `",`, `<result tool="ping">{"ok":true,`} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("answer %d is %s\nwant %s...", i, lines[i], want)
		}
	}
	if !strings.Contains(lines[2], `"Points":3`) {
		t.Errorf("the first call did not run before the third: %s", lines[2])
	}
	if got := s.DispatchText("Nothing to do: < and > and {}."); got != "" {
		t.Errorf("a text without calls is answered: %q", got)
	}
}

// TestTextDocumentsAreCurrent: a tool that is registered is in the documents at
// once, and whoever is subscribed to them hears, listed or not.
func TestTextDocumentsAreCurrent(t *testing.T) {
	b := newSubscriber(t, "2025-11-25")
	uris := []string{"ecs://convention", "ecs://tools.xsd", "ecs://tools.lark", "ecs://tools.gbnf", "ecs://tools/start_wave.xsd", "ecs://convention/arena"}
	b.subscribe(uris...)
	type args struct {
		Wave int `json:"wave" jsonschema:"which one" debug:"min=1,max=99"`
	}
	must(t, b.s.Register(tools.New(tools.Spec{Name: "start_wave", Description: "Starts a wave.", Group: "arena", Unlisted: true},
		func(*tools.Frame, args) (struct{}, error) { return struct{}{}, nil })))
	b.hears(uris...)
	for uri, want := range map[string]string{"ecs://convention": "Needs wave (integer 1 to 99: which one).", "ecs://tools.xsd": `<xs:maxInclusive value="99"/>`,
		"ecs://tools.lark": "t_start_wave", "ecs://tools.gbnf": "t-start-wave", "ecs://tools/start_wave.xsd": `<xs:element name="start_wave">`,
		"ecs://convention/arena": "## arena"} {
		if got := b.read(uri); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q", uri, want)
		}
	}
	if got := b.read("ecs://convention/arena"); strings.Contains(got, "query") || strings.Contains(got, "## world") {
		t.Errorf("the convention of a group tells of others:\n%s", got)
	}
}

func (b *subscriber) read(uri string) string {
	b.t.Helper()
	r, err := b.session.ReadResource(b.t.Context(), &mcp.ReadResourceParams{URI: uri})
	must(b.t, err)
	return r.Contents[0].Text
}
