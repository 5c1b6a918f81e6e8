package front

import (
	"slices"

	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// Header names of the protocol, in net/http's canonical form so that reading
// them from a header map costs no conversion.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// modernVersion is the first version without sessions: every request carries
// its version, and results say how they are to be taken.
const modernVersion = "2026-07-28"

// The versions that are spoken, newest first.
var (
	sessionVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
	allVersions     = append([]string{modernVersion}, sessionVersions...)
)

// The keys that modern requests and results carry in _meta.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
	metaServer       = "io.modelcontextprotocol/serverInfo"
)

// negotiate picks the version of a session: what the client asks for if it is
// spoken, else the newest with sessions. initialize never leads to a modern
// one.
func negotiate(asked string) string {
	if slices.Contains(sessionVersions, asked) {
		return asked
	}
	return sessionVersions[0]
}

// era is what the answers of a protocol generation have in common.
type era struct {
	modern     bool
	serverInfo string // member of a modern result's _meta
}

// complete appends the mark of a final result.
func (e *era) complete(dst []byte) []byte {
	if e.modern {
		dst = append(dst, `,"resultType":"complete"`...)
	}
	return dst
}

// open begins a result: {"jsonrpc":...,"result":{ — with the members that a
// modern result has besides; close with "}}".
func (e *era) open(dst, id []byte, cacheable bool) []byte {
	dst = append(appendHead(dst, id), `,"result":{`...)
	if !e.modern {
		return dst
	}
	dst = append(dst, `"resultType":"complete","_meta":{`...)
	dst = append(append(dst, e.serverInfo...), "},"...)
	if cacheable {
		// A debug server's lists change under the client's eyes: never fresh.
		dst = append(dst, `"ttlMs":0,"cacheScope":"private",`...)
	}
	return dst
}

// closeResult ends what open began; a trailing comma of open goes.
func closeResult(dst []byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, "}}"...)
}

func appendInfo(dst []byte, name, version string) []byte {
	dst = rawjson.AppendString(append(dst, `{"name":`...), name)
	dst = rawjson.AppendString(append(dst, `,"version":`...), version)
	return append(dst, '}')
}

// ProtocolVersions returns the versions that are spoken, newest first.
func ProtocolVersions() []string { return slices.Clone(allVersions) }
