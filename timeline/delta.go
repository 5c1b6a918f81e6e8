package timeline

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"
)

// A column without pointers is taken as words of 8 bytes, 64 of them a block, 64
// blocks a group. What a sample changes in it is written group by group:
//
//	group    gap to the group before it, number of bytes that follow, bitmap of changed blocks
//	block    bitmap of changed words, a nibble for each (how many bytes), the bytes
//	bitmap   one byte that says which of its eight bytes are not 0, those bytes
//
// The value of a changed word is how far a guess was off that both sides make of
// what the word was before (lane.go): what counts, moves evenly or comes to rest
// costs half a byte to one and a half. (Differences of differences of the bits
// alone took twice as much for the example game, exclusive or a third more
// still; a general compressor found less than a tenth in those.)
const (
	blockWords  = 64
	groupBlocks = 64
	groupWords  = blockWords * groupBlocks
)

// column is the content of a column, or of a window of it, on one side: the
// packer's, which compares, or a cursor's, which follows.
type column struct {
	words  []uint64 // whole blocks from word lo on; 0 beyond the content
	blocks []block
	lanes  []lane // what the words hold, in turn; nil: integers
	lo     int    // first word, at a block's beginning
	window bool   // words holds a part of the column
}

// block is what is known of how 64 words changed.
type block struct {
	last  int32 // the step that changed it last
	begun int32 // the step from which on every one has changed it
	past  *past // nil: none yet
}

// past is a block's words before its last three changes, by step modulo 3.
type past [3][blockWords]uint64

func wordsFor(bytes int) int { return (bytes + 7) / 8 }

// resize makes room for n words; what is cut off is forgotten.
func (c *column) resize(n int) {
	if !c.window {
		blocks := (n + blockWords - 1) / blockWords
		c.words = grow(c.words, blocks*blockWords)
		from := len(c.blocks)
		c.blocks = grow(c.blocks, blocks)
		for i := from; i < blocks; i++ {
			c.blocks[i].last = never
		}
	}
	n = max(n-c.lo, 0)
	if n >= len(c.words) {
		return
	}
	clear(c.words[n:])
	for i := (n + blockWords - 1) / blockWords; i < len(c.blocks); i++ {
		c.blocks[i].last = never
	}
}

// turn begins a change of block b: how many of its values before are known, and
// where those are. The caller puts what it holds now where x3 is.
func (c *column) turn(b int, step int32) (known int32, x1, x2, x3 *[blockWords]uint64) {
	k := &c.blocks[b]
	if k.past == nil {
		k.past = new(past)
	}
	if k.last != step-1 {
		k.begun = step
	}
	k.last = step
	known = min(step-k.begun, 3)
	x1, x2, x3 = &k.past[(step+2)%3], &k.past[(step+1)%3], &k.past[step%3]
	return known, x1, x2, x3
}

// lanesAt is what the words of a block are.
func (c *column) lanesAt(b int) *[blockWords]lane {
	if c.lanes == nil {
		return &allInts
	}
	return (*[blockWords]lane)(c.lanes[(c.lo+b*blockWords)%(len(c.lanes)-blockWords+1):])
}

var allInts [blockWords]lane

// grow makes s n long; what is new is zero.
func grow[T any](s []T, n int) []T {
	from := len(s)
	if n <= cap(s) {
		s = s[:n]
		if n > from {
			clear(s[from:])
		}
		return s
	}
	out := make([]T, n, n+n/4)
	copy(out, s)
	return out
}

// never is a stamp that no step has.
const never = int32(-1 << 30)

// restart forgets how words moved: a segment begins.
func (c *column) restart() {
	for i := range c.blocks {
		c.blocks[i].last = never
	}
}

// content is a captured column as bytes, whatever lies in it.
func content(p unsafe.Pointer, n int) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p), n)
}

// headRoom is what a group's head takes at most: it is written when the length
// of its body is known.
const headRoom = 16

// diff appends what turns the column into now, and makes it so. Nothing is
// appended if nothing has changed. step numbers the samples of a segment.
func (c *column) diff(dst []byte, now []byte, step int32) []byte {
	c.resize(wordsFor(len(now)))
	last := 0
	for g := 0; g*groupBlocks < len(c.blocks); g++ {
		head := len(dst)
		var changed uint64
		body := head + headRoom
		out := dst
		for b := g * groupBlocks; b < min((g+1)*groupBlocks, len(c.blocks)); b++ {
			rest := now[b*blockWords*8:]
			rest = rest[:min(len(rest), blockWords*8)]
			if string(rest) == string(content(unsafe.Pointer(&c.words[b*blockWords]), len(rest))) {
				continue
			}
			if changed == 0 {
				out = append(out, make([]byte, headRoom)...)
			}
			out = c.diffBlock(out, b, rest, step)
			changed |= 1 << (b - g*groupBlocks)
		}
		if changed == 0 {
			continue
		}
		var bitmap [9]byte
		bm := appendBitmap(bitmap[:0], changed)
		var room [headRoom]byte
		h := binary.AppendUvarint(room[:0], uint64(g-last))
		h = binary.AppendUvarint(h, uint64(len(bm)+len(out)-body))
		h = append(h, bm...)
		n := copy(out[head:], h)
		dst = out[:head+n+copy(out[head+n:], out[body:])]
		last = g
	}
	return dst
}

// diffBlock is written for speed: a world of which a little changes everywhere
// comes through here whole, at every sample.
func (c *column) diffBlock(dst []byte, b int, now []byte, step int32) []byte {
	var whole [blockWords * 8]byte
	if len(now) < len(whole) {
		copy(whole[:], now)
		now = whole[:]
	}
	src := (*[blockWords * 8]byte)(now)
	words, lanes := (*[blockWords]uint64)(c.words[b*blockWords:]), c.lanesAt(b)
	known, x1, x2, x3 := c.turn(b, step)
	var misses [blockWords]uint64
	var set uint64
	n := 0
	for i := range words {
		x, next, oldest := words[i], binary.NativeEndian.Uint64(src[i*8:]), x3[i]
		x3[i] = x
		if next == x {
			continue
		}
		l := lanes[i]
		set |= 1 << i
		misses[n] = l.miss(next, l.guess(x, x1[i], x2[i], oldest, known))
		words[i] = next
		n++
	}
	dst = appendBitmap(dst, set)
	at := len(dst)
	end := at + (n+1)/2
	dst = slices.Grow(dst, (n+1)/2+n*8+8)[:end+n*8+8]
	clear(dst[at:end])
	for i, r := range misses[:n] {
		k := (bits.Len64(r) + 7) / 8
		dst[at+i/2] |= byte(k << (i % 2 * 4))
		binary.LittleEndian.PutUint64(dst[end:], r)
		end += k
	}
	return dst[:end]
}

func appendBitmap(dst []byte, bits uint64) []byte {
	at := len(dst)
	dst = append(dst, 0)
	for i := range 8 {
		if b := byte(bits >> (i * 8)); b != 0 {
			dst[at] |= 1 << i
			dst = append(dst, b)
		}
	}
	return dst
}

func readBitmap(src []byte) (set uint64, rest []byte) {
	mask := src[0]
	src = src[1:]
	for m := mask; m != 0; m &= m - 1 {
		set |= uint64(src[0]) << (bits.TrailingZeros8(m) * 8)
		src = src[1:]
	}
	return set, src
}

func readUvarint(src []byte) (int, []byte) {
	if src[0] < 0x80 {
		return int(src[0]), src[1:]
	}
	v, n := binary.Uvarint(src)
	return int(v), src[n:]
}

// apply makes the column what diff made it: src is what it appended, n how many
// bytes the column has then. It panics on bytes that no diff wrote.
func (c *column) apply(src []byte, n int, step int32) {
	c.resize(wordsFor(n))
	first, end := c.lo/blockWords, c.lo/blockWords+len(c.blocks)
	g := 0
	for len(src) > 0 {
		var gap, size int
		gap, src = readUvarint(src)
		size, src = readUvarint(src)
		g += gap
		body := src[:size]
		src = src[size:]
		if (g+1)*groupBlocks <= first || g*groupBlocks >= end {
			continue
		}
		var changed uint64
		changed, body = readBitmap(body)
		for ; changed != 0; changed &= changed - 1 {
			b := g*groupBlocks + bits.TrailingZeros64(changed)
			if b < first || b >= end {
				body = skipBlock(body)
				continue
			}
			body = c.applyBlock(body, b-first, step)
		}
	}
}

func (c *column) applyBlock(src []byte, b int, step int32) []byte {
	set, src := readBitmap(src)
	n := bits.OnesCount64(set)
	sizes, src := src[:(n+1)/2], src[(n+1)/2:]
	words, lanes := (*[blockWords]uint64)(c.words[b*blockWords:]), c.lanesAt(b)
	known, x1, x2, x3 := c.turn(b, step)
	var fresh [blockWords]uint64
	i := 0
	for left := set; left != 0; left &= left - 1 {
		k := int(sizes[i/2] >> (i % 2 * 4) & 15)
		var r uint64
		if len(src) >= 8 {
			r = binary.LittleEndian.Uint64(src) & (1<<(k*8) - 1)
		} else {
			for j := range k {
				r |= uint64(src[j]) << (j * 8)
			}
		}
		src = src[k:]
		w := bits.TrailingZeros64(left)
		x := words[w]
		l := lanes[w]
		switch {
		case known > 0 && l == laneInts:
			x += x - x1[w]
		case known > 0:
			x = l.guess(x, x1[w], x2[w], x3[w], known)
		}
		fresh[i] = l.mend(x, r)
		i++
	}
	*x3 = *words
	for i = 0; set != 0; set &= set - 1 {
		words[bits.TrailingZeros64(set)] = fresh[i]
		i++
	}
	return src
}

func skipBlock(src []byte) []byte {
	set, src := readBitmap(src)
	n := bits.OnesCount64(set)
	bytes := 0
	for _, s := range src[:(n+1)/2] {
		bytes += int(s&15) + int(s>>4)
	}
	return src[(n+1)/2+bytes:]
}
