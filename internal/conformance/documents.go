package conformance

import (
	"encoding/json"

	"github.com/loupe-ecs/loupe/tools"
)

// Watched is the URI of the resource that changes all the time: report it with
// Registry.ResourceUpdated.
const Watched = "test://watched-resource"

func registerDocuments(reg *tools.Registry) {
	fixed := func(c tools.ResourceContents) func(*tools.Call, tools.ResourceRequest) ([]tools.ResourceContents, error) {
		return func(*tools.Call, tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return []tools.ResourceContents{c}, nil
		}
	}
	must(reg.RegisterResource(
		&tools.Resource{URI: "test://static-text", Name: "static-text", Description: "A text.", MIMEType: "text/plain",
			Read: fixed(tools.ResourceContents{Text: "This is the content of the static text resource."})},
		&tools.Resource{URI: "test://static-binary", Name: "static-binary", Description: "An image.", MIMEType: "image/png",
			Read: fixed(tools.ResourceContents{Blob: pixel})},
		&tools.Resource{URI: "test://template/{id}/data", Name: "template", Description: "A document for each id, read on the frame.", MIMEType: "application/json",
			Live: tools.New(tools.Spec{Name: "template_data", Description: "Answers the document of an id.", Effect: tools.ReadOnly, WhenCrashed: true},
				func(_ *tools.Frame, in struct {
					ID string `json:"id" jsonschema:"which document"`
				}) (json.RawMessage, error) {
					return json.Marshal(map[string]any{"id": in.ID, "templateTest": true, "data": "Data for ID: " + in.ID})
				})},
		&tools.Resource{URI: Watched, Name: "watched-resource", Description: "A text that changes all the time.", MIMEType: "text/plain",
			Read: fixed(tools.ResourceContents{Text: "Watched resource content"})},
	))
	complete := func(*tools.Call, string, map[string]string) []string { return []string{} }
	must(reg.RegisterPrompt(
		&tools.Prompt{Name: "test_simple_prompt", Title: "Simple Test Prompt", Description: "A prompt without arguments.",
			Get: func(*tools.Call, map[string]string) ([]tools.PromptMessage, error) {
				return []tools.PromptMessage{tools.UserText("This is a simple prompt for testing.")}, nil
			}},
		&tools.Prompt{Name: "test_prompt_with_arguments", Title: "Prompt With Arguments", Description: "A prompt with two arguments.",
			Arguments: []tools.PromptArgument{{Name: "arg1", Description: "First test argument", Required: true, Complete: complete}, {Name: "arg2", Description: "Second test argument", Required: true}},
			Get: func(_ *tools.Call, args map[string]string) ([]tools.PromptMessage, error) {
				return []tools.PromptMessage{tools.UserText("Prompt with arguments: arg1='" + args["arg1"] + "', arg2='" + args["arg2"] + "'")}, nil
			}},
		&tools.Prompt{Name: "test_prompt_with_embedded_resource", Title: "Prompt With Embedded Resource", Description: "A prompt with a resource in it.",
			Arguments: []tools.PromptArgument{{Name: "resourceUri", Description: "URI of the resource to embed", Required: true}},
			Get: func(_ *tools.Call, args map[string]string) ([]tools.PromptMessage, error) {
				return []tools.PromptMessage{
					{Role: "user", Content: tools.Content{Type: "resource", URI: args["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}},
					tools.UserText("Please process the embedded resource above."),
				}, nil
			}},
		&tools.Prompt{Name: "test_prompt_with_image", Title: "Prompt With Image", Description: "A prompt with an image in it.",
			Get: func(*tools.Call, map[string]string) ([]tools.PromptMessage, error) {
				return []tools.PromptMessage{
					{Role: "user", Content: tools.Content{Type: "image", Data: pixel, MIMEType: "image/png"}},
					tools.UserText("Please analyze the image above."),
				}, nil
			}},
	))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
