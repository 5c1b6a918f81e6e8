package source

import "strings"

// shallow scans the source's tokens, without recursion, and reports whether
// brackets, blocks and prefix operators nest at most limit deep; if not, in
// which line they exceed it. It runs before the parser, so that neither the
// parser nor the tree walkers ever see a bomb. It need not be exact about what
// is valid Lua: the parser decides that.
func shallow(code string, limit int) (line int, ok bool) {
	line = 1
	depth := 0  // brackets and blocks
	prefix := 0 // prefix operators with no operand between them: not, -, #
	for i := 0; i < len(code); {
		c := code[i]
		switch {
		case c == '\n':
			line++
			i++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case c == '-' && strings.HasPrefix(code[i:], "--"):
			n, long := longBracket(code[i+2:])
			if !long {
				n = strings.IndexByte(code[i:], '\n') - 2
				if n < 0 {
					return line, true
				}
			}
			line += strings.Count(code[i:i+2+n], "\n")
			i += 2 + n
			continue
		case c == '"' || c == '\'':
			j := i + 1
			for j < len(code) && code[j] != c && code[j] != '\n' {
				if code[j] == '\\' {
					j++
					if j < len(code) && code[j] == '\n' {
						line++
					}
				}
				j++
			}
			i = j + 1
			prefix = 0
			continue
		case c == '[':
			if n, long := longBracket(code[i:]); long {
				line += strings.Count(code[i:i+n], "\n")
				i += n
				prefix = 0
				continue
			}
			depth++
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
			prefix = 0
		case c == '-' || c == '#':
			prefix++
		case isNameByte(c) && (c < '0' || c > '9'):
			j := i
			for j < len(code) && isNameByte(code[j]) {
				j++
			}
			switch code[i:j] {
			case "function", "do", "then", "repeat":
				depth++
				prefix = 0
			case "end", "until", "elseif":
				depth--
				prefix = 0
			case "not":
				prefix++
			default:
				prefix = 0
			}
			if depth+prefix > limit {
				return line, false
			}
			i = j
			continue
		default:
			prefix = 0
		}
		if depth+prefix > limit {
			return line, false
		}
		i++
	}
	return line, true
}

func isNameByte(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// longBracket reports whether s begins with [[...]] or [=[...]=] and how long
// that is; an unclosed one takes the rest.
func longBracket(s string) (int, bool) {
	if s == "" || s[0] != '[' {
		return 0, false
	}
	n := 1
	for n < len(s) && s[n] == '=' {
		n++
	}
	if n >= len(s) || s[n] != '[' {
		return 0, false
	}
	closing := "]" + s[1:n] + "]"
	if i := strings.Index(s[n+1:], closing); i >= 0 {
		return n + 1 + i + len(closing), true
	}
	return len(s), true
}
