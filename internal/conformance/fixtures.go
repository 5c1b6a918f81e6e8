package conformance

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// The smallest files of their kinds: a red pixel and silence.
var (
	pixel   = decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	silence = decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
)

func decode(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// Register adds every fixture to reg. Any goroutine, once.
func Register(reg *tools.Registry) {
	reg.MustRegister(contentTools()...)
	reg.MustRegister(interactiveTools()...)
	registerDocuments(reg)
}

type none struct{}

func bare(content ...tools.Content) *tools.Result {
	return &tools.Result{Bare: true, Content: content}
}

func text(s string) tools.Content { return tools.Content{Type: "text", Text: s} }

// onFrame makes a tool that answers fixed content on the frame goroutine.
func onFrame(name, description string, content ...tools.Content) *tools.Tool {
	return tools.New(tools.Spec{Name: name, Description: description, Group: "conformance", Effect: tools.ReadOnly, WhenCrashed: true},
		func(*tools.Frame, none) (*tools.Result, error) { return bare(content...), nil })
}

func contentTools() []*tools.Tool {
	resource := func(uri, s string) tools.Content {
		return tools.Content{Type: "resource", URI: uri, MIMEType: "text/plain", Text: s}
	}
	image := tools.Content{Type: "image", Data: pixel, MIMEType: "image/png"}
	return []*tools.Tool{
		onFrame("test_simple_text", "Answers one text.", text("This is a simple text response for testing.")),
		onFrame("test_image_content", "Answers one image.", image),
		onFrame("test_audio_content", "Answers one sound.", tools.Content{Type: "audio", Data: silence, MIMEType: "audio/wav"}),
		onFrame("test_embedded_resource", "Answers one resource.", resource("test://embedded-resource", "This is an embedded resource content.")),
		onFrame("test_multiple_content_types", "Answers a text, an image and a resource.", text("Multiple content types test:"), image,
			tools.Content{Type: "resource", URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`}),
		tools.New(tools.Spec{Name: "test_error_handling", Description: "Always fails.", Group: "conformance", Effect: tools.ReadOnly},
			func(*tools.Frame, none) (*tools.Result, error) {
				return nil, &refusal.Error{Code: refusal.NotSupported, Message: "This tool intentionally returns an error for testing"}
			}),
		tools.NewOff(tools.Spec{Name: "test_tool_with_logging", Description: "Logs while it runs.", Group: "conformance", Effect: tools.ReadOnly},
			func(c *tools.Call, _ none) (*tools.Result, error) {
				for _, s := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
					c.Notify(slog.LevelInfo, "conformance", s)
				}
				return bare(text("Tool with logging executed successfully")), nil
			}),
		tools.NewOff(tools.Spec{Name: "test_tool_that_lasts", Description: "Counts to ten, a tenth of a second each, or until it is stopped.", Group: "conformance", Effect: tools.ReadOnly, Lasts: tools.Lasts},
			countToTen),
		tools.NewOff(tools.Spec{Name: "test_tool_with_progress", Description: "Reports progress while it runs.", Group: "conformance", Effect: tools.ReadOnly},
			func(c *tools.Call, _ none) (*tools.Result, error) {
				for _, done := range []float64{0, 50, 100} {
					c.Progress(done, 100, "at work")
				}
				return bare(text("Tool with progress executed successfully")), nil
			}),
		{
			Spec:        tools.Spec{Name: "json_schema_2020_12_tool", Description: "Has a schema of the 2020-12 dialect.", Group: "conformance", Effect: tools.ReadOnly},
			InputSchema: dialectSchema(),
			Handler: tools.HandlerFunc(func(_ *tools.Frame, args json.RawMessage) (any, error) {
				return bare(text("called with: " + string(args))), nil
			}),
		},
	}
}

func dialectSchema() *tools.Schema {
	var s tools.Schema
	err := json.Unmarshal([]byte(`{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"type": "object",
		"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
		"properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}, "contactMethod": {"type": "string", "enum": ["phone", "email"]},
			"phone": {"type": "string"}, "email": {"type": "string"}},
		"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
		"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
		"then": {"required": ["phone"]},
		"else": {"required": ["email"]},
		"additionalProperties": false
	}`), &s)
	if err != nil {
		panic(err)
	}
	return &s
}

// counted is how far a tool that lasts has come.
type counted struct {
	Counted int    `json:"counted" jsonschema:"how far"`
	Hint    string `json:"hint,omitempty" jsonschema:"why no further"`
}

func countToTen(c *tools.Call, _ struct{}) (r counted, err error) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for r.Counted < 10 {
		select {
		case <-tick.C:
		case <-c.Context.Done():
			return r, c.Context.Err()
		}
		if c.Stopped() {
			r.Hint = fmt.Sprintf("stopped at %d", r.Counted)
			return r, nil
		}
		r.Counted++
		c.Progress(float64(r.Counted), 10, "tenths")
	}
	return r, nil
}
