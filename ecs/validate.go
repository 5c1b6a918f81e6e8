package ecs

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// MaxSpawn is the largest count one OpSpawn may ask for: a slip of a digit
// must not take the game's memory.
const MaxSpawn = 1_000_000

// ValidateChanges simulates changes against the world, in order and as if each
// took effect in turn, without touching it: what every adapter's Apply calls
// first. It checks locks, types, values, liveness, composition and relations;
// when it returns nil the changes can be applied one after the other without
// a refusal by the engine. Frame goroutine.
func ValidateChanges(w World, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	return ValidateChangesWith(w.Catalog(), w, changes)
}

// ValidateChangesWith is [ValidateChanges] with a catalog the caller has at
// hand: its types must be current, its counts may be old. An adapter whose
// catalog costs something to gather uses it in Apply.
func ValidateChangesWith(cat *Catalog, w World, changes []Change) error {
	p := validation{cat: cat, w: w}
	if len(changes) > 1 {
		p.known = make(map[Entity]*planned, len(changes))
	}
	locked := w.Locked()
	for i := range changes {
		c := &changes[i]
		if locked && c.Op != OpSet {
			return at(i, changes, &refusal.Error{Code: refusal.WorldLocked,
				Message: "the world is locked: a query is open, or one that a panic interrupted was never closed",
				Hint:    "values can still be set; after a crash, clear_crash with unlock releases the lock", Next: "clear_crash"})
		}
		if err := p.step(c); err != nil {
			return at(i, changes, err)
		}
	}
	return nil
}

// at says which of several changes was refused.
func at(i int, changes []Change, err *refusal.Error) error {
	if len(changes) > 1 {
		err.Message = fmt.Sprintf("change %d of %d (%s): %s", i+1, len(changes), changes[i].Op, err.Message)
	}
	return err
}

// String names the operation as messages do.
func (o Op) String() string {
	switch o {
	case OpSpawn:
		return "spawn"
	case OpDespawn:
		return "despawn"
	case OpAdd:
		return "add"
	case OpRemove:
		return "remove"
	case OpSet:
		return "set"
	case OpRetarget:
		return "retarget"
	}
	return "op " + strconv.Itoa(int(o))
}

// planned is an entity as the changes so far would have left it.
type planned struct {
	dead  bool
	types []TypeID
}

func (p *planned) has(id TypeID) bool { return slices.Contains(p.types, id) }

// validation is one pass over a list of changes.
type validation struct {
	cat   *Catalog
	w     World
	known map[Entity]*planned // nil for a single change
	one   planned
}

func (p *validation) entity(e Entity) (*planned, *refusal.Error) {
	s := p.known[e]
	if s == nil {
		c, _, ok := p.w.Row(e)
		if !ok {
			return nil, p.dead(e)
		}
		if p.known == nil {
			s = &p.one
		} else {
			s = &planned{}
			p.known[e] = s
		}
		s.types = append(s.types[:0], c.Components()...)
	}
	if s.dead {
		return nil, p.dead(e)
	}
	return s, nil
}

// alive: as the changes so far would have left it.
func (p *validation) alive(e Entity) bool {
	s := p.known[e]
	return (s == nil || !s.dead) && p.w.Alive(e)
}

// dead says why an entity cannot be meant.
func (p *validation) dead(e Entity) *refusal.Error {
	switch s := p.known[e]; {
	case e.IsZero():
		return &refusal.Error{Code: refusal.UnknownEntity, Message: "the zero entity means none: it cannot be changed", Got: e.String()}
	case s != nil && s.dead:
		return &refusal.Error{Code: refusal.EntityDead, Message: "entity " + e.String() + " is despawned by an earlier change", Got: e.String()}
	}
	return notAlive(p.w, e)
}

func (p *validation) step(c *Change) *refusal.Error {
	switch c.Op {
	case OpSpawn:
		return p.spawn(c)
	case OpDespawn, OpAdd, OpRemove, OpSet, OpRetarget:
	default:
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "not an operation: " + c.Op.String()}
	}
	s, err := p.entity(c.Entity)
	if err != nil {
		return err
	}
	switch c.Op {
	case OpDespawn:
		s.dead = true
		return nil
	case OpAdd:
		return p.add(c, s)
	case OpRemove:
		return p.remove(c, s)
	case OpSet:
		if err := p.values(c); err != nil {
			return err
		}
		for _, v := range c.Values {
			if !s.has(v.Type) {
				return p.missing(c.Entity, v.Type, "add the component first")
			}
		}
		return nil
	default:
		return p.retarget(c, s)
	}
}

func (p *validation) spawn(c *Change) *refusal.Error {
	if !c.Entity.IsZero() {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "a spawn cannot choose its entity", Got: c.Entity.String()}
	}
	if c.Count < 0 {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "a spawn needs a positive count", Got: c.Count, Want: "1 or more"}
	}
	if c.Count > MaxSpawn {
		return &refusal.Error{Code: refusal.TooLarge, Message: "too many entities for one spawn", Got: c.Count, Want: "at most " + strconv.Itoa(MaxSpawn)}
	}
	var types []TypeID
	if len(c.Values) > 0 {
		if err := p.values(c); err != nil {
			return err
		}
		types = typesOf(c.Values)
	}
	if err := p.relations(types); err != nil {
		return err
	}
	if err := p.composition(types); err != nil {
		return err
	}
	return p.targets(c.Targets, types, "the spawn gives it no such component")
}

func (p *validation) add(c *Change, s *planned) *refusal.Error {
	if err := p.values(c); err != nil {
		return err
	}
	if err := p.fixed(c.Entity, s); err != nil {
		return err
	}
	added := typesOf(c.Values)
	for _, id := range added {
		if s.has(id) {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("entity %s has %s already", c.Entity, p.name(id)),
				Got: p.name(id), Hint: "set replaces the value of a component that is there"}
		}
	}
	if err := p.relations(append(slices.Clone(s.types), added...)); err != nil {
		return err
	}
	if err := p.targets(c.Targets, added, "the change does not add it; retarget changes a relation that is there"); err != nil {
		return err
	}
	s.types = append(s.types, added...)
	return nil
}

func (p *validation) remove(c *Change, s *planned) *refusal.Error {
	if len(c.Types) == 0 {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "no component to remove was named"}
	}
	for i, id := range c.Types {
		if err := p.component(id); err != nil {
			return err
		}
		if slices.Contains(c.Types[:i], id) {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: p.name(id) + " is named twice", Got: p.name(id)}
		}
		if !s.has(id) {
			return p.missing(c.Entity, id, "")
		}
	}
	if err := p.fixed(c.Entity, s); err != nil {
		return err
	}
	s.types = slices.DeleteFunc(s.types, func(id TypeID) bool { return slices.Contains(c.Types, id) })
	if len(s.types) == 0 && p.cat.Engine.NeedsComponent {
		return &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("it is the last component of %s, and an entity of %s has at least one", c.Entity, p.cat.Engine.Name),
			Got: p.name(c.Types[0]), Hint: "despawn the entity, or add another component first", Next: "despawn"}
	}
	return nil
}

func (p *validation) retarget(c *Change, s *planned) *refusal.Error {
	if len(c.Targets) == 0 {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "no relation to retarget was named"}
	}
	for _, t := range c.Targets {
		if err := p.component(t.Relation); err != nil {
			return err
		}
		if !s.has(t.Relation) {
			return p.missing(c.Entity, t.Relation, "add the relation first")
		}
	}
	return p.targets(c.Targets, s.types, "")
}

// component refuses a number that is no component type of the world.
func (p *validation) component(id TypeID) *refusal.Error {
	if id < 0 || int(id) >= len(p.cat.Components) {
		return &refusal.Error{Code: refusal.UnknownComponent, Message: fmt.Sprintf("component type %d is not registered in this world", id),
			Got: int(id), Want: fmt.Sprintf("0 to %d", len(p.cat.Components)-1)}
	}
	if limit := p.cat.Engine.MaxTypes; limit > 0 && int(id) >= limit {
		return &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("%s is component type number %d, of which %s handles only %d: it cannot be used",
			p.name(id), int(id)+1, p.cat.Engine.Name, limit), Hint: "the game registers too many component types"}
	}
	return nil
}

// values checks what a spawn, add or set brings: at least one, known types,
// none twice, Go values of exactly those types.
func (p *validation) values(c *Change) *refusal.Error {
	values := c.Values
	if len(values) == 0 {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "no component value was given"}
	}
	for i, v := range values {
		if err := p.component(v.Type); err != nil {
			return err
		}
		for _, before := range values[:i] {
			if before.Type == v.Type {
				return &refusal.Error{Code: refusal.InvalidArguments, Message: p.name(v.Type) + " is given twice", Got: p.name(v.Type)}
			}
		}
		want := p.cat.Components[v.Type].Type.Go
		if !v.Value.IsValid() {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: "no value for " + p.name(v.Type), Want: want.String()}
		}
		if got := v.Value.Type(); got != want {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("a value of type %s for component %s", got, p.name(v.Type)),
				Got: got.String(), Want: want.String()}
		}
		if !v.Value.CanInterface() {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: "the value for " + p.name(v.Type) + " was read through an unexported field and cannot be stored"}
		}
		if c.Exact {
			continue
		}
		if err := p.entities(v); err != nil {
			return err
		}
	}
	return nil
}

// entities checks the entities inside a value.
func (p *validation) entities(v Value) *refusal.Error {
	if !value.LayoutOf(v.Value.Type()).Entities {
		return nil
	}
	return checkEntities(p.w, value.Addressable(v.Value), p.name(v.Type), p.alive)
}

// relations checks a composition against the engine's limit.
func (p *validation) relations(types []TypeID) *refusal.Error {
	limit := p.cat.Engine.RelationsPerEntity
	if limit == 0 {
		return nil
	}
	var names []string
	for _, id := range types {
		if p.cat.Components[id].Relation {
			names = append(names, p.name(id))
		}
	}
	if len(names) > limit {
		return &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("an entity of %s can have %d relation at most, this one would have %d", p.cat.Engine.Name, limit, len(names)),
			Got: names, Want: limit, Hint: "remove the relation that is there first"}
	}
	return nil
}

// targets checks relation targets against the types they must belong to.
func (p *validation) targets(targets []Target, types []TypeID, absent string) *refusal.Error {
	for i, t := range targets {
		if err := p.component(t.Relation); err != nil {
			return err
		}
		if !p.cat.Components[t.Relation].Relation {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: p.name(t.Relation) + " is not a relation: it has no target", Got: p.name(t.Relation), Options: p.relationNames()}
		}
		if !slices.Contains(types, t.Relation) {
			return &refusal.Error{Code: refusal.ComponentMissing, Message: "a target for " + p.name(t.Relation) + ", but " + absent, Got: p.name(t.Relation)}
		}
		for _, before := range targets[:i] {
			if before.Relation == t.Relation {
				return &refusal.Error{Code: refusal.InvalidArguments, Message: p.name(t.Relation) + " is given two targets", Got: p.name(t.Relation)}
			}
		}
		if t.Entity.IsZero() {
			continue
		}
		if !p.alive(t.Entity) {
			err := p.dead(t.Entity)
			err.Message = "the target of " + p.name(t.Relation) + ": " + err.Message
			return err
		}
	}
	return nil
}

func (p *validation) relationNames() []string {
	var names []string
	for _, c := range p.cat.Components {
		if c.Relation && len(names) < 10 {
			names = append(names, c.Name)
		}
	}
	return names
}

func (p *validation) missing(e Entity, id TypeID, hint string) *refusal.Error {
	if err := p.component(id); err != nil {
		return err
	}
	return &refusal.Error{Code: refusal.ComponentMissing, Message: fmt.Sprintf("entity %s has no %s", e, p.name(id)), Got: p.name(id), Hint: hint, Next: "info"}
}

func (p *validation) name(id TypeID) string {
	c := p.cat.Components[id]
	if c.Name != "" {
		return c.Name
	}
	return c.Type.Go.String()
}

func typesOf(values []Value) []TypeID {
	ids := make([]TypeID, len(values))
	for i, v := range values {
		ids[i] = v.Type
	}
	return ids
}
