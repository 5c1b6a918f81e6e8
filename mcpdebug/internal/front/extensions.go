package front

import (
	"slices"

	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// ExtensionUI is the protocol's extension for pages inside clients (MCP Apps).
const ExtensionUI = "io.modelcontextprotocol/ui"

// knows reports whether an extension may be used with the asking client: the
// server announces it, and the client said that it knows it, at initialize or,
// in the era without sessions, with each request.
func (a *asker) knows(e *envelope, extension string, announced []string) bool {
	if !slices.Contains(announced, extension) {
		return false
	}
	var capabilities []byte
	switch {
	case a.era.modern:
		capabilities = rawjson.Member(rawjson.Member(e.params, "_meta"), metaCapabilities)
	case a.session != nil:
		capabilities = rawjson.Member(a.session.init, "capabilities")
	}
	return rawjson.Member(rawjson.Member(capabilities, "extensions"), extension) != nil
}

// capabilitiesWith are the server's own, with the extensions it knows.
func capabilitiesWith(extensions []string) []byte {
	dst := []byte(`{"logging":{},"completions":{},"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true}`)
	for i, name := range extensions {
		if i == 0 {
			dst = append(dst, `,"extensions":{`...)
		} else {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendString(dst, name), ":{}"...)
	}
	if len(extensions) > 0 {
		dst = append(dst, '}')
	}
	return append(dst, '}')
}
