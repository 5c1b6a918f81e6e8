package front

import (
	"encoding/json"
	"strings"
	"testing"
)

// A prompt's arguments are texts; null is none. Anything else is refused with
// the name of the member, never read as a text that it is not.
func TestPromptArgumentsAreTexts(t *testing.T) {
	b, _, url := serve(t, Options{}, true)
	newDocuments(b)
	sid := connect(t, url)
	ask := func(arguments string) (text string, code int, message string) {
		a := post(t, url, `{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"look"`+arguments+`}}`, headerSession, sid)
		var got struct {
			Error struct {
				Code    int
				Message string
			}
			Result struct {
				Messages []struct{ Content struct{ Text string } }
			}
		}
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatalf("%v: %s", err, a.body)
		}
		if len(got.Result.Messages) > 0 {
			text = got.Result.Messages[0].Content.Text
		}
		return text, got.Error.Code, got.Error.Message
	}
	if text, _, _ := ask(`,"arguments":{"entity":"7v0","why":""}`); text != "look at 7v0" {
		t.Errorf("%q", text)
	}
	for _, c := range []struct{ arguments, want string }{
		{`,"arguments":{"entity":7}`, `"arguments" must be an object of strings`}, {`,"arguments":{"entity":["7v0"]}`, `"arguments" must be an object of strings`},
		{`,"arguments":{"entity":{"id":7}}`, `"arguments" must be an object of strings`}, {`,"arguments":{"entity":"7v0","why":true}`, `"arguments" must be an object of strings`},
		{`,"arguments":["7v0"]`, `"arguments" must be an object of strings`}, {`,"arguments":"7v0"`, `"arguments" must be an object of strings`},
		{`,"arguments":null`, `missing argument "entity": which`}, {``, `missing argument "entity": which`}, {`,"arguments":{"why":"x"}`, `missing argument "entity": which`},
	} {
		if text, code, message := ask(c.arguments); text != "" || code != codeParams || !strings.Contains(message, c.want) {
			t.Errorf("%s: %q, %d %s", c.arguments, text, code, message)
		}
	}
}
