package find

import (
	"strings"
)

const (
	// history is how far it is looked back, and half of what is kept for it.
	history = 1024
	// maxCall bounds one call.
	maxCall = 1 << 20
	// allowance and perByte bound what failed attempts may look at; beyond it,
	// an attempt sees only the next leastView bytes.
	allowance = 64 << 10
	perByte   = 8
	leastView = 256
)

// status is how an attempt at one place ended.
type status uint8

const (
	no   status = iota // nothing begins here
	yes                // handled: go on where it says
	wait               // the text ends within it
)

// scan is a pass over a text, or over a window of one that is still coming.
type scan struct {
	ix   *Index
	text string
	base int64 // offset of text in the whole
	pos  int
	last bool // the text ends with this window

	capped bool // the present view is all that an attempt gets

	mode  mode
	spent int64 // bytes that failed attempts looked at
	out   []Found
	after int    // where the last call ended, and
	mark  bool   // whether it stood where only calls stand
	word  string // which example word was said before it
}

// triggers are the characters that something may begin at.
var triggers = func() (t [256]bool) {
	for _, c := range "<{(`~&" {
		t[c] = true
	}
	return t
}()

// run reads on. It stops at the end, or where more of the text is needed.
func (s *scan) run() {
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		n := 0
		for n < len(rest) && !triggers[rest[n]] {
			n++
		}
		if s.mode.comment {
			// A comment's end is looked for only while one is open.
			if end := strings.Index(rest[:n], "-->"); end >= 0 {
				s.mode.comment = false
			}
		}
		s.pos += n
		if s.pos == len(s.text) {
			return
		}
		end, st := s.at(s.pos)
		switch st {
		case wait:
			return
		case yes:
			s.pos = end
		default:
			s.pos++
		}
	}
}

func (s *scan) at(i int) (int, status) {
	switch s.text[i] {
	case '<':
		return s.tag(i)
	case '{':
		return s.object(i)
	case '(':
		return s.function(i)
	case '`', '~':
		return s.fence(i)
	}
	return s.escaped(i)
}

// view is what an attempt at i may look at, and whether the text ends there.
func (s *scan) view(i int) (view string, last bool) {
	n := min(max(int64(leastView), allowance+perByte*(s.base+int64(i))-s.spent), maxCall)
	if s.capped = int64(len(s.text)-i) >= n; s.capped {
		return s.text[i : i+int(n)], false
	}
	return s.text[i:], s.last
}

// short is what to do when an attempt needed more than its view: wait for
// more, unless the view was all that it gets.
func (s *scan) short(view string) status {
	if !s.capped && !s.last {
		return wait
	}
	return s.failed(len(view))
}

// failedIn is failed for an attempt that looked as far as far of its view: near
// the view's end, the text may go on with the rest of a mark.
func (s *scan) failedIn(view string, far int) status {
	if far > len(view)-longestMark {
		return s.short(view)
	}
	return s.failed(far)
}

// longestMark is more than the longest of the marks that are looked for at a
// place, in bytes.
const longestMark = 8

// failed notes what a failed attempt looked at.
func (s *scan) failed(far int) status {
	s.spent += int64(far)
	return no
}

// found notes a call that was made at start, or shown, as its surroundings
// say.
func (s *scan) found(f Found, start, end int) (int, status) {
	f.Start, f.End = s.base+int64(start), s.base+int64(end)
	if f.Status == "" {
		var known bool
		if f.Status, f.Why, known = s.standing(start, end); !known {
			return start, wait
		}
	}
	s.out = append(s.out, f)
	s.after = end
	return end, yes
}

// before is what stands before i, back to the beginning of what is kept.
func (s *scan) before(i, most int) string {
	return s.text[max(0, i-min(most, history)):i]
}

// line is what stands before i on its line.
func (s *scan) line(i int) string {
	b := s.before(i, history)
	return b[strings.LastIndexByte(b, '\n')+1:]
}

// tailLine is what stands after i on its line; false if more of it may come.
func (s *scan) tailLine(i int) (string, bool) {
	rest := s.text[i:min(len(s.text), i+history)]
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		return rest[:n], true
	}
	return rest, s.last || len(rest) == history
}
