package conformance_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loupe-ecs/loupe/internal/conformance"
)

// start serves the fixtures until the test ends.
func start(t testing.TB) (url string) {
	ctx, cancel := context.WithCancel(context.Background())
	urls, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- conformance.Run(ctx, "127.0.0.1:0", func(url string) { urls <- url }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	select {
	case url = <-urls:
	case err := <-done:
		t.Fatal(err)
	}
	return url
}

// The suite itself needs Node; what it looks at first is held here.
func TestFixturesThroughTheOfficialClient(t *testing.T) {
	url := start(t)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"username": "ann", "email": "a@b.example", "name": "Ann"}}, nil
			},
		})
		s, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"test_simple_text":    "This is a simple text response for testing.",
			"test_error_handling": "This tool intentionally returns an error for testing",
			"test_elicitation":    `User response: action=accept, content={"email":"a@b.example","name":"Ann","username":"ann"}`,
		} {
			args := map[string]any{}
			if name == "test_elicitation" {
				args["message"] = "who?"
			}
			r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
			if err != nil {
				t.Errorf("%s %s: %v", version, name, err)
				continue
			}
			if got := r.Content[0].(*mcp.TextContent).Text; got != want {
				t.Errorf("%s %s: %q, want %q", version, name, got, want)
			}
			if r.IsError != (name == "test_error_handling") {
				t.Errorf("%s %s: isError %v", version, name, r.IsError)
			}
		}
		doc, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://template/7/data"})
		if err != nil || !strings.Contains(doc.Contents[0].Text, `"data":"Data for ID: 7"`) {
			t.Errorf("%s: a document read on the frame: %v %v", version, doc, err)
		}
		s.Close()
	}
}

func ExampleRun() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := conformance.Run(ctx, "127.0.0.1:0", func(url string) {
		fmt.Println("listening:", strings.HasPrefix(url, "http://127.0.0.1:"))
		cancel()
	})
	fmt.Println(err)
	// Output:
	// listening: true
	// <nil>
}
