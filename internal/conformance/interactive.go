package conformance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// asking makes a tool that asks the client one question and tells the answer.
func asking[In any](name, description string, ask func(context.Context, tools.Session, In) (string, error)) *tools.Tool {
	return tools.NewOff(tools.Spec{Name: name, Description: description, Group: "conformance", Interactive: true},
		func(c *tools.Call, in In) (*tools.Result, error) {
			if c.Session == nil {
				return nil, &refusal.Error{Code: refusal.NotSupported, Message: name + " needs a client that can be asked back"}
			}
			s, err := ask(c.Context, c.Session, in)
			if err != nil {
				return nil, err
			}
			return bare(text(s)), nil
		})
}

type prompted struct {
	Prompt string `json:"prompt" jsonschema:"what to ask the client's model"`
}

type messaged struct {
	Message string `json:"message" jsonschema:"what to ask the person"`
}

func interactiveTools() []*tools.Tool {
	return []*tools.Tool{
		asking("test_sampling", "Asks the client's model.", func(ctx context.Context, s tools.Session, in prompted) (string, error) {
			params, err := json.Marshal(map[string]any{"maxTokens": 100, "messages": []any{
				map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": in.Prompt}}}})
			if err != nil {
				return "", err
			}
			answer, err := s.Sample(ctx, params)
			if err != nil {
				return "", err
			}
			return "LLM response: " + sampledText(answer), nil
		}),
		asking("test_elicitation", "Asks the person for a name.", func(ctx context.Context, s tools.Session, in messaged) (string, error) {
			return elicit(ctx, s, in.Message, `{"type":"object","properties":{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`)
		}),
		asking("test_elicitation_sep1034_defaults", "Asks with defaults of every plain type.", func(ctx context.Context, s tools.Session, _ none) (string, error) {
			return elicit(ctx, s, "Please review and update the form fields with defaults", `{"type":"object","properties":{
				"name":{"type":"string","description":"User name","default":"John Doe"},
				"age":{"type":"integer","description":"User age","default":30},
				"score":{"type":"number","description":"User score","default":95.5},
				"status":{"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},
				"verified":{"type":"boolean","description":"Verification status","default":true}},"required":[]}`)
		}),
		asking("test_elicitation_sep1330_enums", "Asks with enumerations of every form.", func(ctx context.Context, s tools.Session, _ none) (string, error) {
			return elicit(ctx, s, "Please select options from the enum fields", `{"type":"object","properties":{
				"untitledSingle":{"type":"string","description":"Select one option","enum":["option1","option2","option3"]},
				"titledSingle":{"type":"string","description":"Select one option with titles","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
				"legacyEnum":{"type":"string","description":"Select one option (legacy)","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
				"untitledMulti":{"type":"array","description":"Select multiple options","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
				"titledMulti":{"type":"array","description":"Select multiple options with titles","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},"required":[]}`)
		}),
	}
}

func elicit(ctx context.Context, s tools.Session, message, schema string) (string, error) {
	params, err := json.Marshal(map[string]any{"message": message, "requestedSchema": json.RawMessage(schema)})
	if err != nil {
		return "", err
	}
	answer, err := s.Elicit(ctx, params)
	if err != nil {
		return "", err
	}
	var a struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return "", err
	}
	if a.Content == nil {
		a.Content = json.RawMessage("{}")
	}
	return fmt.Sprintf("User response: action=%s, content=%s", a.Action, a.Content), nil
}

// sampledText takes the text out of a model's answer, which is one content
// block or a list of them.
func sampledText(answer json.RawMessage) string {
	type block struct {
		Text string `json:"text"`
	}
	var many struct {
		Content []block `json:"content"`
	}
	if json.Unmarshal(answer, &many) == nil && len(many.Content) > 0 {
		return many.Content[0].Text
	}
	var one struct {
		Content block `json:"content"`
	}
	if json.Unmarshal(answer, &one) == nil {
		return one.Content.Text
	}
	return ""
}
