package front

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// modern serves requests of the era without sessions: everything that a
// session would know comes with the request.
func (x *exchange) modern() {
	f, e := x.f, x.e
	x.era = f.modern
	if e.response || e.id == nil {
		x.w.w.WriteHeader(http.StatusAccepted)
		return
	}
	meta := rawjson.Member(e.params, "_meta")
	if failed := checkModern(x.r.Header, e, meta); failed != nil {
		x.send(nil, failed)
		return
	}
	f.stateless.seen()
	info := rawjson.Member(meta, metaClient)
	name, _ := rawjson.Text(rawjson.Member(info, "name"))
	version, _ := rawjson.Text(rawjson.Member(info, "version"))
	if x.client = "stateless"; name != "" {
		x.client = clip(name + "/" + version)
	}
	switch e.method {
	case "tools/call":
		x.callTool()
	case "resources/read":
		x.cancellable(func() { x.send(f.answer(x.buffer(), &x.asker, e)) })
	case "subscriptions/listen":
		f.listen(x)
	default:
		x.send(f.answer(x.buffer(), &x.asker, e))
	}
}

// checkModern holds the headers, which intermediaries route by, against the
// body, which is what is obeyed.
func checkModern(h http.Header, e *envelope, meta []byte) *rpcError {
	if meta == nil || !rawjson.IsObject(meta) {
		return rpcErrorf(codeParams, "missing or invalid _meta field %q", metaVersion)
	}
	version, ok := rawjson.Text(rawjson.Member(meta, metaVersion))
	switch {
	case !ok:
		return rpcErrorf(codeParams, "missing or invalid _meta field %q", metaVersion)
	case version != modernVersion:
		return rpcErrorf(codeHeader, "the header MCP-Protocol-Version %q does not match _meta %q", modernVersion, clip(version))
	}
	switch method := h.Get(headerMethod); {
	case method == "":
		return rpcErrorf(codeHeader, "the header Mcp-Method is missing")
	case method != e.method:
		return rpcErrorf(codeHeader, "the header Mcp-Method %q does not match the body's %q", clip(method), clip(e.method))
	}
	key := ""
	switch e.method {
	case "tools/call", "prompts/get":
		key = "name"
	case "resources/read":
		key = "uri"
	case "tasks/get", "tasks/update", "tasks/cancel":
		key = "taskId"
	}
	if key != "" {
		inBody, ok := rawjson.Text(rawjson.Member(e.params, key))
		if !ok {
			return rpcErrorf(codeParams, "%q is missing", key)
		}
		switch name := h.Get(headerName); {
		case name == "":
			return rpcErrorf(codeHeader, "the header Mcp-Name is missing")
		case name != inBody && decodeHeader(name) != inBody:
			return rpcErrorf(codeHeader, "the header Mcp-Name %q does not match the body's %q", clip(name), clip(inBody))
		}
	}
	if !rawjson.IsObject(rawjson.Member(meta, metaCapabilities)) {
		return rpcErrorf(codeParams, "missing or invalid _meta field %q", metaCapabilities)
	}
	if info := rawjson.Member(meta, metaClient); info != nil && !rawjson.IsObject(info) {
		return rpcErrorf(codeParams, "invalid _meta field %q", metaClient)
	}
	return nil
}

// decodeHeader undoes the protocol's wrapping of values that a header cannot
// carry as they are.
func decodeHeader(v string) string {
	inner, ok := strings.CutPrefix(v, "=?base64?")
	if !ok {
		return v
	}
	inner, ok = strings.CutSuffix(inner, "?=")
	b, err := base64.StdEncoding.DecodeString(inner)
	if !ok || err != nil {
		return v
	}
	return string(b)
}
