package game

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/schedule"
)

// The tour is written by this test, so that what it shows are real answers.
const docs = "../../../../docs/"

const tourIntro = `# Tour: a debugging session

"One of the brutes just stands there." What follows are an agent's calls of the
example game's debug server, and the answers it got while the game ran on. Each
is a ` + "`tools/call`" + ` with this name and these arguments; "…" stands for what is left
out, or differs from run to run. To play along:

    go run ./examples/game -seed 1

(For the tour the enemy was made to stand before the session began.)

<!-- Generated from examples/game/internal/game/tour_test.go by make docs -->
`

// A stop of the tour: what the agent thinks, what it asks, and what it makes of
// the answer.
type stop struct {
	before     func(*tour)
	title, say string
	tool       string
	args       func(*tour) any
	show       []string // keys of the answer; nil: all
	refused    bool
	read       func(*tour, []byte)
	then       string
}

type tour struct {
	*client
	player, enemy string
	at            Position
	tick          uint64
}

// guarded runs frames as the game's loop does.
func (t *tour) guarded(n int) {
	for range n {
		t.dbg.Poll()
		t.dbg.Guard(func() { run(t.g, 1) })
	}
}

// pick reads the first entity of a query's page.
func pick(t *tour, answer []byte) (entity string, at Position) {
	var r struct {
		Entities []struct {
			Entity string
			Values map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(answer, &r); err != nil || len(r.Entities) == 0 {
		t.t.Fatalf("no entities in %s", answer)
	}
	json.Unmarshal(r.Entities[0].Values["Position.X"], &at.X)
	json.Unmarshal(r.Entities[0].Values["Position.Y"], &at.Y)
	return r.Entities[0].Entity, at
}

var stops = []stop{
	{title: "What runs here", say: "`context` comes first: the state, the size of the world, and what the game says of itself.",
		tool: "context", args: func(*tour) any { return obj{} }, show: []string{"world", "state", "frame", "paused", "app", "eventKinds"},
		then: "It runs, is not paused, and has a player."},
	{title: "Where is the player?", say: "Positions can be sorted by, once there is something to measure from.",
		tool: "query", args: func(*tour) any {
			return obj{"with": []string{"Player"}, "select": []string{"Position.X", "Position.Y", "Health.HP"}}
		},
		read: func(t *tour, b []byte) { t.player, t.at = pick(t, b) }},
	{title: "Which brutes are nearest?", say: "`where` is a Go expression over the fields. `sort` takes an expression: the square of the distance. `Velocity.Speed` is a value that the game computes.",
		tool: "query", args: func(t *tour) any {
			dx, dy := fmt.Sprintf("(Position.X-%.0f)", t.at.X), fmt.Sprintf("(Position.Y-%.0f)", t.at.Y)
			return obj{"where": `Enemy.Kind == "Brute" && Health.HP > 0`, "select": []string{"Health.HP", "Velocity.Speed"}, "sort": dx + "*" + dx + "+" + dy + "*" + dy, "limit": 3}
		},
		read: func(t *tour, b []byte) { t.enemy, _ = pick(t, b) },
		then: "`matched` counts all, the page holds three. The nearest one has no speed at all: not zero, none. Its list of components lacks `Velocity`."},
	{title: "All about that one", say: "`info` reads one entity whole; had others referred to it, it would name them.",
		tool: "info", args: func(t *tour) any { return obj{"entity": t.enemy} },
		then: "It hunts the player and is healthy. Without a `Velocity` the system `movement` passes it by."},
	{title: "What is a Velocity?", say: "Fields, units and computed values come from the game's own Go types.",
		tool: "components_info", args: func(*tour) any { return obj{"names": []string{"Velocity"}} }},
	{title: "A wrong way", say: "A refusal says what was wrong, what there is and what to call instead; nothing has changed.",
		tool: "modify", args: func(t *tour) any {
			return obj{"entity": t.enemy, "component": "Velocity", "values": obj{"X": 0, "Y": 0}}
		}, refused: true},
	{title: "A way back", say: "Before trying something out, keep the world as it is.",
		tool: "snapshot_save", args: func(*tour) any { return obj{"name": "standing"} }, show: []string{"path", "entities", "archetypes", "savedFrame"}},
	{title: "The change", say: "As the refusal said: `set` adds a component.",
		tool: "set", args: func(t *tour) any { return obj{"entity": t.enemy, "component": "Velocity"} }},
	{title: "Did it help?", say: "Half a second later: what is different now from the snapshot, for this entity alone?",
		before: func(t *tour) { t.guarded(30) },
		tool:   "snapshot_diff", args: func(t *tour) any {
			return obj{"from": "standing", "entity": t.enemy, "epsilon": 0.5, "limit": 6}
		}, show: []string{"spawned", "despawned", "added", "removed", "changed", "rows", "returned", "truncated"},
		then: "It moves."},
	{title: "Are there more?", say: "A script asks what would be many calls. With `dryRun` it tells what it would change, and changes nothing.",
		tool: "run_lua", args: func(*tour) any {
			return obj{"dryRun": true, "code": `local n = 0
for e in world.query{with={'Enemy'}, without={'Velocity'}} do
  e:add('Velocity', {})
  n = n + 1
end
print('standing', n)
return n`}
		}, then: "It was the only one."},
	{title: "A look", say: "The answer carries the picture besides, cropped around the entity.",
		tool: "screenshot", args: func(t *tour) any { return obj{"entity": t.enemy, "scale": 2} },
		then: "![the brute in the middle, red from its charge; grunts below it, a sniper's shot above](tour.png)"},
	{title: "And then it crashed", say: "Later the update panicked. `Guard` made that a state; the loop and the server go on. `crash_report` has the stack, the system that ran, the last calls and log lines.",
		before: func(t *tour) { t.g.opts.CrashAt = t.g.frame + 10; t.guarded(20) },
		tool:   "crash_report", args: func(*tour) any { return obj{} }, show: []string{"crashed", "panic", "frames", "system", "frame", "locked", "hint"}},
	{title: "Going on", say: "The query that was open when it panicked still locks the world; `unlock` releases it.",
		tool: "clear_crash", args: func(*tour) any { return obj{"unlock": true} },
		then: "The game runs again, with everything in place."},

	{title: "A bug that is over", say: "\"Just now the player lost half of its health, and nothing was near.\" By the time one looks it is over; but the example game records itself, so that the past can be asked. At which tick did it last fall by more than 25?",
		before: trapped,
		tool:   "find_tick", args: func(t *tour) any {
			return obj{"where": "Health.HP < prev(Health.HP) - 25", "entity": t.player}
		}, show: []string{"found", "tick", "before", "after"},
		read: func(t *tour, b []byte) {
			var r struct{ Tick uint64 }
			if json.Unmarshal(b, &r) != nil || r.Tick == 0 {
				t.t.Fatalf("no tick in %s", b)
			}
			t.tick = r.Tick
		}, then: "Once, from one tick to the next."},
	{title: "What else changed in that tick?", say: "Recorded ticks can be compared like snapshots. What is rare and exact comes before all that moved.",
		tool: "snapshot_diff", args: func(t *tour) any {
			return obj{"from": fmt.Sprintf("@%d", t.tick-1), "to": fmt.Sprintf("@%d", t.tick), "entity": t.player, "limit": 10}
		}, show: []string{"changed", "rows"},
		then: "Its `Flash` did not change: whatever took the health did not go the way of a hit, which makes the player flash."},
	{title: "Was something near?", say: "Every reading tool takes `at`, here the tick before.",
		tool: "query", args: func(t *tour) any {
			x, y := t.posAt(t.tick - 1)
			return obj{"with": []string{"Enemy"}, "where": fmt.Sprintf("abs(Position.X-%.0f) < 40 && abs(Position.Y-%.0f) < 40", x, y), "select": []string{"Enemy.Kind"}, "at": t.tick - 1}
		}, show: []string{"tick", "matched", "entities"},
		then: "Nobody."},
	{title: "Who did it?", say: "`blame` runs that tick again, aside, and looks between the systems.",
		tool: "blame", args: func(t *tour) any {
			return obj{"entity": t.player, "path": "Health.HP", "before": t.tick + 1}
		}, show: []string{"changes"},
		then: "The system `traps` did, with nobody near: it forgets to ask where the player is. Four calls, none of them while it happened."},
}

// trapped records, and lets a careless system do its work once.
func trapped(t *tour) {
	if a := t.call("record_start", json.RawMessage("{}")); a.Result.IsError {
		t.t.Fatalf("record_start: %s", a.Result.StructuredContent)
	}
	// A test's frames follow each other faster than they can be recorded.
	recorded := func(n int) {
		for range n {
			t.guarded(1)
			t.call("record_info", json.RawMessage("{}"))
		}
	}
	recorded(60)
	at := t.g.Ticks() + 45
	health, player := ecs.ComponentID[Health](&t.g.World), playerOf(t.t, t.g)
	t.g.Schedule.Add("cleanup", "traps", func() {
		if t.g.Ticks() == at {
			h := (*Health)(t.g.World.Get(player, health))
			h.HP = max(1, h.HP-40)
		}
	}, schedule.Doc("Lets traps snap."))
	recorded(120)
}

// posAt is where the player was.
func (t *tour) posAt(tick uint64) (x, y float64) {
	args, _ := json.Marshal(obj{"entity": t.player, "at": tick})
	var r struct {
		Alive      bool
		Components struct{ Position Position }
	}
	if err := json.Unmarshal(t.call("info", json.RawMessage(args)).Result.StructuredContent, &r); err != nil || !r.Alive {
		t.t.Fatalf("no player at tick %d: %v", tick, err)
	}
	return r.Components.Position.X, r.Components.Position.Y
}

// volatile are values that differ between runs and machines.
var volatile = []struct{ find, replace string }{
	{`("(?:build|frameMs)": )\{[^{}]*\}`, `${1}{"…": "…"}`},
	{`("(?:lastMs|avgMs|maxMs|ms|frameMs|fps|memoryBytes|steps|bytes|bytesPerEntity)": )[0-9][0-9.e+-]*`, `${1}"…"`},
	{`("(?:path|from)": ")/[^"]*/([^"/]*/[^"/]*")`, `${1}…/${2}`},
	{`\n\s*"(?:file|line)": [^\n]*`, ``}, // of a stack
	{`("func": "[^"]*"),`, `${1}`},
}

// answerText is an answer as the tour shows it.
func answerText(t *testing.T, structured []byte, show []string) string {
	var doc bytes.Buffer
	if show == nil {
		doc.Write(structured)
	} else {
		var all map[string]json.RawMessage
		if err := json.Unmarshal(structured, &all); err != nil {
			t.Fatal(err)
		}
		for i, key := range show {
			value, ok := all[key]
			if !ok {
				t.Fatalf("no %s in %s", key, structured)
			}
			if key == "frames" { // the innermost frames of a stack
				var frames []json.RawMessage
				if err := json.Unmarshal(value, &frames); err != nil {
					t.Fatal(err)
				}
				value, _ = json.Marshal(frames[:min(3, len(frames))])
			}
			fmt.Fprintf(&doc, "%s%q:%s", map[bool]string{true: "{", false: ","}[i == 0], key, value)
		}
		doc.WriteByte('}')
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, doc.Bytes(), "", "  "); err != nil {
		t.Fatal(err)
	}
	answer := pretty.String()
	for _, v := range volatile {
		answer = regexp.MustCompile(v.find).ReplaceAllString(answer, v.replace)
	}
	// Short lists and objects read better on one line.
	answer = regexp.MustCompile(`[\[{]\n[^\[\]{}]{1,160}\n\s*[\]}]`).ReplaceAllStringFunc(answer, func(s string) string {
		if one := regexp.MustCompile(`\s*\n\s*`).ReplaceAllString(s, " "); len(one) <= 110 {
			return one
		}
		return s
	})
	if show != nil {
		answer = strings.TrimRight(strings.TrimSuffix(answer, "}"), " \n")
		if line, _, several := strings.Cut(answer, "\n"); several {
			answer += ",\n  …\n}"
		} else {
			answer = line + ", … }"
		}
	}
	return answer
}

func TestTour(t *testing.T) {
	c := connect(t, play(t, Options{Seed: 1, Enemies: 40}, 0))
	tr := &tour{client: c}
	tr.guarded(240)
	stand(t, c.g)
	tr.guarded(1)
	var doc bytes.Buffer
	doc.WriteString(tourIntro)
	for i, s := range stops {
		if s.before != nil {
			s.before(tr)
		}
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s.args(tr)); err != nil {
			t.Fatal(err)
		}
		args := bytes.TrimSpace(buf.Bytes())
		a := c.call(s.tool, json.RawMessage(args))
		structured := a.Result.StructuredContent
		if structured == nil { // beside a picture
			structured = json.RawMessage(a.Result.Content[0].Text)
		}
		if a.Result.IsError != s.refused {
			t.Fatalf("%s: refused %v: %s", s.tool, a.Result.IsError, structured)
		}
		if s.read != nil {
			s.read(tr, structured)
		}
		if s.tool == "screenshot" {
			picture(t, a)
		}
		fmt.Fprintf(&doc, "\n## %d. %s\n\n%s\n\n`%s`\n\n```json\n%s\n```\n\nanswers%s\n\n```json\n%s\n```\n",
			i+1, s.title, s.say, s.tool, args, map[bool]string{true: ", with `isError`,"}[s.refused], answerText(t, structured, s.show))
		if s.then != "" {
			fmt.Fprintf(&doc, "\n%s\n", s.then)
		}
	}
	before := c.g.Ticks()
	tr.guarded(10)
	if c.g.Ticks() != before+10 {
		t.Error("the game does not go on after the crash")
	}
	if *update {
		if err := os.WriteFile(docs+"tour.md", doc.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(docs + "tour.md")
	if err != nil {
		t.Fatal(err)
	}
	if !knownHere {
		t.Skip("positions differ with another processor's rounding")
	}
	if string(want) != doc.String() {
		t.Errorf("%s is out of date: run make docs\n%s", filepath.Base(docs+"tour.md"), firstDifference(string(want), doc.String()))
	}
}

// stand takes the velocity of the brute that is nearest to the player: what a
// careless system of the game might have done.
func stand(t *testing.T, g *Game) {
	p := g.position.Get(playerOf(t, g))
	q := g.foes.Query(&g.World)
	var found ecs.Entity
	best := math.Inf(1)
	for q.Next() {
		enemy, at := q.Get()
		if enemy.Kind != Brute {
			continue
		}
		if d := (at.X-p.X)*(at.X-p.X) + (at.Y-p.Y)*(at.Y-p.Y); d < best {
			best, found = d, q.Entity()
		}
	}
	g.World.Remove(found, ecs.ComponentID[Velocity](&g.World))
}

// picture keeps what the screenshot shows.
func picture(t *testing.T, a answer) {
	for _, block := range a.Result.Content {
		if block.Type != "image" {
			continue
		}
		png, err := base64.StdEncoding.DecodeString(block.Data)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(docs+"tour.png", png, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	t.Fatal("the screenshot has no picture")
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d: it says  %s\nthe game says  %s", i+1, w[i], g[i])
		}
	}
	return fmt.Sprintf("%d lines, the game says %d", len(w), len(g))
}
