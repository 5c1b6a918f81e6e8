package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/discovery"
)

// Options configures a client. The zero value is the default.
type Options struct {
	// Name is what the game's log calls the client. Default "loupe-client".
	Name string
	// Token lets in where the game asks for one. Default: the environment
	// variable LOUPE_TOKEN.
	Token string
	// HTTP makes the requests. Default: a client without a proxy.
	HTTP *http.Client
}

// Client is a session with one game. Any goroutine may use it.
type Client struct {
	session *mcp.ClientSession
	url     string
}

// ConnectionError is what went wrong between the client and the game.
type ConnectionError struct {
	URL string
	Err error
}

func (e *ConnectionError) Error() string { return fmt.Sprintf("the game at %s: %v", e.URL, e.Err) }
func (e *ConnectionError) Unwrap() error { return e.Err }

// Connect begins a session with a game: at an address ("127.0.0.1:7100" or a
// URL), or one that is found on this machine by its app's name, its process
// number or, with "", by being the only one. A game that is not found is a
// *refusal.Error whose options are those that there are.
func Connect(ctx context.Context, where string, o *Options) (*Client, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Name == "" {
		c.Name = "loupe-client"
	}
	if c.Token == "" {
		c.Token = os.Getenv("LOUPE_TOKEN")
	}
	url, err := locate(where)
	if err != nil {
		return nil, err
	}
	base := http.RoundTripper(&http.Transport{DisableCompression: true})
	own := http.Client{}
	if c.HTTP != nil {
		own = *c.HTTP
		if own.Transport != nil {
			base = own.Transport
		}
	}
	own.Transport = withToken{base, c.Token}
	sdk := mcp.NewClient(&mcp.Implementation{Name: c.Name, Version: "1"}, nil)
	session, err := sdk.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &own, DisableStandaloneSSE: true, MaxRetries: -1}, nil)
	if err != nil {
		return nil, &ConnectionError{url, err}
	}
	return &Client{session: session, url: url}, nil
}

type withToken struct {
	http.RoundTripper
	token string
}

func (t withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+t.token)
	}
	return t.RoundTripper.RoundTrip(r)
}

// locate finds the address that is meant.
func locate(where string) (string, error) {
	if strings.Contains(where, "://") {
		return where, nil
	}
	if _, _, err := net.SplitHostPort(where); err == nil {
		return "http://" + where + "/mcp", nil
	}
	number, _ := strconv.Atoi(where)
	var found []discovery.Entry
	var names []string
	for _, e := range discovery.List() {
		names = append(names, e.App)
		if where == "" || strings.EqualFold(e.App, where) || number != 0 && (e.PID == number || e.Port() == number) {
			found = append(found, e)
		}
	}
	switch {
	case len(found) == 1:
		return found[0].URL, nil
	case len(found) > 1:
		e := &refusal.Error{Code: refusal.NoSession, Got: where, Message: fmt.Sprintf("%d games that run are meant: name one by its process number", len(found))}
		for _, f := range found {
			e.Options = append(e.Options, strconv.Itoa(f.PID))
		}
		return "", e
	}
	return "", &refusal.Error{Code: refusal.NoSession, Got: where, Message: fmt.Sprintf("no game %q runs on this machine", where),
		Options: refusal.Nearest(where, names), Total: len(names), Hint: "a game that is not announced is reached by its address"}
}

// URL is the game's address.
func (c *Client) URL() string { return c.url }

// Instructions are what the game tells its clients.
func (c *Client) Instructions() string {
	if r := c.session.InitializeResult(); r != nil {
		return r.Instructions
	}
	return ""
}

// Close ends the session.
func (c *Client) Close() error { return c.session.Close() }

// Answer is what a tool answered.
type Answer struct {
	JSON     json.RawMessage // the structured answer, an object; the text of a tool that has none
	Pictures []Picture
}

// Picture is an image in an answer.
type Picture struct {
	MIMEType string
	Data     []byte
}

// Call calls any tool by its name. arguments is what encodes as a JSON object,
// or nil. A refusal is a *refusal.Error.
func (c *Client) Call(ctx context.Context, tool string, arguments any) (*Answer, error) {
	if arguments == nil {
		arguments = struct{}{}
	}
	r, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, c.typed(err)
	}
	a := &Answer{}
	for _, content := range r.Content {
		switch content := content.(type) {
		case *mcp.TextContent:
			// The text of a success is its structured content, and exact: the
			// SDK has decoded the other into floats.
			if a.JSON == nil {
				a.JSON = json.RawMessage(content.Text)
			}
		case *mcp.ImageContent:
			a.Pictures = append(a.Pictures, Picture{content.MIMEType, content.Data})
		}
	}
	if r.IsError {
		return nil, refused(r, string(a.JSON))
	}
	return a, nil
}

// Into calls a tool and decodes its answer into out.
func (c *Client) Into(ctx context.Context, tool string, arguments, out any) error {
	a, err := c.Call(ctx, tool, arguments)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(a.JSON, out); err != nil {
		return &ConnectionError{c.url, fmt.Errorf("%s answers something else than expected: %w", tool, err)}
	}
	return nil
}

// refused is the typed error of an answer that is one.
func refused(r *mcp.CallToolResult, text string) error {
	var doc struct {
		Error *refusal.Error `json:"error"`
	}
	if b, err := json.Marshal(r.StructuredContent); err == nil && json.Unmarshal(b, &doc) == nil && doc.Error != nil && doc.Error.Code != "" {
		return doc.Error
	}
	return &refusal.Error{Code: refusal.Failed, Message: text}
}

// typed is the error of a call without an answer: an unknown tool is a refusal
// like any other.
func (c *Client) typed(err error) error {
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) {
		var data struct {
			Options []string       `json:"options"`
			Error   *refusal.Error `json:"error"`
		}
		_ = json.Unmarshal(rpc.Data, &data) // it may have none
		if data.Error != nil && data.Error.Code != "" {
			return data.Error
		}
		return &refusal.Error{Code: refusal.NotFound, Message: rpc.Message, Options: data.Options}
	}
	return &ConnectionError{c.url, err}
}

// Tool is a tool that the game lists.
type Tool struct {
	Name        string
	Description string
	ReadOnly    bool
}

// Tools lists the game's tools in its order.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	var all []Tool
	for t, err := range c.session.Tools(ctx, nil) {
		if err != nil {
			return all, c.typed(err)
		}
		all = append(all, Tool{t.Name, t.Description, t.Annotations != nil && t.Annotations.ReadOnlyHint})
	}
	return all, nil
}

// Help is what the game says of its tools, or of one ("" for all): JSON.
func (c *Client) Help(ctx context.Context, tool string) (json.RawMessage, error) {
	args := map[string]string{}
	if tool != "" {
		args["tool"] = tool
	}
	a, err := c.Call(ctx, "help", args)
	if err != nil {
		return nil, err
	}
	return a.JSON, nil
}

// Read reads a resource of the protocol, such as ecs://context.
func (c *Client) Read(ctx context.Context, uri string) ([]byte, error) {
	r, err := c.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return nil, c.typed(err)
	}
	var all []byte
	for _, part := range r.Contents {
		all = append(append(all, part.Text...), part.Blob...)
	}
	return all, nil
}
