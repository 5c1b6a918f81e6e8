package builtin

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/tools"
)

// ListPolicy chooses which generated component tools tools/list shows. All of
// them can be called in any case, and help knows them all.
type ListPolicy string

// The policies. A policy may also be a comma-separated list of component
// names, in any form that tools accept.
const (
	// ListAuto shows the tools of components that live in the world now, those
	// of the components with most entities if there is no room for all. A
	// quarter of the room is kept for components that appear later.
	ListAuto ListPolicy = "auto"
	ListAll  ListPolicy = "all"
	ListNone ListPolicy = "none"
)

// MaxListed and MaxListedBytes are the default bounds of what [ListAuto] shows:
// a listing stays small in a world of hundreds of component types and in one of
// very large ones.
const (
	MaxListed      = 24
	MaxListedBytes = 8 << 10
)

// listedTools are the generated tools that tools/list shows. A tool that was
// once listed stays: clients that have seen it go on calling it.
type listedTools struct {
	names map[string]bool
	bytes int // of their entries
	// waiting found no room when they appeared. What is kept for components that
	// appear later is not theirs.
	waiting map[*value.Type]bool
}

// choose returns the unlisted tools that the policy shows from now on.
func (l *listedTools) choose(cat *ecs.Catalog, made map[*value.Type][]*tools.Tool, o *ComponentOptions) []*tools.Tool {
	var wanted []*ecs.Component
	switch o.List {
	case ListNone:
		return nil
	case ListAll:
		wanted = cat.Components
	case ListAuto:
		return l.chooseLiving(cat, made, o)
	default:
		for name := range strings.SplitSeq(string(o.List), ",") {
			if comp, err := cat.Component(strings.TrimSpace(name)); err == nil {
				wanted = append(wanted, comp)
			}
		}
	}
	var chosen []*tools.Tool
	for _, comp := range wanted {
		for _, t := range made[comp.Type] {
			if l.take(t, 0) {
				chosen = append(chosen, t)
			}
		}
	}
	return chosen
}

func (l *listedTools) chooseLiving(cat *ecs.Catalog, made map[*value.Type][]*tools.Tool, o *ComponentOptions) (chosen []*tools.Tool) {
	var living []*ecs.Component
	for _, comp := range cat.Components {
		if comp.Entities > 0 && !l.waiting[comp.Type] {
			living = append(living, comp)
		}
	}
	slices.SortStableFunc(living, func(a, b *ecs.Component) int { return cmp.Compare(b.Entities, a.Entities) })
	most, room := o.MaxListed, o.MaxListedBytes
	if len(l.names) == 0 && !fits(made, o) {
		most, room = most-most/4, room-room/4
	}
	for _, comp := range living {
		for _, t := range made[comp.Type] {
			if l.names[t.Name] {
				continue
			}
			size := entrySize(t)
			if len(l.names) < most && l.bytes+size <= room && l.take(t, size) {
				chosen = append(chosen, t)
			} else { // a smaller one may still fit
				if l.waiting == nil {
					l.waiting = map[*value.Type]bool{}
				}
				l.waiting[comp.Type] = true
			}
		}
	}
	return chosen
}

// take lists a tool unless it is.
func (l *listedTools) take(t *tools.Tool, size int) bool {
	if l.names[t.Name] {
		return false
	}
	if l.names == nil {
		l.names = map[string]bool{}
	}
	l.names[t.Name] = true
	l.bytes += size
	return true
}

// fits reports whether every tool there is can be listed.
func fits(made map[*value.Type][]*tools.Tool, o *ComponentOptions) bool {
	n, size := 0, 0
	for _, ts := range made {
		n += len(ts)
		for _, t := range ts {
			size += entrySize(t)
		}
	}
	return n <= o.MaxListed && size <= o.MaxListedBytes
}

// entrySize is about what a tool takes in a listing, in bytes as a client counts
// them that writes JSON with spaces.
func entrySize(t *tools.Tool) int {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return MaxListedBytes
	}
	return (len(schema) + len(t.Name) + len(t.Description) + 90) * 112 / 100
}
