package operations

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// resolve puts parts of earlier answers in the place of strings that name them:
// "$0.entity", "$2.entities[1].entity". "$$" at the beginning is a dollar sign.
func resolve(args json.RawMessage, answers []json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(args, []byte(`"$`)) {
		return args, nil
	}
	doc, err := decoded(args)
	if err != nil {
		return nil, err
	}
	if doc, err = resolved(doc, answers); err != nil {
		return nil, err
	}
	return json.Marshal(doc)
}

func decoded(raw json.RawMessage) (doc any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return doc, d.Decode(&doc)
}

func resolved(v any, answers []json.RawMessage) (any, error) {
	var err error
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			if v[k], err = resolved(v[k], answers); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = resolved(v[i], answers); err != nil {
				return nil, err
			}
		}
	case string:
		if rest, ok := strings.CutPrefix(v, "$$"); ok {
			return "$" + rest, nil
		}
		if m := reference.FindStringSubmatch(v); m != nil {
			return referred(v, m[1], m[2], answers)
		}
	}
	return v, nil
}

var (
	reference = regexp.MustCompile(`^\$(\d+)((?:\.[^.\[\]]+|\[\d+\])*)$`)
	segment   = regexp.MustCompile(`\.([^.\[\]]+)|\[(\d+)\]`)
)

// referred follows a path into an earlier answer.
func referred(text, call, path string, answers []json.RawMessage) (any, error) {
	bad := func(format string, args ...any) error {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: text + ": " + fmt.Sprintf(format, args...), Got: text,
			Hint: `"$0.entity" is the field entity of the first call's answer; a text that begins with a dollar sign is written "$$..."`}
	}
	n, err := strconv.Atoi(call)
	if err != nil || n >= len(answers) {
		return nil, bad("call %s has no answer yet: only the calls before this one have", call)
	}
	v, err := decoded(answers[n])
	if err != nil {
		return nil, bad("that answer is no JSON")
	}
	for _, m := range segment.FindAllStringSubmatch(path, -1) {
		switch {
		case m[2] != "":
			list, ok := v.([]any)
			i, err := strconv.Atoi(m[2])
			if !ok || err != nil || i >= len(list) {
				return nil, bad("there is no element %s", m[2])
			}
			v = list[i]
		default:
			object, ok := v.(map[string]any)
			next, has := object[m[1]]
			if !ok || !has {
				names := make([]string, 0, len(object))
				for k := range object {
					names = append(names, k)
				}
				slices.Sort(names)
				e := bad("that answer has no field %s", m[1]).(*refusal.Error)
				e.Options, e.Total = refusal.Nearest(m[1], names), len(names)
				return nil, e
			}
			v = next
		}
	}
	return v, nil
}
