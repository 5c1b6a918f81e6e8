package render

import (
	"image/color"
	"strings"
)

// Art names a picture that sprites are drawn with.
type Art uint8

// The pictures.
const (
	Hero Art = iota
	Grunt
	Brute
	Sniper
	Bolt
	Coin
	Medkit
	Chest
	Drone
	Banner
	Spark
	Block // a wall seen as a sprite: nothing, walls are drawn from Scene.Walls
	arts
)

// Size gives a picture's size in pixels; 0, 0 for one that there is not.
func (a Art) Size() (w, h int) {
	if a >= arts {
		return 0, 0
	}
	return pictures[a].w, pictures[a].h
}

// MainColor is the colour that a picture is known by.
func (a Art) MainColor() color.RGBA {
	if a >= arts {
		return color.RGBA{}
	}
	return pictures[a].main
}

type picture struct {
	w, h int
	pix  []color.RGBA // premultiplied by nothing: alpha is 0 or 255
	main color.RGBA
}

func rgb(v uint32) color.RGBA { return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255} }

// Letters of the maps below. A dark rim around each figure and a light from
// above are added by paint.
var palette = map[byte]color.RGBA{
	'w': rgb(0xf4f6ff), 'k': rgb(0x1b1d2b), 's': rgb(0x9aa4c0), 'd': rgb(0x565f7d),
	'b': rgb(0x3f8cff), 'B': rgb(0x225ad0), 'c': rgb(0x7fe3ff), 'C': rgb(0x35b6e8),
	'g': rgb(0x69c94b), 'G': rgb(0x3b8f3a), 'y': rgb(0xffd54a), 'Y': rgb(0xd9971f),
	'r': rgb(0xe5484d), 'R': rgb(0xa02b3c), 'o': rgb(0xf28b3a), 'O': rgb(0xb45a24),
	'p': rgb(0xb56cf0), 'P': rgb(0x7b3fc0), 'n': rgb(0x8a5a36), 'N': rgb(0x5f3b26),
	'f': rgb(0xf2c9a0), 't': rgb(0x2fb8a0), 'm': rgb(0xff62c8),
}

var maps = [arts]string{
	Hero: `
.....bbbbb.....
...bbbbbbbbb...
..bbcccccccbb..
..bccwccccccb..
.bbcwcccccccbb.
.bBcccccccccBb.
.bBBcccccccBBb.
..BBBBBBBBBBB..
..sBBBBBBBBBs..
.ssdBBBBBBBdss.
.ss.BBdddBB.ss.
....BBd.dBB....
....ss...ss....
....dd...dd....`,
	Grunt: `
...g.......g...
...gg.....gg...
...ggggggggg...
..ggggggggggg..
.ggwwgggggwwgg.
.gwwkkgggkkwwg.
.ggwkkgggkkwgg.
.ggggggggggggg.
..ggkwkwkwkgg..
..GGkkkkkkkGG..
...GGGGGGGGG...
....GG...GG....
...GGG...GGG...`,
	Brute: `
......oooooooo......
....oooooooooooo....
.w.oooooooooooooo.w.
.wwooooooooooooooww.
..wwooooooooooooww..
...oookkooookkooo...
..ooookykooykkoooo..
..oooookkookkooooo..
.ooooooooooooooooOo.
ooOOoooooooooooOOoo.
oOOoowkwkkwkkwooOOo.
oOOookkkkkkkkkooOOo.
oOO.OOoooooooOO.OOo.
.ss.OOOOOOOOOOO.ss..
.ss.OOOOOOOOOOO.ss..
....OOOOO.OOOOO.....
....OOOO...OOOO.....
...OOOOO...OOOOO....`,
	Sniper: `
......ppp......
.....ppppp.....
....ppppppp....
....pPPPPPp....
...pPkkkkkPp...
...pPkmmmkPp...
...pPkkkkkPp...
...ppPPPPPpp...
..pppppppppppp.
..pPpppppppPp..
.ppPpppppppPpp.
.pp.PPpppPP.pp.
....PPPPPPP....
....PP...PP....`,
	Bolt: `
.www.
wwwww
wwwww
wwwww
.www.`,
	Coin: `
..yyyy..
.yywyyY.
yywyyyYY
yywyyyYY
yyyyyyYY
yyyyyyYY
.yyyyYY.
..YYYY..`,
	Medkit: `
...ssss...
...s..s...
wwwwwwwwww
wwwwrrwwww
wwwwrrwwww
wwrrrrrrww
wwrrrrrrww
wwwwrrwwww
wwwwrrwwww
ssssssssss`,
	Chest: `
..nnnnnnnnnnnn..
.nnnnnnnnnnnnnn.
nynnnnnnnnnnnnyn
nynnnnnnnnnnnnyn
nyYYYYYYYYYYYYyn
NyNNNNyyyyNNNNyN
NyNNNNykkyNNNNyN
NyNNNNyyyyNNNNyN
NyNNNNNNNNNNNNyN
NyNNNNNNNNNNNNyN
NYNNNNNNNNNNNNYN`,
	Drone: `
.ss..ss.
s.ttt..s
.tttttt.
.twwttt.
.tttttt.
s.ttt..s
.ss..ss.`,
	Banner: `
..n........
..nrrrrrr..
..nrrrrrrr.
..nrryyrrr.
..nrryyrrr.
..nrrrrrrr.
..nrrrrrr..
..nrr..r...
..n........
..n........
..n........`,
	Spark: `
www
www
www`,
	Block: ``,
}

var pictures = func() (ps [arts]picture) {
	mains := [arts]byte{Hero: 'b', Grunt: 'g', Brute: 'o', Sniper: 'p', Bolt: 'w', Coin: 'y', Medkit: 'w', Chest: 'n', Drone: 't', Banner: 'r', Spark: 'w', Block: 'd'}
	for a := range ps {
		ps[a] = paint(maps[a], Art(a) != Bolt && Art(a) != Spark)
		ps[a].main = palette[mains[a]]
	}
	ps[Block].w, ps[Block].h = 32, 32
	ps[Block].pix = make([]color.RGBA, 32*32)
	return ps
}()

// paint turns a map into a picture: one pixel of dark rim around the figure,
// lighter towards the top.
func paint(m string, rim bool) picture {
	lines := strings.Split(strings.Trim(m, "\n"), "\n")
	w := 0
	for _, l := range lines {
		w = max(w, len(l))
	}
	pad := 0
	if rim {
		pad = 1
	}
	p := picture{w: w + 2*pad, h: len(lines) + 2*pad}
	p.pix = make([]color.RGBA, p.w*p.h)
	for y, l := range lines {
		for x := range len(l) {
			c, ok := palette[l[x]]
			if !ok {
				continue
			}
			if rim {
				f := 1.16 - 0.36*float64(y)/float64(max(1, len(lines)-1))
				c.R, c.G, c.B = scale8(c.R, f), scale8(c.G, f), scale8(c.B, f)
			}
			p.pix[(y+pad)*p.w+x+pad] = c
		}
	}
	if !rim {
		return p
	}
	filled := func(x, y int) bool {
		return x >= 0 && y >= 0 && x < p.w && y < p.h && p.pix[y*p.w+x].A == 255 && p.pix[y*p.w+x] != rimColor
	}
	for y := range p.h {
		for x := range p.w {
			if p.pix[y*p.w+x].A == 0 && (filled(x-1, y) || filled(x+1, y) || filled(x, y-1) || filled(x, y+1)) {
				p.pix[y*p.w+x] = rimColor
			}
		}
	}
	return p
}

var rimColor = color.RGBA{16, 14, 24, 255}

func scale8(v uint8, f float64) uint8 { return uint8(min(255, float64(v)*f)) }
