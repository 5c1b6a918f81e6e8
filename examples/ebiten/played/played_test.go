package played

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/client"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// width and height are the game's.
const width, height = 320, 240

// display starts an X server of the test's own. It comes with Debian's packages
// xvfb and x11-apps.
func display(t *testing.T) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	x := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp")
	x.ExtraFiles = []*os.File{w}
	if err := x.Start(); err != nil {
		t.Fatalf("no display: %v (Debian: apt-get install xvfb x11-apps)", err)
	}
	w.Close()
	t.Cleanup(func() { x.Process.Kill(); x.Wait() })
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return ":" + strings.TrimSpace(number)
}

// played is the game in a window, and a client of it.
type played struct {
	*testing.T
	*client.Client
	display string
	process *exec.Cmd
}

func play(t *testing.T) *played {
	exe := filepath.Join(t.TempDir(), "basket")
	if out, err := exec.Command("go", "build", "-o", exe, "..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := &played{T: t, display: display(t)}
	p.process = exec.Command(exe, "-addr", "127.0.0.1:0", "-data", t.TempDir(), "-overlay=false")
	p.process.Env = append(os.Environ(), "DISPLAY="+p.display, "LIBGL_ALWAYS_SOFTWARE=1")
	p.process.Stderr = os.Stderr
	out, err := p.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.process.Process.Kill(); p.process.Wait() })
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(first), "debug server listening at ")
	if err != nil || !ok {
		t.Fatalf("the first line is %q: %v", first, err)
	}
	go io.Copy(io.Discard, lines)
	if p.Client, err = client.Connect(t.Context(), url, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Client.Close() })
	return p
}

func (p *played) call(tool, arguments string) (out map[string]any) {
	p.Helper()
	a, err := p.Call(p.T.Context(), tool, json.RawMessage(arguments))
	if err != nil {
		p.Fatalf("%s %s: %v", tool, arguments, err)
	}
	if err := json.Unmarshal(a.JSON, &out); err != nil {
		p.Fatal(err)
	}
	return out
}

// step makes ticks and waits until they are over.
func (p *played) step(n int) {
	p.Helper()
	p.call("clock_set", fmt.Sprintf(`{"step":%d}`, n))
	for p.call("clock_info", `{}`)["pending"] != nil && p.call("clock_info", `{}`)["pending"].(float64) > 0 {
	}
}

func TestPlayed(t *testing.T) {
	p := play(t)
	p.call("clock_set", `{"paused":true}`)
	tick := p.call("clock_info", `{}`)["tick"].(float64)
	p.step(91)
	if now := p.call("clock_info", `{}`)["tick"].(float64); now != tick+91 {
		t.Errorf("tick %v after 91 ticks from %v", now, tick)
	}
	q := p.call("query", `{"with":["Speed"],"where":"Place.Y > 10","sort":"Place.Y"}`)
	if q["matched"].(float64) < 1 {
		t.Fatalf("no ball falls: %v", q)
	}
	t.Run("keys", func(t *testing.T) { p.keys() })
	t.Run("snapshot", func(t *testing.T) { p.snapshot() })
	t.Run("picture", func(t *testing.T) { p.picture() })
	p.process.Process.Signal(syscall.SIGTERM)
	if err := p.process.Wait(); err != nil {
		t.Errorf("the game ended with %v", err)
	}
}

func (p *played) x() float64 {
	p.Helper()
	q := p.call("query", `{"with":["Basket"],"select":["Place.X"]}`)
	return q["entities"].([]any)[0].(map[string]any)["values"].(map[string]any)["Place.X"].(float64)
}

// Keys that a client sends move the basket, and stop to.
func (p *played) keys() {
	before := p.x()
	p.call("send_event", `{"kind":"key","payload":{"key":"ArrowRight","down":true}}`)
	p.step(10)
	p.call("send_event", `{"kind":"key","payload":{"key":"ArrowRight","down":false}}`)
	p.step(10)
	if now := p.x(); now != before+30 {
		p.Errorf("the basket moved from %v to %v, want 10 times 3", before, now)
	}
	_, err := p.Call(p.T.Context(), "send_event", json.RawMessage(`{"kind":"key","payload":{"key":"ArrowRite","down":true}}`))
	if !errors.Is(err, refusal.InvalidArguments) || !strings.Contains(err.Error(), "ArrowRite") {
		p.Errorf("a key that is none: %v", err)
	}
}

func (p *played) snapshot() {
	p.call("snapshot_save", `{"name":"s"}`)
	x := p.x()
	p.call("modify", `{"query":{"with":["Basket"]},"component":"Place","values":{"X":5}}`)
	if p.x() != 5 {
		p.Errorf("modified to %v", p.x())
	}
	p.call("snapshot_load", `{"name":"s"}`)
	if p.x() != x {
		p.Errorf("the basket is at %v after the load, was at %v", p.x(), x)
	}
}

// What screenshot shows is what the window shows, pixel by pixel.
func (p *played) picture() {
	a, err := p.Call(p.T.Context(), "screenshot", nil)
	if err != nil || len(a.Pictures) != 1 {
		p.Fatalf("%v, %d pictures", err, len(a.Pictures))
	}
	shot, err := png.Decode(bytes.NewReader(a.Pictures[0].Data))
	if err != nil {
		p.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(p.T.Context(), 20*time.Second)
	defer cancel()
	dump := exec.CommandContext(ctx, "xwd", "-silent", "-display", p.display, "-name", "Loupe's basket")
	raw, err := dump.Output()
	if err != nil {
		p.Fatalf("xwd: %v (Debian: apt-get install x11-apps)", err)
	}
	window := readXWD(raw)
	if shot.Bounds() != window.Bounds() || shot.Bounds().Dx() != width {
		p.Fatalf("the picture is %v and the window %v", shot.Bounds(), window.Bounds())
	}
	colours := map[[3]uint32]bool{}
	for y := range height {
		for x := range width {
			r, g, b, a := shot.At(x, y).RGBA()
			wr, wg, wb, _ := window.At(x, y).RGBA()
			if a != 0xffff || r != wr || g != wg || b != wb {
				p.Fatalf("at %d,%d the picture has %x %x %x (alpha %x), the window %x %x %x", x, y, r, g, b, a, wr, wg, wb)
			}
			colours[[3]uint32{r, g, b}] = true
		}
	}
	if len(colours) < 3 {
		p.Errorf("the picture has %d colours: background, basket and balls are missing", len(colours))
	}
}

// readXWD reads what xwd writes of a window in true colour: a header of words,
// its length first, colours of 12 bytes, then rows of 32 bits a pixel.
func readXWD(b []byte) image.Image {
	word := func(i int) int { return int(binary.BigEndian.Uint32(b[4*i:])) }
	w, h, row := word(4), word(5), word(12)
	pixels := b[word(0)+12*word(19):]
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			p := pixels[y*row+4*x:]
			copy(img.Pix[img.PixOffset(x, y):], []byte{p[2], p[1], p[0], 0xff})
		}
	}
	return img
}
