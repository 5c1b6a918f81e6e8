package query_test

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

const rows = 7000 // several blocks an archetype: a block is 1024 rows

// Every expression against the same condition in Go.
func TestWhereAgreesWithGo(t *testing.T) {
	_, w := newWorld(t, rows)
	enemy := func(i int) bool { return i%3 == 0 }
	inv := func(i int) bool { return i%3 == 1 }
	nums := func(i int) bool { return i%3 == 2 }
	v := func(i int) int64 { return int64(i) - 50 }
	for where, want := range map[string]func(i int) bool{
		"Health.HP < 10":                                  func(i int) bool { return i < 10 },
		"10 > Health.HP":                                  func(i int) bool { return i < 10 },
		"Health.HP <= 10.5":                               func(i int) bool { return i <= 10 },
		"Health.HP != 7":                                  func(i int) bool { return i != 7 },
		"Health.HP == 7.5":                                func(i int) bool { return false },
		"Health.HP != 7.5":                                func(i int) bool { return true },
		"Health.HP < 1e300":                               func(i int) bool { return true },
		"Health.HP > -9e99 && Health.HP >= 2990":          func(i int) bool { return i >= 2990 },
		"Health.HP < Health.Max/2":                        func(i int) bool { return i < 50 },
		"Health.HP % 7 == 3":                              func(i int) bool { return i%7 == 3 },
		"Health.HP * 2 > Health.Max + 900":                func(i int) bool { return i*2 > 1000 },
		"Health.HP * 0.5 < 10":                            func(i int) bool { return float64(i)*0.5 < 10 },
		"float(Health.HP) / Health.Max < 0.25":            func(i int) bool { return float64(i)/100 < 0.25 },
		"Health.Ratio >= 29.5":                            func(i int) bool { return i >= 2950 },
		"-Health.HP > -5":                                 func(i int) bool { return i < 5 },
		"100 - Health.HP > 95":                            func(i int) bool { return i < 5 },
		"100 / Health.HP >= 20":                           func(i int) bool { return i > 0 && 100/i >= 20 },
		"Health.Max / (Health.HP - 5) == 100":             func(i int) bool { return i == 6 },
		"!(Health.HP >= 10)":                              func(i int) bool { return i < 10 },
		"Health.HP < 10 || Health.HP > 2990":              func(i int) bool { return i < 10 || i > 2990 },
		"(Health.HP < 10) == (Health.Max == 100)":         func(i int) bool { return i < 10 },
		"(Health.HP < 10) != true":                        func(i int) bool { return i >= 10 },
		"Health.HP & 6 == 4":                              func(i int) bool { return i&6 == 4 },
		"abs(Health.HP - 100) < 3":                        func(i int) bool { return i > 97 && i < 103 },
		"sqrt(Health.HP) == 3":                            func(i int) bool { return i == 9 },
		"true":                                            func(i int) bool { return i >= 0 },
		`Enemy.Kind == "Brute"`:                           func(i int) bool { return enemy(i) && i%4 == 1 },
		`Enemy.Kind == 1`:                                 func(i int) bool { return enemy(i) && i%4 == 1 },
		`Enemy.Kind >= "Brute" && Enemy.Aggro < 3`:        func(i int) bool { return enemy(i) && i%4 >= 1 && float64(i)/10 < 3 },
		`Enemy.Target == nil`:                             func(i int) bool { return enemy(i) && i%2 == 1 },
		`Enemy.Target != null`:                            func(i int) bool { return enemy(i) && i%2 == 0 },
		`Enemy.Target == "1v0"`:                           func(i int) bool { return enemy(i) && i%2 == 0 },
		`alive(Enemy.Target)`:                             func(i int) bool { return enemy(i) && i%2 == 0 },
		`Enemy.Aggro > Position.X/10`:                     func(i int) bool { return enemy(i) && float64(i)/10 > float64(i)/2/10 },
		`Position.X == Health.HP/2`:                       nil, // an integer division meets a float: refused below
		`Inventory.Slots[1].Count > 100`:                  func(i int) bool { return inv(i) && i%5 > 1 && i+1 > 100 },
		`Inventory.Tags["fire"] < 50`:                     func(i int) bool { return inv(i) && i%2 == 1 && i < 50 },
		`len(Inventory.Slots) == 3`:                       func(i int) bool { return inv(i) && i%5 == 3 },
		`len(Inventory.Note) == 6`:                        func(i int) bool { return inv(i) && i < 10 },
		`len(Inventory.Tags) == 1`:                        func(i int) bool { return inv(i) && i%2 == 1 },
		`Inventory.Note == "note 4"`:                      func(i int) bool { return i == 4 },
		`Inventory.Note < "note 2"`:                       func(i int) bool { return inv(i) && ("note "+strconv.Itoa(i)) < "note 2" },
		`contains(Inventory.Note, "99")`:                  func(i int) bool { return inv(i) && strings.Contains(strconv.Itoa(i), "99") },
		`Inventory.Open`:                                  func(i int) bool { return inv(i) && i%2 == 0 },
		`!Inventory.Open`:                                 func(i int) bool { return inv(i) && i%2 == 1 },
		`Inventory.Open == false`:                         func(i int) bool { return inv(i) && i%2 == 1 },
		`Inventory.Best == nil`:                           func(i int) bool { return inv(i) && i%2 == 0 },
		`Inventory.Best.Count > 10`:                       func(i int) bool { return inv(i) && i%2 == 1 && i > 10 },
		`Inventory.Any.(query_test.Slot).Count > 7`:       func(i int) bool { return inv(i) && i%4 == 0 && i > 7 },
		`Inventory.Any != nil`:                            inv,
		`Inventory.Slots != nil`:                          func(i int) bool { return inv(i) && i%5 > 0 },
		`Numbers.I8 < -40`:                                func(i int) bool { return nums(i) && int8(v(i)) < -40 },
		`Numbers.I16 + Numbers.I32 == -20`:                func(i int) bool { return nums(i) && 2*v(i) == -20 },
		`Numbers.I64 == 2251799813685248`:                 func(i int) bool { return nums(i) && v(i)<<50 == 2251799813685248 },
		`Numbers.I64 > 2251799813685247.5`:                func(i int) bool { return nums(i) && v(i)<<50 >= 2251799813685248 },
		`Numbers.U8 > 250`:                                func(i int) bool { return nums(i) && uint8(i) > 250 },
		`Numbers.U64 > 9223372036854775807`:               func(i int) bool { return nums(i) && uint64(i)<<58 > math.MaxInt64 },
		`Numbers.U64 > Numbers.I64`:                       func(i int) bool { return nums(i) && (v(i)<<50 < 0 || uint64(i)<<58 > uint64(v(i)<<50)) },
		`Numbers.U64 == Numbers.U64`:                      nums,
		`Numbers.F32 == 0.1`:                              func(i int) bool { return nums(i) && v(i) == 1 },
		`Numbers.F64 <= -4.5`:                             func(i int) bool { return nums(i) && float64(v(i))/10 <= -4.5 },
		`int(Numbers.F64) == 1`:                           func(i int) bool { return nums(i) && v(i) >= 10 && v(i) < 20 },
		`Numbers.Arr[0] < 9`:                              func(i int) bool { return nums(i) && i < 9 },
		`has(Numbers) && Health.HP < 9`:                   func(i int) bool { return nums(i) && i < 9 },
		`!has(Numbers) && Health.HP < 9`:                  func(i int) bool { return !nums(i) && i < 9 },
		`has(Enemy) && Enemy.Aggro < 1 || Health.HP == 1`: func(i int) bool { return enemy(i) && i < 10 || i == 1 },
		`isnan(Numbers.F64) || isinf(Numbers.F64)`:        func(i int) bool { return false },
		`Position.Broken > 0`:                             func(i int) bool { return false },
	} {
		if want == nil {
			continue
		}
		got := hps(t, w, query.Query{Where: where, With: []string{"Health"}})
		for i := range rows {
			if got[i] != want(i) {
				t.Errorf("%s: row %d is %v, want %v", where, i, got[i], want(i))
				break
			}
		}
	}
}

func TestWhereRefusals(t *testing.T) {
	_, w := newWorld(t, 10)
	for _, c := range []struct {
		where string
		code  refusal.Code
		want  []string
	}{
		{"Health.HQ < 3", refusal.UnknownField, []string{"column 1", "HP"}},
		{"Health.HP < 3 && Helth.HP < 3", refusal.UnknownComponent, []string{"column 18", "Health"}},
		{"Health.HP <", refusal.InvalidArguments, []string{"column"}},
		{"Health.HP = 3", refusal.InvalidArguments, []string{"=="}},
		{"Health.HP < 3 and true", refusal.InvalidArguments, []string{"&&"}},
		{"Enemy.Kind == 'Brute'", refusal.InvalidArguments, []string{"double quotes"}},
		{`Enemy.Kind == "Brut"`, refusal.InvalidArguments, []string{"Brute", "column 15"}},
		{"Health.HP", refusal.InvalidArguments, []string{"compare"}},
		{"Player", refusal.InvalidArguments, []string{"has(Player)"}},
		{`Health.HP < "3"`, refusal.InvalidArguments, []string{"without quotes"}},
		{`Enemy.Target == "42"`, refusal.InvalidArguments, []string{"42v3"}},
		{`Enemy.Target == 42`, refusal.InvalidArguments, []string{"42v3"}},
		{`Enemy.Target < "42v3"`, refusal.InvalidArguments, nil},
		{"Position.X == Health.HP/2", refusal.InvalidArguments, []string{"float(a)/b"}},
		{"Health.HP/Health.Max < 0.5", refusal.InvalidArguments, []string{"float(a)/b"}},
		{"Health.HP / 0 > 1", refusal.InvalidArguments, []string{"division by zero"}},
		{"1 / 0 > 1", refusal.InvalidArguments, []string{"division by zero"}},
		{"Position.X < 1e400", refusal.InvalidArguments, []string{"overflows"}},
		{"Health.HP + 99999999999999999999 > 1", refusal.InvalidArguments, []string{"64 bits"}},
		{"lenn(Inventory.Slots) > 1", refusal.InvalidArguments, []string{"len"}},
		{"len(Health.HP) > 1", refusal.InvalidArguments, []string{"len wants"}},
		{"len() > 1", refusal.InvalidArguments, nil},
		{"Inventory.Slots[Health.HP].Count > 1", refusal.InvalidArguments, []string{"literal"}},
		{"Inventory > 1", refusal.InvalidArguments, nil},
		{"Health.HP == nil", refusal.InvalidArguments, []string{"never nil"}},
		{"func() bool { return true }()", refusal.InvalidArguments, nil},
		{"Health.HP << 3 > 1", refusal.InvalidArguments, nil},
		{strings.Repeat("(", 200) + "true" + strings.Repeat(")", 200), refusal.InvalidArguments, []string{"nested"}},
		{strings.Repeat("!", 5000) + "true", refusal.InvalidArguments, []string{"bytes"}},
	} {
		_, err := query.Compile(w.Catalog(), query.Query{Where: c.where})
		var e *refusal.Error
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s: want %s, got %v", c.where, c.code, err)
			continue
		}
		text := e.Message + " " + e.Hint + " " + strings.Join(e.Options, " ")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the refusal does not mention %q: %s", c.where, want, text)
			}
		}
	}
}

func TestCaretPointsAtTheFault(t *testing.T) {
	_, w := newWorld(t, 1)
	_, err := query.Compile(w.Catalog(), query.Query{Where: "Health.HP < 3 && Health.HQ > 1"})
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 || strings.Index(lines[2], "^") != strings.Index(lines[1], "Health.HQ") {
		t.Errorf("%s", err)
	}
}

func TestNaNIsFound(t *testing.T) {
	aw := arche.NewWorld()
	m := generic.NewMap2[Position, Health](&aw)
	m.NewWith(&Position{math.NaN(), 1}, &Health{1, 1})
	m.NewWith(&Position{2, math.Inf(-1)}, &Health{2, 1})
	w := archeworld.New(&aw)
	for where, want := range map[string]int{"isnan(Position.X)": 1, "Position.X != Position.X": 1, "isinf(Position.Y)": 2, "Position.X > 0": 2, "!(Position.X > 0)": 1, "Position.Y < -1e308": 2} {
		if got := hps(t, w, query.Query{Where: where}); len(got) != 1 || !got[want] {
			t.Errorf("%s: %v, want %d", where, got, want)
		}
	}
}

func TestFiltersAndNames(t *testing.T) {
	_, w := newWorld(t, 30)
	if got := hps(t, w, query.Query{Name: "thing 2"}); len(got) != 5 || !got[2] || !got[20] || !got[29] { // 2, 20, 23, 26, 29
		t.Errorf("by name: %v", got)
	}
	if got := hps(t, w, query.Query{With: []string{"Player"}}); !got[-1] || len(got) != 1 {
		t.Errorf("with: %v", got)
	}
	if got := hps(t, w, query.Query{With: []string{"Health"}, Without: []string{"Enemy", "Inventory"}}); len(got) != 10 {
		t.Errorf("without: %v", got)
	}
	if got := hps(t, w, query.Query{With: []string{"Position", "Player"}, Exclusive: true}); len(got) != 1 {
		t.Errorf("exclusive: %v", got)
	}
}

func TestPlanNoticesAnotherWorld(t *testing.T) {
	_, w := newWorld(t, 30)
	p, err := query.Compile(w.Catalog(), query.Query{Where: "Health.HP < 10"})
	if err != nil {
		t.Fatal(err)
	}
	aw := arche.NewWorld()
	generic.NewMap2[Title, Health](&aw) // other numbers for the same types
	m := generic.NewMap1[Health](&aw)
	m.NewWith(&Health{HP: 3})
	if n := p.Count(archeworld.New(&aw)); n != 1 {
		t.Errorf("in the other world: %d", n)
	}
	none := arche.NewWorld()
	if n := p.Count(archeworld.New(&none)); n != 0 {
		t.Errorf("in a world without the type: %d", n)
	}
	if _, err := p.Bind(archeworld.New(&none)); !errors.Is(err, refusal.UnknownComponent) {
		t.Errorf("Bind: %v", err)
	}
	if n := p.Count(w); n != 10 {
		t.Errorf("back: %d", n)
	}
}

func TestPlanRunsInsideItself(t *testing.T) {
	_, w := newWorld(t, 30)
	p, err := query.Compile(w.Catalog(), query.Query{Where: "Health.HP < 10 || Health.HP > 25"})
	if err != nil {
		t.Fatal(err)
	}
	p.Each(w, func(_ ecs.Chunk, rows []int32) bool {
		before := len(rows)
		if n := p.Count(w); n != 14 {
			t.Errorf("inner: %d", n)
		}
		return before == len(rows)
	})
}

func TestTopRanksLikeASort(t *testing.T) {
	_, w := newWorld(t, 500)
	for _, sort := range []string{"Health.HP", "-Health.HP", "Inventory.Note", "-Enemy.Kind", "Numbers.F64", "Enemy.Target", "Inventory.Open", "-(Health.HP % 10)"} {
		p, err := query.Compile(w.Catalog(), query.Query{With: []string{"Health"}})
		if err != nil {
			t.Fatal(err)
		}
		o, err := query.CompileOrder(w.Catalog(), sort)
		if err != nil {
			t.Fatal(sort, err)
		}
		all, matched, err := p.Top(w, o, 1000, nil)
		if err != nil || matched != 500 || len(all) != 500 {
			t.Fatalf("%s: %d of %d, %v", sort, len(all), matched, err)
		}
		// Pages of 7 are the same list.
		var after *query.After
		i := 0
		for {
			page, _, err := p.Top(w, o, 7, after)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			for _, r := range page {
				if r.Entity != all[i].Entity {
					t.Fatalf("%s: row %d is %v, want %v", sort, i, r.Entity, all[i].Entity)
				}
				i++
			}
			after = &page[len(page)-1].After
		}
		if i != 500 {
			t.Errorf("%s: the pages have %d rows", sort, i)
		}
	}
}

func TestRunsAllocateNothingPerChunk(t *testing.T) {
	_, w := newWorld(t, 100)
	p, err := query.Compile(w.Catalog(), query.Query{Where: "Health.HP < 10 && Position.X > 1 || Health.HP * 2 > Health.Max"})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	f := func(_ ecs.Chunk, rows []int32) bool { n += len(rows); return true }
	p.Each(w, f)
	if a := testing.AllocsPerRun(100, func() { p.Each(w, f) }); a > 4 {
		t.Errorf("%v allocations a run", a)
	}
}

func FuzzWhere(f *testing.F) {
	for _, s := range []string{`Health.HP < 10`, `Enemy.Kind == "Brute" && !has(Player)`, `len(Inventory.Slots) > 1`, `Inventory.Tags["fire"] == -1`,
		`(Health.HP + 3) * 2 / Health.Max % 5 != 1.5`, `Enemy.Target == "1v0" || Enemy.Target == nil`, `1e999 > Health.HP`, `'a' < Health.HP`, "Inventory.Slots[-1].Count\n== 1", `isnan(Numbers.F32 / 0.0)`} {
		f.Add(s)
	}
	_, w := newWorld(f, 40)
	cat := w.Catalog()
	f.Fuzz(func(t *testing.T, s string) {
		if o, err := query.CompileOrder(cat, s); err == nil {
			p, _ := query.Compile(cat, query.Query{})
			if _, _, err := p.Top(w, o, 5, nil); err != nil {
				t.Fatal(err)
			}
		}
		p, err := query.Compile(cat, query.Query{Where: s})
		if err != nil {
			var e *refusal.Error
			if !errors.As(err, &e) || e.Message == "" {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		if n := p.Count(w); n > 41 {
			t.Fatalf("%q: %d of 41", s, n)
		}
	})
}

func TestSortRefusalsSpeakOfSorting(t *testing.T) {
	_, w := newWorld(t, 10)
	for _, text := range []string{"Health.HP desc", "Health.HP, Enemy.Kind", "Health.HP <", strings.Repeat("(", 5000)} {
		_, err := query.CompileOrder(w.Catalog(), text)
		var e *refusal.Error
		if !errors.As(err, &e) || strings.Contains(e.Hint+fmt.Sprint(e.Want), "boolean") || !strings.HasPrefix(e.Message, "sort") {
			t.Errorf("%.30s: %+v", text, e)
		}
	}
}

type endless *endless

// Following a pointer type that points at itself never ends.
func TestPointersToThemselves(t *testing.T) {
	type Holder struct {
		P endless
		Q *endless
	}
	w := arche.NewWorld()
	id := arche.ComponentID[Holder](&w)
	var p endless
	p = &p
	(*Holder)(w.Get(w.NewEntity(id), id)).P = p
	cat := archeworld.New(&w).Catalog()
	for where, want := range map[string]refusal.Code{"len(Holder.P) == 0": refusal.InvalidArguments, "Holder.P.X == 1": refusal.UnknownField, "Holder.Q.X == 1": refusal.UnknownField} {
		if _, err := query.Compile(cat, query.Query{Where: where}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %s", where, err, want)
		}
	}
	plan, err := query.Compile(cat, query.Query{Where: "Holder.P != nil && Holder.Q == nil"})
	if err != nil || plan.Count(archeworld.New(&w)) != 1 {
		t.Error(err)
	}
}
