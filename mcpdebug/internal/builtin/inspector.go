package builtin

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/inspector"
	"github.com/loupe-ecs/loupe/tools"
)

func inspectorTools(h filesHost) []*tools.Tool {
	return []*tools.Tool{tools.NewOff(tools.Spec{
		Name: "inspector", Group: "session", Effect: tools.ReadOnly, Idempotent: true, Page: inspector.URI,
		Description: "The address of a page for people, opened on what you name.",
		Example:     `{"view":"world","entity":"42v3"}`,
	}, func(_ *tools.Call, in inspectorArgs) (inspectorResult, error) {
		return inspectorPage(h.Limits().Address, in), nil
	})}
}

type inspectorArgs struct {
	View   string `json:"view,omitempty" jsonschema:"panel to open" debug:"enum=overview|world|time|systems|picture|log|console"`
	Entity string `json:"entity,omitempty" jsonschema:"entity to show"`
	Where  string `json:"where,omitempty" jsonschema:"as in query"`
	Tick   *int64 `json:"tick,omitempty" jsonschema:"recorded tick"`
}

type inspectorResult struct {
	URL  string        `json:"url,omitempty" jsonschema:"where a browser on this machine finds the page; with a token, add #token=TOKEN"`
	Open inspectorArgs `json:"open" jsonschema:"what the page opens on"`
	Hint string        `json:"hint,omitempty" jsonschema:"why there is no address"`
}

func inspectorPage(address string, in inspectorArgs) inspectorResult {
	r := inspectorResult{Open: in}
	if address == "" {
		r.Hint = "this server is mounted in the host's own HTTP server and has no page of its own address; clients that show MCP Apps show it"
		return r
	}
	q := url.Values{}
	for k, v := range map[string]string{"view": in.View, "entity": in.Entity, "where": in.Where} {
		if v != "" {
			q.Set(k, v)
		}
	}
	if in.Where != "" && in.View == "" {
		q.Set("view", "world")
	}
	if in.Tick != nil {
		q.Set("tick", strconv.FormatInt(*in.Tick, 10))
	}
	r.URL = strings.TrimSuffix(address, "mcp")
	if len(q) > 0 {
		r.URL += "?" + q.Encode()
	}
	return r
}

// inspectorResource is the page as a document, for clients that show pages.
func inspectorResource() *tools.Resource {
	return &tools.Resource{URI: inspector.URI, Name: "inspector", MIMEType: inspector.MIMEType,
		Description: "The page for people.",
		Read: func(*tools.Call, tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return []tools.ResourceContents{{Text: inspector.Document()}}, nil
		}}
}
