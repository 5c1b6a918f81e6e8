package find

import (
	"encoding/json"
	"strings"

	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

// Form is how a call was written.
type Form string

// The forms.
const (
	XML      Form = "xml"       // <Health_configure entity="42v3" HP="7"/>
	JSON     Form = "json"      // {"tool":...,"arguments":{...}}
	ToolCall Form = "tool_call" // JSON in <tool_call> or after a mark such as [TOOL_CALLS]
	Invoke   Form = "invoke"    // <invoke name="..."><parameter name="...">
	Function Form = "function"  // functions.Health_configure(entity="42v3", HP=7)
)

// Status is what a call that was found is worth.
type Status string

// The statuses.
const (
	Call       Status = "call"
	Quoted     Status = "quoted"     // shown, not made
	Thought    Status = "thought"    // considered, not made
	Incomplete Status = "incomplete" // the text ends within it
)

// Found is a call in a text.
type Found struct {
	Tool      string // as the listing names it; as written, if that is unknown
	Known     bool
	Arguments json.RawMessage
	Form      Form
	Status    Status
	Why       string // why it is not made
	// Start and End are the bytes it takes in the text.
	Start, End int64
	Repaired   []string
}

// Tool is what is known of a tool.
type Tool struct {
	Name string
	Args *shape.Shape
}

// Index finds tools by the names that models write.
type Index struct {
	exact  map[string]*Tool
	folded map[string]*Tool
}

// NewIndex indexes the tools.
func NewIndex(tools []Tool) *Index {
	ix := &Index{exact: make(map[string]*Tool, len(tools)), folded: make(map[string]*Tool, len(tools))}
	for i := range tools {
		t := &tools[i]
		ix.exact[t.Name] = t
		ix.folded[strings.ToLower(t.Name)] = t
	}
	return ix
}

// lookup finds a tool by its name with or without what clients put before it:
// functions.X, mcp__loupe__X, loupe:X.
func (ix *Index) lookup(name string) *Tool {
	if t := ix.exact[name]; t != nil {
		return t
	}
	for _, sep := range []string{".", ":", "/", "__"} {
		if i := strings.LastIndex(name, sep); i >= 0 {
			if t := ix.exact[name[i+len(sep):]]; t != nil {
				return t
			}
		}
	}
	return nil
}

// miswritten tells a name that is a tool's but for capitals.
func (ix *Index) miswritten(name string) bool { return ix.folded[strings.ToLower(name)] != nil }
