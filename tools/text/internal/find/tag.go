package find

import (
	"strings"
	"unicode/utf8"
)

// thoughtTags enclose what a model considers before it acts.
var thoughtTags = map[string]bool{"think": true, "thinking": true, "thought": true, "thoughts": true, "reasoning": true, "reflection": true, "scratchpad": true, "analysis": true}

// tagName reads the name of a tag that s begins behind its <: letters, digits
// and what else names may have. whole is false if s ends within it.
func tagName(s string) (name string, whole bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == ':' || c == '.' {
			continue
		}
		return s[:i], true
	}
	return s, false
}

const longestName = 200

// tag handles a < at i.
func (s *scan) tag(i int) (int, status) {
	rest := s.text[i+1 : min(len(s.text), i+1+longestName)]
	if rest == "" {
		return i, s.ifMore()
	}
	closing := rest[0] == '/'
	if closing {
		rest = rest[1:]
	}
	name, whole := tagName(rest)
	if !whole && len(rest) < longestName-1 && !s.last {
		return i, wait
	}
	switch {
	case name == "":
		return s.template(i, rest)
	case thoughtTags[strings.ToLower(name)]:
		return s.thought(i, strings.ToLower(name), rest[len(name):], closing)
	case closing:
		return i, no
	case name == "function" && strings.HasPrefix(rest[len(name):], "="):
		return s.functionTag(i)
	case name == "invoke" || strings.HasSuffix(name, ":invoke"):
		return s.invoke(i, name)
	case name == "arg_key":
		return s.argPairs(i)
	}
	if s.ix.lookup(plain(name)) != nil || s.ix.miswritten(plain(name)) {
		return s.element(i, name)
	}
	return i, no
}

func (s *scan) ifMore() status {
	if s.last {
		return no
	}
	return wait
}

// template handles marks that are no tags: comments, and the marks that models'
// templates put around channels.
func (s *scan) template(i int, rest string) (int, status) {
	const comment, channel, end = "!--", "|channel|>", "|end|>"
	for _, m := range []string{comment, channel, end} {
		if len(rest) < len(m) && strings.HasPrefix(m, rest) && !s.last {
			return i, wait
		}
	}
	switch {
	case strings.HasPrefix(rest, comment):
		s.mode.comment = true
		return i + 1 + len(comment), yes
	case strings.HasPrefix(rest, channel):
		after := rest[len(channel):]
		if len(after) < len("analysis") && strings.HasPrefix("analysis", after) && !s.last {
			return i, wait
		}
		s.mode.thought = ""
		if strings.HasPrefix(after, "analysis") {
			s.mode.thought = "|channel|>analysis<|message|"
		}
		return i + 1 + len(channel), yes
	case strings.HasPrefix(rest, end) && strings.HasPrefix(s.mode.thought, "|"):
		s.mode.thought = ""
	}
	return i, no
}

// thought handles the tags of thoughts. One that is only mentioned, as code,
// opens nothing.
func (s *scan) thought(i int, name, after string, closing bool) (int, status) {
	if after == "" {
		return i, s.ifMore()
	}
	if after[0] != '>' || s.mode.fence != "" || s.mode.comment || strings.HasSuffix(s.before(i, 1), "`") {
		return i, no
	}
	end := i + strings.IndexByte(s.text[i:], '>') + 1
	switch {
	case !closing && s.mode.thought == "":
		s.mode.thought = name
	case closing && !strings.HasPrefix(s.mode.thought, "|"):
		s.mode.thought = ""
	}
	return end, yes
}

// escaped handles an & at i: a call whose angle brackets were written &lt; and
// &gt;, as web pages and logs do.
func (s *scan) escaped(i int) (int, status) {
	const lt = "&lt;"
	rest := s.text[i:min(len(s.text), i+len(lt)+longestName)]
	if len(rest) < len(lt) && strings.HasPrefix(lt, rest) {
		return i, s.ifMore()
	}
	if !strings.HasPrefix(rest, lt) {
		return i, no
	}
	name, whole := tagName(rest[len(lt):])
	if !whole && len(rest) < longestName && !s.last {
		return i, wait
	}
	if s.ix.lookup(plain(name)) == nil {
		return i, no
	}
	return s.escapedElement(i, name)
}

func isNameStart(s string) bool {
	if s == "" {
		return false
	}
	c := s[0]
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}
