package sandbox_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/sandbox"
)

type (
	Position struct{ X, Y float64 }
	Velocity struct{ X, Y float32 }
	Health   struct {
		HP  int `debug:"min=0,unit=hp"`
		Max int
	}
	Enemy struct {
		Kind   EnemyKind
		Target arche.Entity
		Aggro  float64 `debug:"min=0,max=1"`
	}
	EnemyKind uint8
	Player    struct{}
	Slot      struct {
		Item  string
		Count int
	}
	Inventory struct {
		Slots []Slot
		Tags  map[string]int
		Note  string
		Grid  [2][3]int8
		Best  *Slot
	}
	Fixed struct {
		ID   int32 `debug:"readonly"`
		Ok   bool
		Tint [4]uint8
	}
	ChildOf struct{ arche.Relation }
	Secret  struct {
		n     int
		names []string
	}
	Score struct{ Points, Lives int }
	Level int
)

var _ = Secret{n: 0, names: nil} // only scripts use them

// checkup is an action's result, with names of its own for clients.
type checkup struct {
	HP    int `json:"hp"`
	MaxHP int `json:"max_hp"`
	Left  time.Duration
}

func (k EnemyKind) String() string { return [...]string{"Grunt", "Brute", "Sniper"}[k%3] }

func init() {
	value.EnumLabels(map[EnemyKind]string{0: "Grunt", 1: "Brute", 2: "Sniper"})
	value.Describe(
		value.Label(func(*Player) string { return "player" }))
	value.Describe(
		value.Computed("Ratio", func(h *Health) float64 { return float64(h.HP) / float64(h.Max) }),
		value.Action("Damage", func(h *Health, in struct {
			Amount int `json:"amount"`
		}) (int, error) {
			if in.Amount < 0 {
				return 0, errors.New("damage cannot be negative")
			}
			h.HP = max(0, h.HP-in.Amount)
			return h.HP, nil
		}),
		value.Action("Inspect", func(h *Health, _ struct{}) (checkup, error) {
			return checkup{HP: h.HP, MaxHP: h.Max, Left: time.Second / 2}, nil
		}))
}

// fixture is a small game world.
type fixture struct {
	w       arche.World
	world   ecs.World
	s       *sandbox.Sandbox
	player  arche.Entity
	enemies []arche.Entity
	inv     arche.ID
	hp      arche.ID
	pos     arche.ID
	score   *Score
}

func newFixture(t testing.TB, enemies int, opt sandbox.Options) *fixture {
	t.Helper()
	if opt.Timeout == 0 {
		opt.Timeout = time.Second // the machine may be busy
	}
	f := &fixture{w: arche.NewWorld(), s: sandbox.New(opt), score: &Score{10, 3}}
	w := &f.w
	pos, vel, hp := arche.ComponentID[Position](w), arche.ComponentID[Velocity](w), arche.ComponentID[Health](w)
	enemy, player, inv := arche.ComponentID[Enemy](w), arche.ComponentID[Player](w), arche.ComponentID[Inventory](w)
	arche.ComponentID[Secret](w)
	fixed, child := arche.ComponentID[Fixed](w), arche.ComponentID[ChildOf](w)
	f.inv, f.hp, f.pos = inv, hp, pos
	arche.AddResource(w, f.score)
	level := Level(4)
	arche.AddResource(w, &level)
	f.player = w.NewEntity(pos, vel, hp, player, inv, fixed)
	*(*Health)(w.Get(f.player, hp)) = Health{50, 100}
	*(*Fixed)(w.Get(f.player, fixed)) = Fixed{ID: 7, Ok: true, Tint: [4]uint8{1, 2, 3, 4}}
	*(*Inventory)(w.Get(f.player, inv)) = Inventory{Slots: []Slot{{"sword", 1}, {"potion", 5}}, Tags: map[string]int{"fire": 2, "ice": 1}, Note: "hi", Best: &Slot{"axe", 9}}
	for i := range enemies {
		e := w.NewEntity(pos, vel, hp, enemy)
		*(*Position)(w.Get(e, pos)) = Position{float64(i), 1}
		*(*Velocity)(w.Get(e, vel)) = Velocity{0.1, 0}
		*(*Health)(w.Get(e, hp)) = Health{10 + i%5, 20}
		*(*Enemy)(w.Get(e, enemy)) = Enemy{Kind: EnemyKind(i % 3), Target: f.player, Aggro: 0.5}
		f.enemies = append(f.enemies, e)
	}
	_ = child
	f.world = archeworld.New(w)
	return f
}

func (f *fixture) run(code string, dry bool) (*sandbox.Result, error) {
	return evalIn(f.s, sandbox.Env{World: f.world}, code, sandbox.RunOptions{DryRun: dry})
}

// dump tells everything about the world that a rollback must keep.
func (f *fixture) dump() string {
	var b strings.Builder
	cat := f.world.Catalog()
	for c := range f.world.Chunks(ecs.Filter{}) {
		for row := range c.Len() {
			fmt.Fprint(&b, c.Entity(row), c.Targets())
			for _, id := range c.Components() {
				col, _ := c.Column(id)
				comp := cat.Components[id]
				if comp.Tag {
					fmt.Fprint(&b, " ", comp.Name)
					continue
				}
				v := col.Value(comp.Type.Go, row)
				j, err := value.AppendJSON(nil, v, value.EncodeOptions{})
				fmt.Fprintf(&b, " %s=%s%v", comp.Name, j, err)
			}
			b.WriteByte('\n')
		}
	}
	fmt.Fprint(&b, *f.score)
	return b.String()
}

func TestWorldReads(t *testing.T) {
	f := newFixture(t, 4, sandbox.Options{})
	for _, c := range []struct{ code, want string }{
		{"local n = 0 for e in world.query{with={'Enemy'}} do n = n + 1 end return n", "[4]"},
		{"#world.query{with={'Enemy'}}, world.count{with='Enemy'}, world.count('Enemy', 'Health'), world.count{'Player'}, world.count()", "[4,4,4,1,5]"},
		{"world.count{with={'Health'}, without={'Player'}}, world.count{where='Health.HP > 11'}, world.count{name='play'}", "[4,3,1]"},
		{"for e in world.query{'Player'} do return e.id, e.name, e.Health.HP, tostring(e), e end", `["1v0","player",50,"1v0","1v0"]`},
		{"local e = world.query{'Enemy'}:first() return e.id, e.name, e.Enemy.Kind, e.Enemy.Target, e.Enemy.Target.Health.HP", `["2v0",null,"Grunt","1v0",50]`},
		{"world.entity('player').id, world.entity('play'), world.entity('nobody')", `["1v0",null,null]`},
		{"local p = world.entity('1v0') return p.Health, p.Health.HP, p.Health.Max, p.Health.Ratio", `[{"HP":50,"Max":100},50,100,0.5]`},
		{"local p = world.entity('1') return p.Inventory.Slots[1].Item, p.Inventory.Slots[2].Count, p.Inventory.Slots[3], #p.Inventory.Slots", `["sword",5,null,2]`},
		{"local i = world.entity('1').Inventory return i.Tags.fire, i.Tags['ice'], i.Tags.none, #i.Tags, i.Note, i.Grid[2][3], i.Best.Item, i.Best.Count", `[2,1,null,2,"hi",0,"axe",9]`},
		{"local t = {} for i, s in ipairs(world.entity('1').Inventory.Slots) do t[i] = s.Item end return t", `[["sword","potion"]]`},
		{"local t = {} for k, v in pairs(world.entity('1').Inventory.Tags) do t[#t+1] = k .. v end return t", `[["fire2","ice1"]]`},
		{"local t = {} for k, v in pairs(world.entity('1').Health) do t[#t+1] = k .. '=' .. v end return t", `[["HP=50","Max=100","Ratio=0.5"]]`},
		{"local t = {} for k in pairs(world.entity('1')) do t[#t+1] = k end return t", `[["Position","Velocity","Health","Player","Inventory","Fixed"]]`},
		{"world.entity('1').components[3]", `["Health"]`},
		{"local p = world.entity('1') return p:has('Health'), p:has('Enemy'), p.Enemy, p:get('Enemy'), p:get('Health').HP, p:alive()", "[true,false,null,null,50,true]"},
		{"world.entity('77v0'), world.entity('1v9')", "[null,null]"},
		{"world.entity('2').Velocity.X", "[0.1]"},
		{"world.entity('1').Fixed.Tint[4], world.entity('1').Fixed.Ok", "[4,true]"},
		{"world.resource('Score').Points, world.resource('Score')", `[10,{"Lives":3,"Points":10}]`},
		{"world.resource('Level').value", "[4]"},
		{"world.entity('1') == world.entity('1v0'), world.entity('1') == world.entity('2')", "[true,false]"},
		{"'at ' .. world.entity('1')", `["at 1v0"]`},
		{"local q = world.query{'Enemy'} local n = 0 for a in q do for b in world.query{'Enemy'} do n = n + 1 end end for a in q do n = n + 1 end return n, q[1], q[9], q", `[20,"2v0",null,["2v0","3v0","4v0","5v0"]]`},
		{"world.query{with={'Enemy'}, target='1v0'}:count()", "[0]"},
		{"type(world.components()), world.components()[1]", `["table","Position"]`},
	} {
		r, err := f.run(c.code, false)
		if err != nil {
			t.Errorf("%s: %v", c.code, err)
		} else if got := valuesJSON(t, r); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.code, got, c.want)
		} else if r.Changes != (sandbox.Changes{}) {
			t.Errorf("%s counts changes %+v", c.code, r.Changes)
		}
	}
}

func TestWorldWrites(t *testing.T) {
	for _, c := range []struct {
		code, want string
		changes    sandbox.Changes
	}{
		{"for e in world.query{'Player'} do e.Health.HP = 7 return e.id, e.Health.HP end", `["1v0",7]`, sandbox.Changes{Fields: 1}},
		{"local h = world.entity('1').Health h.HP = 8 h.HP = h.HP + 1 return h.HP", "[9]", sandbox.Changes{Fields: 2}},
		{"local e = world.entity('2') e.Velocity.X = 0.25 e.Enemy.Kind = 'Sniper' e.Enemy.Aggro = 1 return e.Velocity.X, e.Enemy.Kind, e.Enemy.Aggro", `[0.25,"Sniper",1]`, sandbox.Changes{Fields: 3}},
		{"local e = world.entity('2') e.Enemy.Target = world.entity('3') local a = e.Enemy.Target e.Enemy.Target = '4v0' local b = e.Enemy.Target e.Enemy.Target = nil return a, b, e.Enemy.Target", `["3v0","4v0",null]`, sandbox.Changes{Fields: 3}},
		{"local i = world.entity('1').Inventory i.Slots[1].Count = 3 i.Tags.fire = 9 i.Tags.new = 1 i.Note = 'x' i.Grid[1][2] = -5 i.Best.Count = 1 return i", `[{"Best":{"Count":1,"Item":"axe"},"Grid":[[0,-5,0],[0,0,0]],"Note":"x","Slots":[{"Count":3,"Item":"sword"},{"Count":5,"Item":"potion"}],"Tags":{"fire":9,"ice":1,"new":1}}]`, sandbox.Changes{Fields: 6}},
		{"local t = world.entity('1').Inventory.Tags for k in pairs(t) do t[k] = nil end t.none = nil t.x = 1 return t, #t", `[{"x":1},1]`, sandbox.Changes{Fields: 4}},
		{"local i = world.entity('1').Inventory i.Slots = {{Item='a', Count=1}, {Item='b'}, {}} return #i.Slots, i.Slots[2].Item, i.Slots[3].Count", `[3,"b",0]`, sandbox.Changes{Fields: 1}},
		{"local e = world.entity('1') e.Health = {HP = 3} return e.Health", `[{"HP":3,"Max":0}]`, sandbox.Changes{Fields: 1}},
		{"local e = world.entity('1') e.Fixed.Tint = {9, 8, 7, 6} e.Fixed.Ok = false return e.Fixed.Tint, e.Fixed.Ok", `[[9,8,7,6],false]`, sandbox.Changes{Fields: 2}},
		{"world.resource('Score').Points = 99 world.resource('Level').value = 5 return world.resource('Score').Points, world.resource('Level').value", "[99,5]", sandbox.Changes{Fields: 2}},
		{"local e = world.spawn{Position={X=1}} e.Position.Y = 5 return e.id, e, e.Position, e:has('Position'), e:has('Health')", `["6v0","6v0",{"X":1,"Y":5},true,false]`, sandbox.Changes{Spawned: 1}},
		{"local e = world.spawn{'Player', Health={HP=1, Max=2}} e:add('Position', {X=2}) e:remove('Player') return e.components, e", `[["Position","Health"],"6v0"]`, sandbox.Changes{Spawned: 1}},
		{"local e = world.spawn{Position={}} e:despawn() return pcall(function() return e.Position.X end)", `[false,"script:1: entity spawned#1 was despawned by this script"]`, sandbox.Changes{}},
		{"local e = world.entity('2') e:add('Inventory', {Note='n'}).Note = 'm' return e:has('Inventory'), e.Inventory.Note, #e.Inventory.Slots", `[true,"m",0]`, sandbox.Changes{Added: 1}},
		{"local e = world.entity('2') local r = e:remove('Enemy') return r, e:has('Enemy'), e.Enemy, e:remove('Enemy')", "[true,false,null,false]", sandbox.Changes{Removed: 1}},
		{"local e = world.entity('2') e.Enemy = nil e.Inventory = {Note='q'} return e:has('Enemy'), e.Inventory.Note", `[false,"q"]`, sandbox.Changes{Added: 1, Removed: 1}},
		{"local e = world.entity('2') e:add('Inventory') e:remove('Inventory') e:add('Inventory', {Note='2'}) return e.Inventory.Note, #e.components", `["2",5]`, sandbox.Changes{Added: 2, Removed: 1}},
		{"local e = world.entity('2') e:remove('Enemy') e:add('Enemy', {Kind='Brute'}) return e.Enemy.Kind", `["Brute"]`, sandbox.Changes{Added: 1, Removed: 1}},
		{"local e = world.entity('2') e:add('Player') e.Health.HP = 2 e:despawn() return e:alive()", `[false]`, sandbox.Changes{Fields: 1, Added: 1, Despawned: 1}},
		{"local e = world.spawn{Secret={n=1, names={'a'}}} e.Secret.n = 2 return e.Secret.n, e.Secret.names[1]", `[2,"a"]`, sandbox.Changes{Spawned: 1}},
		{"local n = 0 for e in world.query{'Enemy'} do e:despawn() n = n + 1 end for e in world.query{'Enemy'} do n = n + 100 end return n", "[4]", sandbox.Changes{Despawned: 4}},
		{"local n = 0 local q = world.query{'Enemy'} world.entity('3'):despawn() for e in q do n = n + 1 end return n", "[3]", sandbox.Changes{Despawned: 1}},
		{"local a = world.spawn{Position={}} world.flush() local b = world.spawn{ChildOf={}, target=a} return b:target('ChildOf'), b", `["6v0","7v0"]`, sandbox.Changes{Spawned: 2}},
		{"local e = world.entity('2') e:add('ChildOf', {}, world.entity('1')) world.flush() return e:target('ChildOf'), world.count{target='1v0'}", `["1v0",1]`, sandbox.Changes{Added: 1}},
		{"world.entity('1').Health:Damage{amount=5}, world.entity('1').Health.HP", "[45,45]", sandbox.Changes{Fields: 1}},
		{"local e = world.spawn{Position={}} print(e.id) return {[e.id] = true}", `[{"6v0":true}]`, sandbox.Changes{Spawned: 1}},
	} {
		f := newFixture(t, 4, sandbox.Options{})
		before := f.dump()
		if strings.Contains(c.code, "flush") || strings.Contains(c.code, "Damage") {
			before = ""
		}
		if before != "" { // a dry run reports the same and changes nothing
			r, err := f.run(c.code, true)
			if err != nil {
				t.Errorf("dry %s: %v", c.code, err)
				continue
			}
			if r.Changes != c.changes {
				t.Errorf("dry %s: changes %+v, want %+v", c.code, r.Changes, c.changes)
			}
			if after := f.dump(); after != before {
				t.Errorf("dry %s changed the world:\n%s\nwas\n%s", c.code, after, before)
			}
			// Refused at its end, it changes nothing either.
			if _, err := f.run("local function f() "+body(c.code)+" end f() error('no')", false); err == nil {
				t.Errorf("%s then error: no error", c.code)
			}
			if after := f.dump(); after != before {
				t.Errorf("%s then error changed the world:\n%s\nwas\n%s", c.code, after, before)
			}
		}
		r, err := f.run(c.code, false)
		if err != nil {
			t.Errorf("%s: %v", c.code, err)
			continue
		}
		if got := valuesJSON(t, r); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.code, got, c.want)
		}
		if r.Changes != c.changes {
			t.Errorf("%s: changes %+v, want %+v", c.code, r.Changes, c.changes)
		}
		if f.dump() == before && c.changes != (sandbox.Changes{}) {
			t.Errorf("%s did not change the world", c.code)
		}
	}
}

// body makes statements of an expression alone.
func body(code string) string {
	for _, word := range []string{"local ", "for ", "world.resource('Score').Points ="} {
		if strings.HasPrefix(code, word) {
			return code
		}
	}
	return "return " + code
}

func TestWorldRefusals(t *testing.T) {
	f := newFixture(t, 4, sandbox.Options{})
	before := f.dump()
	for _, c := range []struct {
		code    string
		line    int
		text    string
		options string
	}{
		{"for e in world.query{with={'Player','Health'}} do\n e.Health.HP = 'x' end", 2, "HP", ""},
		{"for e in world.query{with={'Player','Health'}} do e.Health.HQ = 1 end", 1, "HQ", "HP"},
		{"local e = world.entity('1')\n\nprint(e.Health.HQ)", 3, "HQ", "HP"},
		{"world.entity('1').Health.HP = -1", 1, "HP", ""},
		{"world.entity('1').Health.HP = 1.5", 1, "HP", ""},
		{"world.entity('1').Health.HP = nil", 1, "HP", ""},
		{"world.entity('1').Health.Ratio = 1", 1, "Ratio", ""},
		{"world.entity('1').Fixed.ID = 1", 1, "ID", ""},
		{"world.entity('1').Fixed.Tint[1] = 256", 1, "Tint", ""},
		{"world.entity('1').Fixed.Tint[5] = 1", 1, "elements 1 to 4", ""},
		{"world.entity('2').Enemy.Kind = 'Snipper'", 1, "Snipper", "Sniper"},
		{"world.entity('2').Enemy.Kind = 77", 1, "77", "Sniper"},
		{"world.entity('2').Enemy.Target = '999999v0'", 1, "Enemy.Target: entity 999999v0 never lived", ""},
		{"world.spawn{Enemy={Target='999999v0'}}", 1, "never lived", ""},
		{"world.entity('1'):add('Enemy', {Target='999999v0'})", 1, "never lived", ""},
		{"world.entity('1').Helth.HP = 1", 1, "Helth", "Health"},
		{"world.query{with={'Enmy'}}", 1, "Enmy", "Enemy"},
		{"world.query{wth={'Enemy'}}", 1, "wth", "with"},
		{"world.query{where='Health.HP >'}", 1, "", ""},
		{"local e = world.entity('2')\nreturn e.Player.X", 2, "", ""},
		{"local e = world.entity('2')\nreturn e.Inventory.Note", 2, "no component Inventory", "Health"},
		{"world.entity('1'):add('Health', {})", 1, "has Health already", ""},
		{"local e = world.entity('3') e:despawn()\nprint(e.Health.HP)", 2, "entity 4v0 was despawned by this script", ""},
		{"world.spawn{Position={Z=1}}", 1, "Z", "X"},
		{"world.spawn{Positon={}}", 1, "Positon", "Position"},
		{"world.resource('Scor')", 1, "Scor", "Score"},
		{"world.tool('stats')", 1, "no tools", ""},
		{"local a = world.spawn{Position={}} world.entity('2').Enemy.Target = a", 1, "not in the world yet", ""},
		{"local e = world.entity('1') e.despawn()", 1, "colon", ""},
		{"local e = world.entity('1') e.id = 5", 1, "cannot be assigned", ""},
		{"world.entity('1').Health = 5", 1, "Health", ""},
		{"world.entity('1').Health:Damage{amount=-1}", 1, "negative", ""},
		{"world.entity('1').Inventory.Slots[1] = print", 1, "function cannot be stored", ""},
		{"local t = {} t.t = t world.entity('1').Inventory.Tags = t", 1, "nested deeper", ""},
		{"world.entity('1').Health.HP = 3 world.entity('1').Inventory.Tags.fire = 7 world.entity('1').Inventory.Slots = nil world.spawn{Position={}} error('late')", 1, "late", ""},
	} {
		r, err := f.run(strings.ReplaceAll(c.code, "entity('3') e", "entity('4v0') e"), false)
		if err == nil {
			t.Errorf("%s gave %s", c.code, valuesJSON(t, r))
			continue
		}
		e := scriptErr(t, err)
		if e.Code != refusal.ScriptError || e.Line != c.line || !strings.Contains(e.Message, c.text) {
			t.Errorf("%s:\n got %s line %d: %s\nwant line %d, %q", c.code, e.Code, e.Line, e.Message, c.line, c.text)
		}
		if c.options != "" && !strings.Contains(strings.Join(e.Options, " "), c.options) {
			t.Errorf("%s: options %v, want %s (%s)", c.code, e.Options, c.options, e.Message)
		}
		if after := f.dump(); after != before {
			t.Fatalf("%s changed the world:\n%s\nwas\n%s", c.code, after, before)
		}
	}
}

func TestRollbackKeepsWhatWasSharedAndNil(t *testing.T) {
	f := newFixture(t, 1, sandbox.Options{})
	inv := (*Inventory)(f.w.Get(f.player, f.inv))
	slots, best := &inv.Slots[0], inv.Best
	if _, err := f.run("world.spawn{Secret={n=1, names={'a', 'b'}}}", false); err != nil {
		t.Fatal(err)
	}
	before := f.dump()
	_, err := f.run("for e in world.query{'Secret'} do e.Secret.names[1] = 'z' e.Secret.n = 5 e.Secret.names = {} end error('no')", false)
	if e := scriptErr(t, err); !strings.Contains(e.Message, "no") || f.dump() != before {
		t.Errorf("unexported fields: %v\n%s", e, f.dump())
	}
	inv.Tags = nil
	code := "local i = world.entity('1').Inventory i.Slots[1].Count = 77 i.Best.Count = 0 i.Slots = {} i.Best = nil i.Tags = {a = 1} i.Tags.b = 2 error('no')"
	if _, err := f.run(code, false); err == nil {
		t.Fatal("no error")
	}
	if &inv.Slots[0] != slots || inv.Best != best || slots.Count != 1 || best.Count != 9 || inv.Tags != nil || len(inv.Slots) != 2 {
		t.Errorf("after the rollback: %+v, best %+v", inv, inv.Best)
	}
}

func TestFlushIsReported(t *testing.T) {
	f := newFixture(t, 2, sandbox.Options{})
	_, err := f.run("world.entity('1').Health.HP = 1 world.flush() world.entity('1').Health.HP = 2 world.spawn{Position={}} error('no')", false)
	e := scriptErr(t, err)
	if e.Extra["flushed"] != true || e.Extra["changes"] != (sandbox.Changes{Fields: 1}) {
		t.Errorf("extra is %v", e.Extra)
	}
	if hp := (*Health)(f.w.Get(f.player, f.hp)).HP; hp != 1 {
		t.Errorf("HP is %d, want 1: flushed before the refusal", hp)
	}
}

func TestToolsFromScripts(t *testing.T) {
	f := newFixture(t, 2, sandbox.Options{})
	var calls []string
	env := sandbox.Env{World: f.world, ReadsOnly: func(name string) bool { return name == "stats" },
		CallTool: func(name string, args map[string]any) (any, error) {
			calls = append(calls, fmt.Sprint(name, args))
			if name == "bad" {
				return nil, &refusal.Error{Code: refusal.NotFound, Message: "no tool bad", Options: []string{"bat"}}
			}
			return struct {
				N    int   `json:"n"`
				List []int `json:"list"`
			}{len(calls), []int{1, 2}}, nil
		}}
	r, err := evalIn(f.s, env, "local t = world.tool('stats', {a = 1, b = {1, 2}}) return t.n, t.list[2]", sandbox.RunOptions{DryRun: true})
	if err != nil || valuesJSON(t, r) != "[1,2]" || r.Flushed || calls[0] != "statsmap[a:1 b:[1 2]]" {
		t.Errorf("%+v %v %v", r, err, calls)
	}
	if _, err = evalIn(f.s, env, "world.tool('set', {})", sandbox.RunOptions{DryRun: true}); err == nil || !strings.Contains(err.Error(), "dry run") {
		t.Errorf("a changing tool in a dry run: %v", err)
	}
	r, err = evalIn(f.s, env, "world.entity('1').Health.HP = 1 world.tool('set', {})", sandbox.RunOptions{})
	if err != nil || !r.Flushed || r.Changes.Fields != 1 {
		t.Errorf("%+v %v", r, err)
	}
	_, err = evalIn(f.s, env, "world.tool('bad', {})", sandbox.RunOptions{})
	if e := scriptErr(t, err); len(e.Options) != 1 || e.Code != refusal.ScriptError {
		t.Errorf("%+v", e)
	}
	// A script cannot start another one.
	env.CallTool = func(string, map[string]any) (any, error) {
		c, err := f.s.Compile("return 1")
		if err != nil {
			return nil, err
		}
		return f.s.Run(env, c, sandbox.RunOptions{})
	}
	if _, err = evalIn(f.s, env, "world.tool('run_lua', {})", sandbox.RunOptions{}); err == nil || !strings.Contains(err.Error(), "already running") {
		t.Errorf("a script in a script: %v", err)
	}
}

func TestLockedWorldRefusesStructureAtOnce(t *testing.T) {
	f := newFixture(t, 2, sandbox.Options{})
	q := f.w.Query(arche.All())
	defer q.Close()
	if _, err := f.run("world.entity('1').Health.HP = 3", false); err != nil {
		t.Errorf("a field write in a locked world: %v", err)
	}
	_, err := f.run("\nworld.spawn{Position={}}", false)
	if e := scriptErr(t, err); e.Line != 2 || !strings.Contains(e.Message, "locked") {
		t.Errorf("%v", e)
	}
}

// What an action answers has the names and the forms that its tool's answer has.
func TestActionResultsAreSpelledAsByTheirTools(t *testing.T) {
	f := newFixture(t, 0, sandbox.Options{})
	r, err := f.run("local c = world.entity('1').Health:Inspect() local keys = {} for k in pairs(c) do keys[#keys+1] = k end table.sort(keys) return c.hp, c.max_hp, c.HP, table.concat(keys, ' ')", false)
	if err != nil {
		t.Fatal(err)
	}
	if got := valuesJSON(t, r); got != `[50,100,null,"Left hp max_hp"]` {
		t.Errorf("%s", got)
	}
}

func TestProxiesAndFunctionsSurviveCalls(t *testing.T) {
	f := newFixture(t, 3, sandbox.Options{})
	step := func(code, want string) {
		t.Helper()
		r, err := f.run(code, false)
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		if got := valuesJSON(t, r); got != want {
			t.Errorf("%s: got %s, want %s", code, got, want)
		}
	}
	step("p = world.entity('1') h = p.Health function hp(e) return e.Health.HP end old = world s = world.spawn{Health={HP=4}} return hp(p), hp(s)", "[50,4]")
	step("return p.Health.HP, h.HP, hp(p), old.count(), hp(s), s.id", `[50,50,50,5,4,"5v0"]`)
	f.w.RemoveEntity(f.player)
	step("return pcall(hp, p)", `[false,"script:1: entity 1v0 is not alive"]`)
	step("return p:alive(), s:alive(), p.id", `[false,true,"1v0"]`)
}

func TestChangesAreLimited(t *testing.T) {
	f := newFixture(t, 2, sandbox.Options{Changes: 10})
	before := f.dump()
	_, err := f.run("local e = world.entity('1') for i = 1, 100 do pcall(function() e.Health.HP = i end) end", false)
	if e := scriptErr(t, err); e.Code != refusal.ScriptError || !strings.Contains(e.Message, "more than 10") {
		t.Errorf("%v", e)
	}
	if f.dump() != before {
		t.Error("the world has changed")
	}
}

func TestNoWorld(t *testing.T) {
	_, err := eval(sandbox.New(sandbox.Options{}), "return world.count()")
	if e := scriptErr(t, err); !strings.Contains(e.Message, "no world") {
		t.Errorf("%v", e)
	}
}
