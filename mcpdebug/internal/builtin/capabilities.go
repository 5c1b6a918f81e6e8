package builtin

import (
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/worldtools"
	"github.com/loupe-ecs/loupe/tools"
)

// states are all states of a server, in the order of the gates.
var states = []string{"closed", "crashed", "stalled", "parked", "starting", "running"}

type limitFacts struct {
	QueueLen        int   `json:"queueLen" jsonschema:"calls that may wait at once; then busy"`
	CallTimeoutMs   int64 `json:"callTimeoutMs" jsonschema:"milliseconds until a call is answered timeout or outcome_unknown"`
	StallAfterMs    int64 `json:"stallAfterMs" jsonschema:"milliseconds without a poll until the state is stalled"`
	MaxReplyBytes   int   `json:"maxReplyBytes" jsonschema:"bytes an answer may have"`
	ListedTools     int   `json:"generatedTools" jsonschema:"generated tools that tools/list shows at most, under the default policy"`
	ListedBytes     int   `json:"generatedBytes" jsonschema:"bytes that they may take in the listing"`
	DefaultMaxBytes int   `json:"defaultMaxBytes" jsonschema:"default of maxBytes of the listing tools"`
}

type capabilitiesResult struct {
	State      string                  `json:"state" jsonschema:"the state now"`
	States     []string                `json:"states" jsonschema:"every state a server can be in"`
	ReadOnly   bool                    `json:"readOnly" jsonschema:"true: tools that change things are refused"`
	Protocols  []string                `json:"protocolVersions" jsonschema:"protocol versions that are spoken"`
	Limits     limitFacts              `json:"limits" jsonschema:"the bounds that are in force"`
	DataDir    string                  `json:"dataDir,omitempty" jsonschema:"folder that snapshots, profiles and pictures are written under"`
	Counts     map[string]int          `json:"counts" jsonschema:"how many tools, listed tools, generated tools, components, resources, archetypes, entities"`
	Engine     *worldtools.EngineFacts `json:"engine,omitempty" jsonschema:"the ECS engine behind the world"`
	Subsystems []subsystemRow          `json:"subsystems" jsonschema:"what the host provides, and what it would have to provide for the rest"`
	Formats    []string                `json:"snapshotFormats" jsonschema:"formats of snapshot_save"`
}

type subsystemRow struct {
	Name    string   `json:"name" jsonschema:"name of the subsystem"`
	Present bool     `json:"present" jsonschema:"whether the host provides it"`
	Provide string   `json:"provide,omitempty" jsonschema:"what the host must provide to have it"`
	Tools   []string `json:"tools" jsonschema:"the tools that it brings"`
}

func capabilitiesTool(h helpHost, subsystems []Subsystem) *tools.Tool {
	return tools.NewOff(tools.Spec{
		Name: "capabilities", Group: "session", Effect: tools.ReadOnly, Idempotent: true,
		Description: "What this server and this game provide and lack; limits.",
	}, func(c *tools.Call, _ struct{}) (capabilitiesResult, error) {
		v := h.Fresh(c) // first: a fresh Catalog brings its tools along
		l := offered(h)
		lim := h.Limits()
		r := capabilitiesResult{
			State: h.Status().State, States: states, ReadOnly: h.ReadOnly(), Protocols: lim.ProtocolVersions, DataDir: lim.DataDir,
			Limits: limitFacts{lim.QueueLen, lim.CallTimeout.Milliseconds(), lim.StallAfter.Milliseconds(), lim.MaxReplyBytes, h.Components().options.MaxListed, h.Components().options.MaxListedBytes, page.DefaultMaxBytes},
			Counts: map[string]int{"tools": len(l.Tools), "listed": len(l.Listed())}, Formats: []string{"loupe", "json"},
		}
		for _, p := range l.Tools {
			if _, ok := p.Spec.Meta["typeID"]; ok {
				r.Counts["generated"]++
			}
		}
		if cat := v.Catalog; cat != nil {
			r.Counts["components"], r.Counts["resources"] = len(cat.Components), len(cat.Resources)
			r.Counts["archetypes"], r.Counts["entities"] = len(cat.Archetypes), cat.Entities.Alive
			e := worldtools.EngineFactsOf(cat.Engine)
			r.Engine = &e
		}
		app := v.App
		for _, s := range subsystems {
			row := subsystemRow{Name: s.Name, Present: s.In(app)}
			if !row.Present {
				row.Provide = s.Provide
			}
			for _, t := range s.Tools {
				row.Tools = append(row.Tools, t.Name)
			}
			r.Subsystems = append(r.Subsystems, row)
		}
		return r, nil
	})
}
