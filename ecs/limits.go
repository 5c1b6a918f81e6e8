package ecs

import "strings"

// Limit is the subject of an entry in [Engine.Cannot], which begins with it:
// "relations", or "events: a spawn is announced before its values are set".
type Limit string

// What an engine, or its adapter, may lack.
const (
	LimitRelations        Limit = "relations"              // no entity points at another by a relation
	LimitSeveralRelations Limit = "several relations"      // an entity has one relation at most
	LimitDeadTargets      Limit = "dead targets"           // a relation is reset when its target dies
	LimitLocks            Limit = "locks"                  // nothing refuses structural changes
	LimitUnlock           Limit = "releasing locks"        // the lock of an interrupted query cannot be released
	LimitEvents           Limit = "events"                 // no listener of the game is told of changes, or with reservations
	LimitRestore          Limit = "restoring"              // no snapshots
	LimitOrder            Limit = "order after restoring"  // in what the order of iteration, or of later changes, may differ
	LimitEmpty            Limit = "empty entities"         // an entity has at least one component
	LimitComposition      Limit = "changing a composition" // an entity keeps the components it was made with
	LimitIdentity         Limit = "identity"               // what the game changes itself may make an entity another thing
	LimitValues           Limit = "values"                 // values that cannot be shown, written or put back
)

// Limits are all of them.
var Limits = []Limit{LimitRelations, LimitSeveralRelations, LimitDeadTargets, LimitLocks, LimitUnlock, LimitEvents, LimitRestore, LimitOrder,
	LimitEmpty, LimitComposition, LimitIdentity, LimitValues}

// Declares gives the first entry of Cannot on a subject, or "".
func (e *Engine) Declares(l Limit) string {
	for _, s := range e.Cannot {
		if LimitOf(s) == l {
			return s
		}
	}
	return ""
}

// LimitOf is the subject of an entry; "" if it has none that is known.
func LimitOf(entry string) Limit {
	topic, _, _ := strings.Cut(entry, ":")
	for _, l := range Limits {
		if string(l) == topic {
			return l
		}
	}
	return ""
}
