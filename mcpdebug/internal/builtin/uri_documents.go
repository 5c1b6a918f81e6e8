package builtin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/sandbox"
	"github.com/loupe-ecs/loupe/tools"
)

// documentHost is what the documents need of the server.
type documentHost interface {
	offerHost
	Components() *ComponentTools
	freshHost
	Logs(LogQuery) (page logbuf.Page, path string)
	SandboxOptions() sandbox.Options
	// SampleEntities are some living entities, a few of each archetype,
	// gathered with the Catalog: for completions.
	SampleEntities() []ecs.Entity
}

// Resources returns the documents that every server offers under scheme
// ("ecs" by default): descriptions of components, the world, the log, the
// crash and the tool reference. ecs://entity/{id} alone touches the world; it
// runs as a call.
func Resources(h documentHost, scheme string) []*tools.Resource {
	if scheme == "" {
		scheme = "ecs"
	}
	uri := func(path string) string { return scheme + "://" + path }
	const asJSON = "application/json"
	// A document shows what a tool would show: who may not call the tool does
	// not get the document either.
	var docs []*tools.Resource
	add := func(tool string, r *tools.Resource) {
		if h.Offers(tool) {
			docs = append(docs, r)
		}
	}
	add("describe", &tools.Resource{URI: uri("context"), Name: "context", MIMEType: asJSON,
		Description: "Every component that lives in the world, described in one document.",
		Read: func(c *tools.Call, _ tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return contextContents(h, c, false)
		}})
	add("describe", &tools.Resource{URI: uri("context/all"), Name: "context-all", MIMEType: asJSON,
		Description: "Every component type the world knows, whether an entity has it or not.",
		Read: func(c *tools.Call, _ tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return contextContents(h, c, true)
		}})
	add("stats", &tools.Resource{URI: uri("world"), Name: "world", MIMEType: asJSON,
		Description: "Entity counts, memory, archetypes and types of the world, as of the last catalog.",
		Read: func(c *tools.Call, _ tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return worldContents(h, c)
		}})
	add("get_logs", &tools.Resource{URI: uri("log"), Name: "log", MIMEType: "text/plain",
		Description: "The last log lines. Subscribers hear at most once a second that there are more.",
		Read: func(*tools.Call, tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return logContents(h), nil
		}})
	add("crash_report", &tools.Resource{URI: uri("crash"), Name: "crash", MIMEType: asJSON,
		Description: "What is known of the crash the game is in, and of an earlier process's end.",
		Read: func(c *tools.Call, _ tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return runOff(h, c, "crash_report", struct{}{})
		}})
	add("watch_list", &tools.Resource{URI: uri("watch/{id}"), Name: "watch", MIMEType: asJSON,
		Description: "A watch and what it saw. Subscribers hear of its hits.",
		Read: func(c *tools.Call, r tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return runOff(h, c, "watch_list", map[string]string{"id": r.Vars["id"]})
		}})
	add("help", &tools.Resource{URI: uri("tools"), Name: "tools", MIMEType: "text/markdown",
		Description: "The reference of every tool, generated from the registry.",
		Read: func(*tools.Call, tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return []tools.ResourceContents{{Text: string(Reference(offered(h)))}}, nil
		}})
	add("inspector", inspectorResource())
	add("run_lua", &tools.Resource{URI: uri("lua"), Name: "lua", MIMEType: "text/markdown",
		Description: "The manual of run_lua: what scripts can use, with examples and limits.",
		Read: func(*tools.Call, tools.ResourceRequest) ([]tools.ResourceContents, error) {
			return []tools.ResourceContents{{Text: sandbox.Manual(h.SandboxOptions())}}, nil
		}})
	add("describe", &tools.Resource{URI: uri("component/{name}"), Name: "component", MIMEType: asJSON,
		Description: "The description document of one component: properties with type, unit, range and labels, actions, tools, identity.",
		Complete:    completeComponents(h), Read: func(c *tools.Call, r tools.ResourceRequest) ([]tools.ResourceContents, error) {
			comp, err := findComponent(h, c, r.Vars["name"])
			if err != nil {
				return nil, err
			}
			return jsonContents(document(comp, h.Components()))
		}})
	add("describe", &tools.Resource{URI: uri("context/{name}"), Name: "context-of", MIMEType: asJSON,
		Description: "The context document of one component.",
		Complete:    completeComponents(h), Read: func(c *tools.Call, r tools.ResourceRequest) ([]tools.ResourceContents, error) {
			comp, err := findComponent(h, c, r.Vars["name"])
			if err != nil {
				return nil, err
			}
			return jsonContents(contextDocument{Components: map[string]Document{comp.Name: document(comp, h.Components())}})
		}})
	add("info", &tools.Resource{URI: uri("entity/{id}"), Name: "entity", MIMEType: asJSON,
		Description: "One entity with all its components, read live. Subscribers hear of changes that clients' calls make to it; what the game itself changes is not watched.",
		Complete:    completeEntities(h), Live: entityTool(), Check: checkEntityURI})
	return docs
}

func contextContents(h documentHost, c *tools.Call, all bool) ([]tools.ResourceContents, error) {
	cat := h.Fresh(c).Catalog
	if cat == nil {
		return nil, entities.NoWorld()
	}
	return jsonContents(contextOf(cat, h.Components(), all))
}

func findComponent(h documentHost, c *tools.Call, name string) (*ecs.Component, error) {
	cat := h.Fresh(c).Catalog
	if cat == nil {
		return nil, entities.NoWorld()
	}
	return cat.Component(name)
}

func jsonContents(v any) ([]tools.ResourceContents, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return []tools.ResourceContents{{Text: string(b)}}, nil
}

// worldDocument is the Catalog as a document.
type worldDocument struct {
	Frame       uint64             `json:"frame"`
	Engine      string             `json:"engine"`
	Entities    ecs.EntityCounts   `json:"entities"`
	MemoryBytes int64              `json:"memoryBytes"`
	Locked      bool               `json:"locked"`
	Components  map[string]int     `json:"components"` // entities by name
	Resources   map[string]bool    `json:"resources"`  // present by name
	Archetypes  []archetypeSummary `json:"archetypes"`
}

type archetypeSummary struct {
	Components []string `json:"components"`
	Entities   int      `json:"entities"`
}

func worldContents(h documentHost, c *tools.Call) ([]tools.ResourceContents, error) {
	v := h.Fresh(c)
	cat, frame := v.Catalog, v.Frame
	if cat == nil {
		return nil, entities.NoWorld()
	}
	d := worldDocument{Frame: frame, Engine: cat.Engine.Name, Entities: cat.Entities, MemoryBytes: cat.MemoryBytes, Locked: cat.Locked,
		Components: map[string]int{}, Resources: map[string]bool{}, Archetypes: []archetypeSummary{}}
	for _, comp := range cat.Components {
		d.Components[comp.Name] = comp.Entities
	}
	for _, r := range cat.Resources {
		d.Resources[r.Name] = r.Present
	}
	for _, a := range cat.Archetypes {
		if a.Entities > 0 {
			d.Archetypes = append(d.Archetypes, archetypeSummary{Components: entities.Names(cat, a.Components), Entities: a.Entities})
		}
	}
	return jsonContents(d)
}

func logContents(h documentHost) []tools.ResourceContents {
	page, _ := h.Logs(LogQuery{Tail: true, Level: -100, Limit: 500, MaxBytes: 256 << 10})
	var b strings.Builder
	for _, l := range logLines(page.Lines) {
		fmt.Fprintf(&b, "%s %s %s", l.Time, l.Level, l.Msg)
		if len(l.Attrs) > 0 {
			fmt.Fprintf(&b, " %s", l.Attrs)
		}
		b.WriteByte('\n')
	}
	return []tools.ResourceContents{{Text: b.String()}}
}

// runOff answers a resource with what a registered off-frame tool answers.
func runOff(h documentHost, c *tools.Call, name string, arguments any) ([]tools.ResourceContents, error) {
	p, ok := listing.Of(h.Registry()).Lookup(name)
	if !ok {
		return nil, &refusal.Error{Code: refusal.NotFound, Message: "the tool " + name + " has been removed by the host"}
	}
	args, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	job, err := p.Handler.Prepare(c, args)
	if err != nil {
		return nil, err
	}
	r, err := job.Finish(c)
	if err != nil {
		return nil, err
	}
	return []tools.ResourceContents{{Text: string(r.Structured)}}, nil
}

// entityTool reads an entity for ecs://entity/{id}: info under the template's
// variable.
func entityTool() *tools.Tool {
	return &tools.Tool{
		Spec: tools.Spec{Name: "read_entity", Group: "world", Effect: tools.ReadOnly, NeedsWorld: true,
			Description: "Reads the entity behind the resource ecs://entity/{id}."},
		Handler: entityReader{},
	}
}

// checkEntityURI refuses what no entity is written like. A dead one passes: an
// entity URI with a bare slot may have a holder again.
func checkEntityURI(r tools.ResourceRequest) error {
	if _, _, err := ecs.ParseEntity(r.Vars["id"]); err != nil {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "the URI names no entity: " + words.Clip(r.Vars["id"], 80), Got: words.Clip(r.URI, 120),
			Want: "the form 42v3 (id v generation), or the bare slot 42", Hint: "query lists entities", Next: "query"}
	}
	return nil
}

type entityReader struct{}

// Prepare implements [tools.Handler].
func (entityReader) Prepare(c *tools.Call, raw json.RawMessage) (tools.Job, error) {
	var args struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return tools.Job{}, &refusal.Error{Code: refusal.InvalidArguments, Message: "the URI names no entity", Want: "ecs://entity/42v3"}
	}
	b, err := json.Marshal(map[string]string{"entity": args.ID})
	if err != nil {
		return tools.Job{}, err
	}
	return prepareWith(c, "info", b)
}

func completeComponents(h documentHost) func(*tools.Call, string, string) []string {
	return func(_ *tools.Call, _, prefix string) []string {
		cat := h.Catalog()
		if cat == nil {
			return nil
		}
		names := make([]string, 0, len(cat.Components))
		for _, c := range cat.Components {
			names = append(names, c.Name)
		}
		return withPrefix(names, prefix)
	}
}

// completeEntities proposes the entities that the catalog samples.
func completeEntities(h documentHost) func(*tools.Call, string, string) []string {
	return func(_ *tools.Call, _, prefix string) []string {
		var ids []string
		for _, e := range h.SampleEntities() {
			ids = append(ids, e.String())
		}
		return withPrefix(ids, prefix)
	}
}

// withPrefix keeps what begins with prefix, in any case of letters.
func withPrefix(all []string, prefix string) []string {
	prefix = strings.ToLower(prefix)
	return slices.DeleteFunc(all, func(s string) bool { return !strings.HasPrefix(strings.ToLower(s), prefix) })
}
