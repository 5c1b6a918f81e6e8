package builtin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// dataHost gives the snapshot tools a data folder.
type dataHost struct {
	Host
	h   *tooltest.Harness
	dir string
}

func (s *dataHost) Limits() Limits { return Limits{DataDir: s.dir} }
func (s *dataHost) App() *host.App { return s.h.App }
func (s *dataHost) Fresh(*tools.Call) *loop.View {
	return &loop.View{Catalog: s.h.World.Catalog(), Frame: s.h.Frame}
}

type snapPos struct{ X, Y float64 }

type snapScore struct{ Points int }

func snapshotHarness(t *testing.T) (*tooltest.Harness, *dataHost, *arche.World) {
	host := &dataHost{dir: t.TempDir()}
	s := &snapshots{host: host}
	h := tooltest.New(t, tools.Family(tools.Spec{Group: "snapshot"}, s.saveTool(), s.loadTool(), s.listTool(), s.diffTool())...)
	host.h = h
	return h, host, h.Arche
}

func TestSnapshotToolsSaveDiffAndLoad(t *testing.T) {
	h, host, w := snapshotHarness(t)
	id := arche.ComponentID[snapPos](w)
	var es []arche.Entity
	for i := range 10 {
		e := w.NewEntity(id)
		*(*snapPos)(w.Get(e, id)) = snapPos{float64(i), 0}
		es = append(es, e)
	}
	score := &snapScore{7}
	arche.AddResource(w, score)

	s := h.OK("snapshot_save", `{"name":"one"}`)
	if path := filepath.Join(host.dir, "snapshots", "one.loupe"); s["path"] != path || fmt.Sprint(s["entities"]) != "10" {
		t.Fatalf("%v", s)
	}
	w.RemoveEntity(es[0])
	w.NewEntity()
	(*snapPos)(w.Get(es[3], id)).X = -77
	score.Points = 8

	d := h.OK("snapshot_diff", `{"from":"one","limit":0}`)
	for k, want := range map[string]string{"spawned": "1", "despawned": "1", "changed": "1", "resourcesChanged": "1", "added": "0", "returned": "0", "total": "4"} {
		if fmt.Sprint(d[k]) != want {
			t.Errorf("%s is %v, want %s", k, d[k], want)
		}
	}
	d = h.OK("snapshot_diff", `{"from":"one","component":"snapPos","entity":"4v0"}`)
	if row := d["rows"].([]any)[0].(map[string]any); row["path"] != "X" || fmt.Sprint(row["from"]) != "3" || fmt.Sprint(row["to"]) != "-77" {
		t.Errorf("%v", row)
	}
	// Page by page it is the same list.
	var rows []any
	next := ""
	for range 9 {
		d := h.OK("snapshot_diff", map[string]any{"from": "one", "limit": 1, "cursor": next})
		rows = append(rows, d["rows"].([]any)...)
		if d["truncated"] != true {
			break
		}
		next = d["next"].(string)
	}
	if len(rows) != 4 {
		t.Errorf("%d rows, page by page", len(rows))
	}

	l := h.OK("snapshot_load", `{"name":"one"}`)
	if fmt.Sprintf("%v %v %v", l["entities"], l["version"], l["projected"]) != "10 1 []" {
		t.Errorf("%v", l)
	}
	if !w.Alive(es[0]) || (*snapPos)(w.Get(es[3], id)).X != 3 || score.Points != 7 {
		t.Error("the world is not what it was")
	}
	h.OK("snapshot_save", `{"name":"two"}`)
	if d := h.OK("snapshot_diff", `{"from":"one","to":"two"}`); d["same"] != true || len(d["rows"].([]any)) != 0 {
		t.Errorf("%v", d)
	}
	h.OK("snapshot_load", map[string]any{"path": s["path"]})
	h.OK("snapshot_load", `{"path":"snapshots/one.loupe"}`)

	text := h.OK("snapshot_save", `{"name":"text","format":"json"}`)
	raw, err := os.ReadFile(text["path"].(string))
	if err != nil || !json.Valid(raw) {
		t.Errorf("the export is no JSON: %v", err)
	}
	list := h.OK("snapshot_list", `{}`)
	if n := len(list["snapshots"].([]any)); n != 3 {
		t.Errorf("%d files listed", n)
	}
	for _, row := range list["snapshots"].([]any) {
		if row := row.(map[string]any); row["format"] == "loupe" && (fmt.Sprint(row["entities"]) != "10" || row["build"] == nil) {
			t.Errorf("%v", row)
		}
	}
}

func TestSnapshotToolsRefuse(t *testing.T) {
	h, host, w := snapshotHarness(t)
	w.NewEntity(arche.ComponentID[snapPos](w))
	h.OK("snapshot_save", `{"name":"one"}`)
	dir := filepath.Join(host.dir, "snapshots")
	raw, err := os.ReadFile(filepath.Join(dir, "one.loupe"))
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(raw)
	flipped[len(raw)-20] ^= 0x55 // in the body, which a listing does not read
	for name, b := range map[string][]byte{"trunc": raw[:24], "flip": flipped, "empty": nil, "junk": []byte("PK\x03\x04junk")} {
		if err := os.WriteFile(filepath.Join(dir, name+".loupe"), b, 0o644); err != nil {
			t.Fatal(err)
		}
		h.Refused("snapshot_load", map[string]string{"name": name}, refusal.BadSnapshot)
		h.Refused("snapshot_diff", map[string]string{"from": name}, refusal.BadSnapshot)
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	h.Refused("snapshot_save", `{"name":"../evil"}`, refusal.InvalidArguments)
	h.Refused("snapshot_save", `{"name":"out/x"}`, refusal.InvalidArguments)
	h.Refused("snapshot_load", `{"path":"/etc/passwd"}`, refusal.InvalidArguments)
	h.Refused("snapshot_load", `{"path":"out/passwd"}`, refusal.InvalidArguments)
	h.Refused("snapshot_load", `{}`, refusal.InvalidArguments, "name or path")
	e := h.Refused("snapshot_load", `{"name":"on"}`, refusal.NotFound)
	if len(e.Options) == 0 || e.Options[0] != "one" {
		t.Errorf("%+v", e)
	}
	h.Refused("snapshot_diff", `{"from":"one","component":"snapPso"}`, refusal.UnknownComponent)
	h.OK("snapshot_save", `{"name":"text","format":"json"}`)
	h.Refused("snapshot_load", `{"name":"text"}`, refusal.BadSnapshot)
	if left, _ := os.ReadDir(outside); len(left) != 0 {
		t.Errorf("written outside: %v", left)
	}
	list := h.OK("snapshot_list", `{}`)
	broken := 0
	for _, row := range list["snapshots"].([]any) {
		if row.(map[string]any)["error"] != nil {
			broken++
		}
	}
	if broken != 3 {
		t.Errorf("%d files are marked as broken, want those whose header cannot be read", broken)
	}
}

// engineState is state of the host outside the world.
type engineState struct{ n int }

func (e *engineState) Name() string          { return "engine" }
func (e *engineState) Version() int          { return 1 }
func (e *engineState) Save() ([]byte, error) { return []byte{byte(e.n)}, nil }
func (e *engineState) Load(_ int, b []byte) (func(), error) {
	return func() { e.n = int(b[0]) }, nil
}

func TestSnapshotToolsKeepHostState(t *testing.T) {
	h, _, w := snapshotHarness(t)
	score := &snapScore{1}
	arche.AddResource(w, score)
	st := &engineState{5}
	h.App = &host.App{Name: "arena", Snapshots: &host.Snapshots{States: []host.SnapshotState{st}, Exclude: []string{"snapScore"}}}
	h.OK("snapshot_save", `{"name":"one"}`)
	st.n, score.Points = 9, 2
	if d := h.OK("snapshot_diff", `{"from":"one"}`); d["same"] != true {
		t.Errorf("an excluded resource is compared: %v", d)
	}
	if st.n != 9 {
		t.Error("a diff changed the host's state")
	}
	h.OK("snapshot_load", `{"name":"one"}`)
	if st.n != 5 || score.Points != 2 {
		t.Errorf("state %d, excluded resource %d", st.n, score.Points)
	}
	h.App = nil
	h.Refused("snapshot_load", `{"name":"one"}`, refusal.BadSnapshot, "engine")
	h.OK("snapshot_load", `{"name":"one","allowUnknown":true}`)
}

// A save says what the host keeps out of it, and whether it took a place.
func TestSnapshotSaveSaysWhatIsLeftOut(t *testing.T) {
	h, _, w := snapshotHarness(t)
	w.NewEntity(arche.ComponentID[snapPos](w))
	arche.AddResource(w, &snapScore{7})
	h.App = &host.App{Snapshots: &host.Snapshots{Exclude: []string{"snapScore", "builtin.snapPos", "unheardOf"}}}
	out := h.OK("snapshot_save", tooltest.Obj{"name": "first-boss"})
	if fmt.Sprint(out["excluded"]) != "[snapPos snapScore]" || out["replaced"] != nil {
		t.Errorf("%v", out)
	}
	h.App = nil
	if out := h.OK("snapshot_save", tooltest.Obj{"name": "first-boss"}); out["excluded"] != nil || out["replaced"] != true {
		t.Errorf("%v", out)
	}
	if out := h.OK("snapshot_save", tooltest.Obj{"name": "first-boss", "format": "json"}); out["replaced"] != nil {
		t.Errorf("the export takes no place: %v", out)
	}
	for _, call := range []struct{ tool, argument string }{{"snapshot_load", "name"}, {"snapshot_diff", "from"}} {
		e := h.Refused(call.tool, tooltest.Obj{call.argument: "frist-bos"}, refusal.NotFound)
		if e.Next != "snapshot_list" || e.Options[0] != "first-boss" {
			t.Errorf("%s: next %q, options %v", call.tool, e.Next, e.Options)
		}
	}
}
