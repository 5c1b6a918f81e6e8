package front

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/rawjson"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/tools"
)

// documents answers what is asked of resources and prompts.
type documents struct{ b Backend }

func (d documents) listResources(dst []byte, a *asker, e *envelope, templates bool) ([]byte, *rpcError) {
	if failed := checkCursor(e); failed != nil {
		return dst, failed
	}
	list, uri := `"resources":[`, `{"uri":`
	if templates {
		list, uri = `"resourceTemplates":[`, `{"uriTemplate":`
	}
	dst = append(a.era.open(dst, e.id, true), list...)
	n := 0
	for _, p := range d.b.Registry().Resources() {
		if p.Unlisted || p.Template != templates {
			continue
		}
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendString(append(dst, uri...), p.URI)
		dst = rawjson.AppendString(append(dst, `,"name":`...), p.Name)
		dst = appendOptional(dst, "title", p.Title)
		dst = appendOptional(dst, "description", p.Description)
		dst = append(appendOptional(dst, "mimeType", p.MIMEType), '}')
	}
	return closeResult(append(dst, ']')), nil
}

// uris are the URIs and templates of a registry's resources.
func uris(r *tools.Registry) (list []string) {
	for _, p := range r.Resources() {
		list = append(list, p.URI)
	}
	return list
}

func appendOptional(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return rawjson.AppendString(dst, value)
}

func (d documents) read(dst []byte, a *asker, e *envelope) ([]byte, *rpcError) {
	uri, ok := rawjson.Text(rawjson.Member(e.params, "uri"))
	if !ok {
		return dst, rpcErrorf(codeParams, `"uri" is missing: resources/list and resources/templates/list name them`)
	}
	docs := d.b.Registry()
	p, vars, ok := docs.Resource(uri)
	if !ok {
		known := uris(docs)
		return dst, refusedError(&refusal.Error{Code: refusal.NotFound, Message: "no resource " + clip(uri), Got: clip(uri),
			Options: refusal.Nearest(uri, known), Total: len(known)})
	}
	var contents []tools.ResourceContents
	if p.Tool != nil {
		var failed *rpcError
		if contents, failed = d.readLive(a, p, vars); failed != nil {
			return dst, failed
		}
	} else {
		err := d.guarded("resource "+p.URI, func() (err error) {
			contents, err = p.Read(d.call(a), tools.ResourceRequest{URI: uri, Vars: vars})
			return err
		})
		if err != nil {
			return dst, refusedError(err)
		}
	}
	dst = append(a.era.open(dst, e.id, true), `"contents":[`...)
	for i, c := range contents {
		if i > 0 {
			dst = append(dst, ',')
		}
		if c.URI == "" {
			c.URI = uri
		}
		if c.MIMEType == "" {
			c.MIMEType = p.MIMEType
		}
		switch {
		case c.MIMEType != "":
		case c.Blob != nil:
			c.MIMEType = "application/octet-stream"
		default:
			c.MIMEType = "text/plain"
		}
		dst = appendResource(dst, c.URI, c.MIMEType, c.Text, c.Blob)
	}
	return closeResult(append(dst, ']')), nil
}

// readLive has the world read on the frame, as a call of the resource's tool.
func (d documents) readLive(a *asker, p *tools.RegisteredResource, vars map[string]string) ([]tools.ResourceContents, *rpcError) {
	args := []byte{'{'}
	for _, name := range p.Variables() {
		if len(args) > 1 {
			args = append(args, ',')
		}
		args = rawjson.AppendString(append(rawjson.AppendString(args, name), ':'), vars[name])
	}
	c := &loop.Arrival{Request: tools.Request{Name: p.Tool.Spec.Name, Arguments: append(args, '}'), Client: a.client}, Ticket: a.ticket, Tool: &listing.Tool{Registered: p.Tool}}
	var r *tools.Reply
	if a.inline {
		r = d.b.CallInline(c)
	} else {
		r = d.b.Call(a.ctx, c)
	}
	switch {
	case r.RPC != nil:
		return nil, &rpcError{r.RPC.Code, r.RPC.Message, r.RPC.Data}
	case r.Err != nil:
		e := refusedError(r.Err)
		e.message = r.Text
		return nil, e
	case r.IsError:
		return nil, rpcErrorf(codeServer, "%s", r.Text)
	case r.Structured != nil:
		mime := p.MIMEType
		if mime == "" {
			mime = "application/json"
		}
		return []tools.ResourceContents{{MIMEType: mime, Text: string(r.Structured)}}, nil
	}
	var contents []tools.ResourceContents
	for _, c := range r.Content {
		contents = append(contents, tools.ResourceContents{MIMEType: c.MIMEType, Text: c.Text, Blob: c.Data})
	}
	if contents == nil {
		contents = []tools.ResourceContents{{Text: r.Text}}
	}
	return contents, nil
}

func resourceCode(c refusal.Code) int {
	switch c {
	case refusal.NotFound, refusal.UnknownEntity, refusal.UnknownComponent, refusal.EntityDead:
		return codeNotFound
	}
	return codeServer
}

// refusedError makes a JSON-RPC error of a typed one.
func refusedError(err error) *rpcError {
	var typed *refusal.Error
	code := refusal.InvalidArguments
	if errors.As(err, &typed) {
		code = typed.Code
		err = typed
	}
	e := &rpcError{code: resourceCode(code), message: err.Error()}
	e.data = append(append([]byte(`{"error":`), errorObject(err)...), '}')
	return e
}

func (d documents) listPrompts(dst []byte, a *asker, e *envelope) ([]byte, *rpcError) {
	if failed := checkCursor(e); failed != nil {
		return dst, failed
	}
	dst = append(a.era.open(dst, e.id, true), `"prompts":[`...)
	for i, p := range d.b.Registry().Prompts() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendString(append(dst, `{"name":`...), p.Name)
		dst = appendOptional(dst, "title", p.Title)
		dst = appendOptional(dst, "description", p.Description)
		if len(p.Arguments) > 0 {
			dst = append(dst, `,"arguments":[`...)
			for k, arg := range p.Arguments {
				if k > 0 {
					dst = append(dst, ',')
				}
				dst = rawjson.AppendString(append(dst, `{"name":`...), arg.Name)
				dst = appendOptional(dst, "description", arg.Description)
				dst = fmt.Appendf(dst, `,"required":%t}`, arg.Required)
			}
			dst = append(dst, ']')
		}
		dst = append(dst, '}')
	}
	return closeResult(append(dst, ']')), nil
}

func (d documents) getPrompt(dst []byte, a *asker, e *envelope) ([]byte, *rpcError) {
	name, ok := rawjson.Text(rawjson.Member(e.params, "name"))
	if !ok {
		return dst, rpcErrorf(codeParams, `"name" is missing: prompts/list names them`)
	}
	p, err := d.b.Registry().Prompt(name)
	if err != nil {
		failed := refusedError(err)
		failed.code = codeParams
		return dst, failed
	}
	args, failed := stringMap(rawjson.Member(e.params, "arguments"), "arguments")
	if failed != nil {
		return dst, failed
	}
	for _, arg := range p.Arguments {
		if _, given := args[arg.Name]; arg.Required && !given {
			return dst, rpcErrorf(codeParams, "prompt %s: missing argument %q: %s", p.Name, arg.Name, arg.Description)
		}
	}
	var messages []tools.PromptMessage
	err = d.guarded("prompt "+p.Name, func() (err error) {
		messages, err = p.Get(d.call(a), args)
		return err
	})
	if err != nil {
		failed := refusedError(err)
		failed.code = codeParams
		return dst, failed
	}
	dst = append(a.era.open(dst, e.id, false), `"messages":[`...)
	for i := range messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		role := messages[i].Role
		if role == "" {
			role = "user"
		}
		dst = rawjson.AppendString(append(dst, `{"role":`...), role)
		dst = append(appendContent(append(dst, `,"content":`...), &messages[i].Content), '}')
	}
	dst = appendOptional(append(dst, ']'), "description", p.Description)
	return closeResult(dst), nil
}

func stringMap(raw []byte, what string) (map[string]string, *rpcError) {
	m := map[string]string{}
	if raw == nil || rawjson.IsNull(raw) {
		return m, nil
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, rpcErrorf(codeParams, "%q must be an object of strings", what)
	}
	return m, nil
}

// complete answers completion/complete for prompts and resource templates.
func (d documents) complete(dst []byte, a *asker, e *envelope) ([]byte, *rpcError) {
	ref, arg := rawjson.Member(e.params, "ref"), rawjson.Member(e.params, "argument")
	kind, _ := rawjson.Text(rawjson.Member(ref, "type"))
	name, ok := rawjson.Text(rawjson.Member(arg, "name"))
	prefix, _ := rawjson.Text(rawjson.Member(arg, "value"))
	if !ok || name == "" {
		return dst, rpcErrorf(codeParams, `"argument" needs a name and a value`)
	}
	others, failed := stringMap(rawjson.Member(rawjson.Member(e.params, "context"), "arguments"), "context.arguments")
	if failed != nil {
		return dst, failed
	}
	docs := d.b.Registry()
	var values []string
	var err error
	switch kind {
	case "ref/prompt":
		prompt, _ := rawjson.Text(rawjson.Member(ref, "name"))
		p, notFound := docs.Prompt(prompt)
		if notFound != nil {
			failed := refusedError(notFound)
			failed.code = codeParams
			return dst, failed
		}
		for _, pa := range p.Arguments {
			if pa.Name == name && pa.Complete != nil {
				err = d.guarded("completion of "+p.Name, func() error { values = pa.Complete(d.call(a), prefix, others); return nil })
			}
		}
	case "ref/resource":
		uri, _ := rawjson.Text(rawjson.Member(ref, "uri"))
		for _, p := range docs.Resources() {
			if p.URI == uri && p.Complete != nil {
				err = d.guarded("completion of "+p.URI, func() error { values = p.Complete(d.call(a), name, prefix); return nil })
			}
		}
	default:
		return dst, rpcErrorf(codeParams, `"ref" needs the type ref/prompt or ref/resource, got %q`, clip(kind))
	}
	if err != nil {
		return dst, refusedError(err)
	}
	total := len(values)
	if total > maxCompletions {
		values = values[:maxCompletions]
	}
	dst = append(a.era.open(dst, e.id, false), `"completion":{"values":`...)
	dst = rawjson.AppendInt(append(rawjson.AppendStrings(dst, values), `,"total":`...), total)
	dst = fmt.Appendf(dst, `,"hasMore":%t}`, total > maxCompletions)
	return closeResult(dst), nil
}

// call is the context for functions of resources and prompts.
func (d documents) call(a *asker) *tools.Call {
	return &tools.Call{Context: a.ctx, Request: tools.Request{Client: a.client}, Catalog: d.b.Catalog(),
		FrameNo: d.b.Status().Frame, Registry: d.b.Registry(), Log: d.b.Logger()}
}

// guarded runs a function of the host; a panic becomes an error.
func (d documents) guarded(what string, run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			d.b.Logger().Error("panic", "in", what, "panic", p, "stack", string(debug.Stack()))
			err = &refusal.Error{Code: refusal.Panicked, Message: fmt.Sprintf("%s panicked: %v", what, p)}
		}
	}()
	return run()
}

// maxCompletions is the protocol's limit for one answer.
const maxCompletions = 100
