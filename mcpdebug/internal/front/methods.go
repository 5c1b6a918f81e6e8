package front

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/buildinfo"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// asker is who sends a request, and how its answer must look.
type asker struct {
	ctx     context.Context
	era     *era
	client  string
	session *session // nil: stateless or Dispatch
	query   url.Values
	inline  bool // Dispatch: on the frame goroutine
	ticket  uint64
}

// answer appends the whole answer of every request that is answered in one
// piece without the HTTP layer's help. tools/call is not among them.
func (f *Front) answer(dst []byte, a *asker, e *envelope) ([]byte, *rpcError) {
	switch e.method {
	case "tools/list":
		return f.listTools(dst, a, e)
	case "resources/list":
		return f.documents.listResources(dst, a, e, false)
	case "resources/templates/list":
		return f.documents.listResources(dst, a, e, true)
	case "resources/read":
		return f.documents.read(dst, a, e)
	case "prompts/list":
		return f.documents.listPrompts(dst, a, e)
	case "prompts/get":
		return f.documents.getPrompt(dst, a, e)
	case "completion/complete":
		return f.documents.complete(dst, a, e)
	case "tasks/get", "tasks/update", "tasks/cancel":
		if a.era.modern {
			return f.taskMethod(dst, a, e)
		}
	case "server/discover":
		if a.era.modern {
			return f.discover(dst, a, e)
		}
	case "ping":
		if !a.era.modern {
			return append(append(appendHead(dst, e.id), `,"result":{}`...), '}'), nil
		}
	case "initialize":
		if !a.era.modern {
			return f.initialize(dst, e), nil
		}
	case "logging/setLevel":
		if !a.era.modern {
			return f.setLevel(dst, a, e)
		}
	}
	return dst, f.unknownMethod(a, e.method)
}

var legacyMethods = []string{"initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/templates/list",
	"resources/read", "resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel"}

var modernMethods = []string{"server/discover", "tools/list", "tools/call", "resources/list", "resources/templates/list",
	"resources/read", "prompts/list", "prompts/get", "completion/complete", "subscriptions/listen",
	"tasks/get", "tasks/update", "tasks/cancel"}

func (f *Front) unknownMethod(a *asker, method string) *rpcError {
	known := legacyMethods
	if a.era.modern {
		known = modernMethods
	}
	e := rpcErrorf(codeNoMethod, "unknown method %q", clip(method))
	e.data = append(rawjson.AppendStrings([]byte(`{"options":`), refusal.Nearest(method, known)), '}')
	return e
}

func (f *Front) initialize(dst []byte, e *envelope) []byte {
	asked, _ := rawjson.Text(rawjson.Member(e.params, "protocolVersion"))
	dst = append(appendHead(dst, e.id), `,"result":{"protocolVersion":`...)
	dst = rawjson.AppendString(dst, negotiate(asked))
	dst = append(append(dst, `,"capabilities":`...), f.capabilities...)
	dst = appendInfo(append(dst, `,"serverInfo":`...), f.o.Name, f.o.Version)
	if f.o.Instructions != "" {
		dst = rawjson.AppendString(append(dst, `,"instructions":`...), f.o.Instructions)
	}
	// Who has the port, for the next process that wants it.
	dst = append(dst, `,"_meta":{"loupe":{"pid":`...)
	dst = rawjson.AppendString(append(rawjson.AppendInt(dst, os.Getpid()), `,"module":`...), buildinfo.Main())
	if f.o.App != nil {
		dst = rawjson.AppendString(append(dst, `,"app":`...), f.o.App())
	}
	return append(dst, "}}}}"...)
}

func (f *Front) discover(dst []byte, a *asker, e *envelope) ([]byte, *rpcError) {
	dst = append(a.era.open(dst, e.id, true), `"supportedVersions":`...)
	dst = append(append(rawjson.AppendStrings(dst, allVersions), `,"capabilities":`...), f.capabilities...)
	if f.o.Instructions != "" {
		dst = rawjson.AppendString(append(dst, `,"instructions":`...), f.o.Instructions)
	}
	return closeResult(dst), nil
}

func (f *Front) listTools(dst []byte, a *asker, e *envelope) ([]byte, *rpcError) {
	if failed := checkCursor(e); failed != nil {
		return dst, failed
	}
	full, pages := a.query.Get("schemas") == "full", a.knows(e, ExtensionUI, f.o.Extensions)
	listing := listing.Of(f.b.Registry())
	groups, failed := wantedGroups(a.query, listing)
	if failed != nil {
		return dst, failed
	}
	dst = append(a.era.open(dst, e.id, true), `"tools":[`...)
	n := 0
	for _, p := range f.listed() {
		if groups != nil && !slices.Contains(groups, p.Spec.Group) {
			continue
		}
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = append(dst, p.Entry(full, pages)...)
	}
	return closeResult(append(dst, ']')), nil
}

// listed is what tools/list shows, in order.
func (f *Front) listed() []*listing.Tool {
	l := listing.Of(f.b.Registry())
	if f.o.List == nil {
		return l.Listed()
	}
	return slices.DeleteFunc(slices.Clone(f.o.List(l)), func(p *listing.Tool) bool { return p.Spec.Unlisted })
}

// wantedGroups reads ?tools=world,session. Nil: all.
func wantedGroups(q url.Values, l *listing.Listing) ([]string, *rpcError) {
	asked := q.Get("tools")
	if asked == "" {
		return nil, nil
	}
	var known []string
	for _, p := range l.Tools {
		if !slices.Contains(known, p.Spec.Group) {
			known = append(known, p.Spec.Group)
		}
	}
	groups := strings.Split(asked, ",")
	for i, g := range groups {
		groups[i] = strings.TrimSpace(g)
		if !slices.Contains(known, groups[i]) {
			e := rpcErrorf(codeParams, "the URL asks for the tool group %q, which no tool is in", clip(groups[i]))
			e.data = append(rawjson.AppendStrings([]byte(`{"options":`), refusal.Nearest(groups[i], known)), '}')
			return nil, e
		}
	}
	return groups, nil
}

// checkCursor tolerates any cursor, also a stale one: lists come in one page.
func checkCursor(e *envelope) *rpcError {
	if c := rawjson.Member(e.params, "cursor"); c != nil && !rawjson.IsNull(c) {
		if _, ok := rawjson.Text(c); !ok {
			return rpcErrorf(codeParams, `"cursor" must be a string`)
		}
	}
	return nil
}

func (f *Front) setLevel(dst []byte, a *asker, e *envelope) ([]byte, *rpcError) {
	name, _ := rawjson.Text(rawjson.Member(e.params, "level"))
	level, ok := parseLevel(name)
	if !ok {
		return dst, rpcErrorf(codeParams, `"level" must be one of %s, got %q`, strings.Join(levelNames, ", "), clip(name))
	}
	if a.session != nil {
		a.session.level.Store(int64(level))
		a.session.leveled.Store(true)
	}
	return append(appendHead(dst, e.id), `,"result":{}}`...), nil
}

// errorObject encodes a refusal as the "error" object of the wire contract.
func errorObject(err error) json.RawMessage {
	e, ok := err.(*refusal.Error)
	if !ok {
		e = &refusal.Error{Code: refusal.InvalidArguments, Message: err.Error()}
	}
	b, err := json.Marshal(e)
	if err != nil {
		b, _ = json.Marshal(&refusal.Error{Code: e.Code, Message: e.Message, Options: e.Options, Hint: e.Hint})
	}
	return b
}

// clip keeps what a client sent from filling an answer or a log line.
func clip(s string) string {
	if len(s) > 100 {
		return strings.ToValidUTF8(s[:100], "") + "..."
	}
	return s
}
