package find

import "strings"

// Scan finds the calls in a text.
func (ix *Index) Scan(text string) []Found {
	s := scan{ix: ix, text: text, last: true}
	if thinksFirst(text) {
		s.mode.thought = "thinking"
	}
	s.run()
	return s.out
}

// thinksFirst tells a text that begins within a thought: templates open the
// tag, and a model only closes it.
func thinksFirst(text string) bool {
	for _, name := range []string{"think", "thinking", "thought", "reasoning"} {
		end := strings.Index(text, "</"+name+">")
		if end > 0 && text[end-1] != '`' && !strings.Contains(text[:end], "<"+name+">") {
			return true
		}
	}
	return false
}

// Scanner finds calls in a text that comes in pieces.
type Scanner struct {
	scan scan
	buf  []byte
	base int64
	// What a text that is waited for costs: it is tried again when what may end
	// a call has come and enough was read to pay for it, or when it has doubled.
	pending, credit int
}

// NewScanner begins a text; thinking says that it begins within a thought.
func (ix *Index) NewScanner(thinking bool) *Scanner {
	s := &Scanner{scan: scan{ix: ix}}
	if thinking {
		s.scan.mode.thought = "thinking"
	}
	return s
}

// Feed reads on and returns the calls that are complete now.
func (s *Scanner) Feed(chunk string) []Found {
	s.buf = append(s.buf, chunk...)
	waiting := len(s.buf) - s.scan.pos
	s.credit += 16 * len(chunk)
	if s.pending > 0 {
		ends := strings.ContainsAny(chunk, ">})`\n]") && s.credit >= waiting
		if !ends && waiting < 2*s.pending {
			return nil
		}
	}
	return s.read(false)
}

// Close ends the text and returns the calls that were still open.
func (s *Scanner) Close() []Found { return s.read(true) }

func (s *Scanner) read(last bool) []Found {
	s.credit = max(0, s.credit-len(s.buf))
	s.scan.text, s.scan.base, s.scan.last, s.scan.out = string(s.buf), s.base, last, nil
	s.scan.run()
	out := s.scan.out
	s.pending = len(s.buf) - s.scan.pos
	if drop := s.scan.pos - 2*history; drop > 0 {
		s.buf = append(s.buf[:0], s.buf[drop:]...)
		s.base += int64(drop)
		s.scan.pos -= drop
		s.scan.after = max(0, s.scan.after-drop)
	}
	return out
}
