package meta

import (
	"encoding/json"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/loupe-ecs/loupe"

// deps lists what a package compiles, the standard library left out.
func deps(t *testing.T, tags, pkg string) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-tags", tags, "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", pkg)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v", pkg, err)
	}
	return strings.Fields(string(out))
}

// house lists the packages from the ground up, each with the module's packages that it may import.
const house = `ecs/refusal:
ecs/value/layout: ecs/refusal
ecs/value: ecs/refusal ecs/value/layout
ecs: ecs/refusal ecs/value
ecs/query: ecs ecs/refusal ecs/value
ecs/schedule: ecs ecs/refusal ecs/value internal/callsite
ecs/engine: ecs ecs/refusal ecs/value
ecs/archeworld: ecs ecs/refusal ecs/value ecs/engine
ecs/arkworld: ecs ecs/refusal ecs/value ecs/engine
ecs/imageworld: ecs ecs/refusal ecs/value ecs/engine
ecs/structworld: ecs ecs/refusal ecs/value ecs/engine
ecs/ecstest: ecs ecs/refusal ecs/value
snapshot/internal/blocks: ecs/refusal
snapshot/internal/export: ecs ecs/value
snapshot/internal/images: ecs
snapshot: ecs ecs/refusal ecs/value snapshot/internal/* internal/buildinfo
sandbox/limits:
sandbox/internal/source: ecs/refusal
sandbox/internal/boundlua: ecs/refusal sandbox/internal/source sandbox/limits
sandbox: ecs ecs/refusal ecs/value ecs/value/layout ecs/query sandbox/internal/* sandbox/limits
timeline: ecs ecs/refusal ecs/value ecs/imageworld ecs/query snapshot timeline/replay tools tools/host
blackbox: ecs ecs/refusal ecs/value ecs/value/layout snapshot timeline
timeline/blame: ecs ecs/refusal ecs/value timeline timeline/replay timeline/watch tools tools/host
timeline/replay: ecs ecs/refusal ecs/value ecs/schedule snapshot tools tools/host
timeline/watch: ecs ecs/refusal ecs/value ecs/query ecs/schedule tools tools/host
internal/schema: ecs/value
internal/arguments: ecs/refusal ecs/value
tools/host: ecs ecs/refusal ecs/value ecs/schedule internal/arguments internal/callsite
tools: ecs ecs/refusal ecs/value ecs/schedule internal/rawjson tools/host internal/arguments internal/schema
internal/listing: tools internal/schema internal/arguments
internal/rawjson:
internal/words:
internal/buildinfo:
tools/text: ecs/refusal ecs/value internal/rawjson tools tools/host tools/text/internal/*
internal/store: ecs ecs/refusal
internal/profiling:
mcpdebug/internal/page: ecs/refusal ecs/value internal/*
mcpdebug/internal/entities: ecs ecs/refusal ecs/value tools tools/host internal/*
mcpdebug/internal/surprise: mcpdebug/internal/entities ecs ecs/refusal ecs/value snapshot tools tools/host
mcpdebug/internal/worldtools: mcpdebug/internal/past mcpdebug/internal/inspector mcpdebug/internal/page mcpdebug/internal/entities ecs ecs/refusal ecs/value ecs/query tools tools/host internal/*
mcpdebug/internal/hosttools: mcpdebug/internal/surprise mcpdebug/internal/inspector mcpdebug/internal/page mcpdebug/internal/entities ecs ecs/refusal ecs/value ecs/imageworld ecs/query ecs/schedule timeline/replay tools tools/host internal/*
mcpdebug/internal/builtin: mcpdebug/internal/keep mcpdebug/internal/surprise mcpdebug/internal/past mcpdebug/internal/inspector mcpdebug/internal/operations mcpdebug/internal/page mcpdebug/internal/entities mcpdebug/internal/worldtools mcpdebug/internal/hosttools mcpdebug/internal/crashes mcpdebug/internal/loop ecs ecs/refusal ecs/value ecs/query ecs/schedule snapshot sandbox tools tools/host tools/text mcpdebug/internal/calltext internal/* mcpdebug/internal/causes
mcpdebug/internal/keep: blackbox ecs ecs/refusal ecs/value mcpdebug/internal/crashes mcpdebug/internal/loop snapshot timeline tools tools/host internal/*
mcpdebug/internal/past: mcpdebug/internal/inspector ecs ecs/refusal ecs/value ecs/query snapshot timeline mcpdebug/internal/causes tools tools/host internal/*
mcpdebug/internal/causes: mcpdebug/internal/crashes mcpdebug/internal/loop mcpdebug/internal/entities ecs ecs/refusal ecs/value ecs/query ecs/schedule snapshot timeline timeline/watch timeline/replay timeline/blame tools tools/host internal/*
mcpdebug/internal/operations: mcpdebug/internal/surprise mcpdebug/internal/loop ecs ecs/refusal snapshot timeline/replay tools tools/host internal/*
mcpdebug/internal/crashes: ecs ecs/refusal ecs/value internal/*
mcpdebug/internal/calltext: ecs/refusal tools tools/host tools/text
mcpdebug/internal/loop: mcpdebug/internal/crashes ecs ecs/refusal tools tools/host internal/*
mcpdebug/internal/updates: mcpdebug/internal/crashes mcpdebug/internal/loop ecs ecs/value tools tools/host internal/*
mcpdebug/internal/tasks: internal/*
mcpdebug/internal/front: mcpdebug/internal/tasks mcpdebug/internal/loop ecs ecs/refusal ecs/value ecs/schedule tools tools/host internal/*
mcpdebug: blackbox ecs ecs/refusal ecs/value ecs/query ecs/schedule snapshot sandbox sandbox/limits timeline tools tools/host internal/* mcpdebug/internal/*
`

// TestImportsGoOneWay pins ecs/refusal <- ecs/value <- ecs <- snapshot, sandbox, tools <- mcpdebug/internal/builtin <-
// mcpdebug <- examples: for each package, the module's packages it may use.
func TestImportsGoOneWay(t *testing.T) {
	allowed := map[string][]string{}
	for line := range strings.Lines(house) {
		name, may, _ := strings.Cut(line, ":")
		allowed[name] = strings.Fields(may)
	}
	maps.Copy(allowed, beside)
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(out)))
	seen := map[string]bool{}
	for d.More() {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		may, pinned := allowed[name]
		seen[name] = true
		for _, imp := range p.Imports {
			dep, ours := strings.CutPrefix(imp, module+"/")
			switch {
			case !ours:
			case strings.HasPrefix(dep, "examples/") && !strings.HasPrefix(name, "examples/"):
				t.Errorf("%s imports %s: nothing may import an example", name, dep)
			case pinned && !slices.ContainsFunc(may, func(m string) bool {
				return m == dep || strings.HasSuffix(m, "*") && strings.HasPrefix(dep, m[:len(m)-1])
			}):
				t.Errorf("%s imports %s, which the architecture does not allow (docs/architecture.md)", name, dep)
			case strings.HasPrefix(name, "internal/") && (dep == "mcpdebug" || dep == "mcpdebug/internal/builtin") && !strings.HasPrefix(name, "internal/conformance") && name != "internal/meta":
				t.Errorf("%s imports %s: internal packages stand below the server", name, dep)
			}
			engine := strings.Contains(imp, "mlange-42/")
			if engine && pinned && name != "ecs/archeworld" && name != "ecs/arkworld" {
				t.Errorf("%s imports an engine: %s", name, imp)
			}
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("no package %s", name)
		}
	}
}

func TestAGameCompilesItsOwnEngineAlone(t *testing.T) {
	for pkg, not := range map[string]string{
		"/ecs/archeworld": "mlange-42/ark",
		"/ecs/arkworld":   "mlange-42/arche",
		"/ecs/engine":     "mlange-42/",
		"/mcpdebug":       "mlange-42/",
		"/tools":          "gopher-lua",
		"/snapshot":       "gopher-lua",
	} {
		for _, d := range deps(t, "", module+pkg) {
			if strings.Contains(d+"/", not) && !strings.Contains(d, module) {
				t.Errorf("%s compiles %s", pkg, d)
			}
		}
	}
}

func TestWithoutTheServerNothingForeignIsCompiled(t *testing.T) {
	for _, d := range deps(t, "nomcpdebug", module+"/mcpdebug") {
		if !strings.HasPrefix(d, module+"/") {
			t.Errorf("with the tag nomcpdebug the server still compiles %s", d)
		}
	}
	with, without := deps(t, "", module+"/examples/minimal"), deps(t, "nomcpdebug", module+"/examples/minimal")
	if len(without) >= len(with)/2 {
		t.Errorf("examples/minimal compiles %d packages without the server and %d with it", len(without), len(with))
	}
	for _, d := range without {
		if !strings.HasPrefix(d, module+"/") && !strings.Contains(d, "mlange-42/arche") {
			t.Errorf("examples/minimal without the server compiles %s", d)
		}
	}
}
