package value

import (
	"reflect"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// promotedDepth is how many embedded structs deep a name is looked for.
const promotedDepth = 4

// promoted finds the fields that lead from a struct to name through embedded
// structs, as Go does: the shallowest wins, and of two equally deep neither.
// The full paths of those are then in several.
func promoted(f *Field, name string, jsonMode bool) (chain []*Field, several []string) {
	type way struct {
		chain []*Field
		in    *Field
	}
	d := decoder{json: jsonMode}
	level := []way{{nil, f}}
	for range promotedDepth {
		var next []way
		var found [][]*Field
		for _, w := range level {
			for _, e := range w.in.Fields {
				if !e.Embedded || e.Hidden {
					continue
				}
				in := d.full(e)
				if in.Kind == KindPointer && in.Elem != nil {
					in = d.full(in.Elem)
				}
				if in.Kind != KindStruct {
					continue
				}
				chain := append(w.chain[:len(w.chain):len(w.chain)], e)
				if c := findField(in.Fields, name); c != nil {
					found = append(found, append(chain[:len(chain):len(chain)], c))
				}
				next = append(next, way{chain, in})
			}
		}
		switch {
		case len(found) == 1:
			if c := found[0][len(found[0])-1]; c.Hidden {
				return nil, nil
			}
			return found[0], nil
		case len(found) > 1:
			for _, chain := range found {
				several = append(several, chainText(chain))
			}
			return nil, several
		}
		level = next
	}
	return nil, nil
}

func chainText(chain []*Field) string {
	names := make([]string, len(chain))
	for i, f := range chain {
		names[i] = f.Name
	}
	return strings.Join(names, ".")
}

// promotedNames lists the names that embedded structs lend to f, in the order
// of their fields.
func promotedNames(f *Field, jsonMode bool) []string {
	var names []string
	seen := map[string]bool{}
	d := decoder{json: jsonMode}
	var visit func(in *Field, depth int)
	visit = func(in *Field, depth int) {
		if depth > promotedDepth {
			return
		}
		for _, e := range in.Fields {
			if depth > 0 && !seen[e.Name] && findField(f.Fields, e.Name) == nil {
				seen[e.Name] = true
				if chain, _ := promoted(f, e.Name, jsonMode); chain != nil {
					names = append(names, e.Name)
				}
			}
			if !e.Embedded || e.Hidden {
				continue
			}
			sub := d.full(e)
			if sub.Kind == KindPointer && sub.Elem != nil {
				sub = d.full(sub.Elem)
			}
			if sub.Kind == KindStruct {
				visit(sub, depth+1)
			}
		}
	}
	visit(f, 0)
	return names
}

// Promoted lists the names of fields that embedded structs lend to the type:
// they can be written in place of the longer path. Any goroutine.
func (t *Type) Promoted() []string { return promotedNames(t.Root, t.json) }

// promotedField decodes a member that names a field of an embedded struct.
func (d *decoder) promotedField(v, old reflect.Value, n *node, i int, chain []*Field) error {
	item := n.items[i]
	for j := len(chain) - 1; j > 0; j-- {
		if n.get(chain[j-1].Name) != nil {
			return &refusal.Error{Code: refusal.InvalidArguments, Got: n.keys[i], Want: "one of the two",
				Message: d.path() + ": " + n.keys[i] + " is a field of " + chain[j-1].Name + ", and both are given; name its fields in one way"}
		}
		item = node{kind: nodeObject, keys: []string{chain[j].Name}, items: []node{item}}
	}
	return d.field(v, old, chain[0], &item)
}
