package find

import (
	"regexp"
	"strings"
)

// mode is what the text is in the middle of.
type mode struct {
	thought string // the tag of thoughts that is open
	fence   string // the run of characters that opened a fence
	example string // why what is in the fence is shown, not made
	comment bool   // an XML comment is open
}

// standing tells whether a call that stands between start and end is made, or
// only shown or considered. known is false where more of the text decides.
func (s *scan) standing(start, end int) (st Status, why string, known bool) {
	switch {
	case s.mode.comment:
		return Quoted, "it stands in a comment", true
	case s.mode.thought != "":
		return Thought, "it stands within <" + s.mode.thought + ">", true
	case s.mode.fence != "":
		return s.fenced(start)
	}
	line := s.line(start)
	if strings.HasPrefix(strings.TrimLeft(line, " \t"), ">") {
		return Quoted, "it stands in a quotation", true
	}
	if strings.Count(line, "`")%2 == 1 {
		tail, known := s.tailLine(end)
		if !known {
			return "", "", false
		}
		if strings.Trim(line, " \t`") != "" || strings.Trim(tail, " \t\r`") != "" {
			return Quoted, "it stands in a sentence as code", true
		}
	}
	lead := line
	if strings.TrimSpace(line) == "" {
		lead = s.lineAbove(start)
		if !strings.HasSuffix(lead, ":") {
			s.word = ""
			return Call, "", true
		}
	}
	if word := s.announced(lead, line, start); word != "" {
		return Quoted, "the text before it says " + `"` + word + `"`, true
	}
	return Call, "", true
}

// announced finds an example word in what stands before a call. Of a line that
// has had a call already, the rest is looked at: what was said holds on.
func (s *scan) announced(lead, line string, start int) string {
	same := s.after > start-len(line) && s.after <= start
	if same {
		lead = s.text[s.after:start]
	}
	word := exampleWord(lead)
	if word == "" && same {
		word = s.word
	}
	s.word = word
	return word
}

// fenced tells whether a call in a fence is made: unless the fence, or a
// comment on the line before or before it on its line, says what it is.
func (s *scan) fenced(start int) (Status, string, bool) {
	if s.mode.example != "" {
		return Quoted, s.mode.example, true
	}
	lead := strings.TrimSpace(s.line(start))
	if lead == "" {
		lead = s.lineAbove(start)
	}
	for _, mark := range []string{"#", "//", "<!--", "--", ";"} {
		if strings.HasPrefix(lead, mark) {
			if word := exampleWord(lead); word != "" {
				return Quoted, "a comment before it says " + `"` + word + `"`, true
			}
		}
	}
	return Call, "", true
}

// lineAbove is the last line before i's that is not empty.
func (s *scan) lineAbove(i int) string {
	b := s.before(i, history)
	n := strings.LastIndexByte(b, '\n')
	if n < 0 {
		return ""
	}
	b = strings.TrimRight(b[:n], " \t\r\n")
	return strings.TrimSpace(b[strings.LastIndexByte(b, '\n')+1:])
}

// exampleWords announce that something is shown rather than done.
var exampleWords = regexp.MustCompile(`(?i)\b(examples?|for instance|e\.g|samples?|syntax|templates?|placeholders?|documentation|usage|would look|looks? like|look as follows|is written|are written|the form(?:at)? (?:is|of)|illustrat\w+|such as|do(?: not|n['’]t) (?:run|execute|call|send)|instead of|hypothetical\w*|z\.\s?B\.|Beispiel\w*|par exemple|ejemplo)(?:\W|$)`)

// exampleWord finds such a word in the last sentence of a line.
func exampleWord(line string) string {
	if len(line) > 400 {
		line = line[len(line)-400:]
	}
	trimmed := strings.TrimRight(line, " :.!?")
	for _, end := range []string{". ", "! ", "? "} {
		// e.g. and z. B. end no sentence.
		if i := strings.LastIndex(trimmed, end); i > 0 && !strings.HasSuffix(strings.ToLower(trimmed[:i]), "e.g") && !strings.HasSuffix(trimmed[:i], "z") && !strings.HasSuffix(trimmed[:i], "z. B") {
			trimmed = trimmed[i+2:]
		}
	}
	m := exampleWords.FindStringSubmatch(trimmed)
	if m == nil {
		return ""
	}
	return m[1]
}

// fence opens or closes a fence at i.
func (s *scan) fence(i int) (int, status) {
	line := s.line(i)
	indent := strings.TrimLeft(line, " \t>*-0123456789.")
	run := 1
	for i+run < len(s.text) && s.text[i+run] == s.text[i] {
		run++
	}
	if i+run == len(s.text) && !s.last {
		return i, wait
	}
	if indent != "" || run < 3 || len(line) > 40 {
		return i + run, yes
	}
	info, known := s.tailLine(i + run)
	if !known {
		return i, wait
	}
	mark := s.text[i : i+run]
	switch {
	case s.mode.fence == "" && !strings.Contains(info, "`"):
		s.mode.fence, s.mode.example = mark, ""
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), ">") {
			s.mode.example = "it stands in a quotation"
		} else if word := exampleWord(info); word != "" {
			s.mode.example = "the fence is marked " + `"` + word + `"`
		} else if word := exampleWord(s.lineAbove(i)); word != "" {
			s.mode.example = "the text before the fence says " + `"` + word + `"`
		}
		return i + run + len(info), yes
	case s.mode.fence != "" && mark[0] == s.mode.fence[0] && run >= len(s.mode.fence) && strings.TrimSpace(info) == "":
		s.mode.fence, s.mode.example = "", ""
	}
	return i + run, yes
}
