package physics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func scene(rng *rand.Rand, n int) *Space {
	s := NewSpace(0, 0, 640, 360, 32)
	for range n {
		b := Body{X: rng.Float64()*900 - 130, Y: rng.Float64()*600 - 120, Mask: 1 << rng.IntN(3)}
		if rng.IntN(2) == 0 {
			b.R = 1 + rng.Float64()*20
		} else {
			b.HX, b.HY = 1+rng.Float64()*60, 1+rng.Float64()*60
		}
		s.Add(b)
	}
	s.Build()
	return s
}

// Every body, one after the other: what the grid must agree with.
func bruteRay(s *Space, x1, y1, x2, y2 float64, mask uint32) (Hit, bool) {
	best := Hit{Fraction: 2}
	for i := range s.bodies {
		if s.bodies[i].Mask&mask == 0 {
			continue
		}
		if h, ok := cast(&s.bodies[i], x1, y1, x2-x1, y2-y1); ok && h.Fraction < best.Fraction {
			h.Body = i
			best = h
		}
	}
	return best, best.Fraction <= 1
}

func TestRaycastAgreesWithBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	hits := 0
	for round := range 60 {
		s := scene(rng, rng.IntN(120))
		for range 200 {
			x1, y1 := rng.Float64()*1200-300, rng.Float64()*900-300
			x2, y2 := rng.Float64()*1200-300, rng.Float64()*900-300
			switch rng.IntN(8) {
			case 0:
				x2 = x1
			case 1:
				y2 = y1
			case 2: // along a border of the grid's cells
				x1, x2 = 64, 64
			case 3:
				x2, y2 = x1+(x2-x1)*1e5, y1+(y2-y1)*1e5
			}
			mask := uint32(rng.IntN(8))
			got, ok := s.Raycast(x1, y1, x2, y2, mask)
			want, wantOK := bruteRay(s, x1, y1, x2, y2, mask)
			if ok != wantOK || ok && got != want {
				t.Fatalf("round %d: ray (%v,%v)-(%v,%v) mask %b: got %+v %v, want %+v %v", round, x1, y1, x2, y2, mask, got, ok, want, wantOK)
			}
			if ok {
				hits++
			}
		}
	}
	if hits < 2000 {
		t.Errorf("only %d rays hit: the scenes test little", hits)
	}
}

// The narrow phase on its own: the point lies on the surface, and no point
// before it is inside.
func TestRayHitsTheSurfaceFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	contains := func(b *Body, x, y, slack float64) bool {
		if b.R > 0 {
			return math.Hypot(x-b.X, y-b.Y) < b.R-slack
		}
		return math.Abs(x-b.X) < b.HX-slack && math.Abs(y-b.Y) < b.HY-slack
	}
	for range 5000 {
		b := Body{X: rng.Float64() * 50, Y: rng.Float64() * 50}
		if rng.IntN(2) == 0 {
			b.R = 2 + rng.Float64()*20
		} else {
			b.HX, b.HY = 2+rng.Float64()*20, 2+rng.Float64()*20
		}
		x1, y1, x2, y2 := rng.Float64()*100, rng.Float64()*100, rng.Float64()*100, rng.Float64()*100
		h, ok := cast(&b, x1, y1, x2-x1, y2-y1)
		end := 1.0
		if ok {
			end = h.Fraction
			if h.Fraction > 0 && (contains(&b, h.X, h.Y, 1e-6) || !contains(&b, h.X-h.NX*1e-4, h.Y-h.NY*1e-4, 0) ||
				math.Abs(math.Hypot(h.NX, h.NY)-1) > 1e-9 || h.NX*(x2-x1)+h.NY*(y2-y1) > 1e-9) {
				t.Fatalf("%+v: hit %+v is not on the surface or its normal is wrong", b, h)
			}
		}
		for i := range 40 {
			f := end * float64(i) / 40
			if x, y := x1+f*(x2-x1), y1+f*(y2-y1); contains(&b, x, y, 1e-6) && !(ok && h.Fraction == 0) {
				t.Fatalf("%+v: ray (%v,%v)-(%v,%v) is inside at %v, hit %+v %v", b, x1, y1, x2, y2, f, h, ok)
			}
		}
	}
}

func TestContactsAgreeWithBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	total := 0
	for range 60 {
		s := scene(rng, 120)
		got := map[[2]int]Contact{}
		s.Contacts(func(c Contact) {
			if _, twice := got[[2]int{c.A, c.B}]; twice || c.A >= c.B {
				t.Fatalf("contact %+v comes twice or out of order", c)
			}
			got[[2]int{c.A, c.B}] = c
		})
		want := 0
		for i := range s.bodies {
			for j := i + 1; j < len(s.bodies); j++ {
				if c, ok := touch(&s.bodies[i], &s.bodies[j]); ok {
					want++
					c.A, c.B = i, j
					if got[[2]int{i, j}] != c {
						t.Fatalf("pair %d,%d: got %+v, want %+v", i, j, got[[2]int{i, j}], c)
					}
				}
			}
		}
		if len(got) != want {
			t.Fatalf("%d contacts, want %d", len(got), want)
		}
		total += want
	}
	if total < 1000 {
		t.Errorf("only %d contacts in all", total)
	}
}

// Moving B along the normal by the depth ends the contact.
func TestContactDepthSeparates(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	s := scene(rng, 80)
	s.Contacts(func(c Contact) {
		b := s.bodies[c.B]
		b.X += c.NX * (c.Depth + 1e-6)
		b.Y += c.NY * (c.Depth + 1e-6)
		if left, ok := touch(&s.bodies[c.A], &b); ok {
			t.Errorf("still %v deep after moving %+v by %+v", left.Depth, s.bodies[c.B], c)
		}
	})
}

func TestNearAgreesWithBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	s := scene(rng, 200)
	for range 500 {
		x, y, r := rng.Float64()*640, rng.Float64()*360, 1+rng.Float64()*80
		mask := uint32(1 + rng.IntN(7))
		got := map[int]bool{}
		s.Near(x, y, r, mask, func(i int) bool {
			if got[i] {
				t.Fatalf("body %d comes twice", i)
			}
			got[i] = true
			return true
		})
		for i := range s.bodies {
			_, ok := touch(&Body{X: x, Y: y, R: r}, &s.bodies[i])
			if want := ok && s.bodies[i].Mask&mask != 0; want != got[i] {
				t.Fatalf("body %d near (%v,%v) %v: got %v, want %v", i, x, y, r, got[i], want)
			}
		}
	}
}

func TestWhatIsNotFiniteIsLeftOut(t *testing.T) {
	s := NewSpace(0, 0, 100, 100, 10)
	nan, inf := math.NaN(), math.Inf(1)
	for _, b := range []Body{{X: nan, R: 1}, {Y: inf, R: 1}, {R: nan}, {R: inf}, {HX: 1, HY: nan}, {R: 0}, {R: -1}, {HX: 1}} {
		if i := s.Add(b); i != -1 {
			t.Errorf("Add(%+v) = %d, want -1", b, i)
		}
	}
	s.Add(Body{X: 1e300, Y: -1e300, R: 5})
	s.Add(Body{X: 50, Y: 50, R: 5, Mask: 1})
	s.Build()
	if s.Ignored() != 8 || s.Len() != 2 {
		t.Errorf("ignored %d, kept %d, want 8 and 2", s.Ignored(), s.Len())
	}
	for _, r := range [][4]float64{{nan, 0, 1, 1}, {0, 0, inf, 1}, {-inf, 0, inf, 0}, {-1e308, 0, 1e308, 0}} {
		if h, ok := s.Raycast(r[0], r[1], r[2], r[3], All); ok {
			t.Errorf("ray %v hit %+v", r, h)
		}
	}
	if h, ok := s.Raycast(-1e12, 50, 1e12, 50, 1); !ok || h.Body != 1 {
		t.Errorf("a long ray: %+v %v, want body 1", h, ok)
	}
	s.Near(nan, 0, 1, All, func(int) bool { t.Error("near NaN"); return true })
}

// A heap on one spot must not cost the square of its size.
func TestAHeapStaysBounded(t *testing.T) {
	s := NewSpace(0, 0, 1000, 1000, 32)
	for range 5000 {
		s.Add(Body{X: 500, Y: 500, R: 6, Mask: 1})
	}
	s.Build()
	n := 0
	s.Contacts(func(Contact) { n++ })
	if n == 0 || n > 5000*crowd {
		t.Errorf("%d contacts, want some and at most %d", n, 5000*crowd)
	}
}

func Example() {
	s := NewSpace(0, 0, 640, 360, 32)
	s.Add(Body{X: 100, Y: 50, R: 8, Mask: 1})
	s.Add(Body{X: 200, Y: 50, HX: 16, HY: 16, Mask: 2})
	s.Build()
	hit, _ := s.Raycast(0, 50, 640, 50, All)
	fmt.Println("first:", hit.Body, "at", hit.X)
	hit, _ = s.Raycast(0, 50, 640, 50, 2)
	fmt.Println("masked:", hit.Body, "at", hit.X)
	// Output:
	// first: 0 at 92
	// masked: 1 at 184
}

func BenchmarkContacts2000(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	bodies := make([]Body, 2000)
	for i := range bodies {
		bodies[i] = Body{X: rng.Float64() * 1280, Y: rng.Float64() * 720, R: 7, Mask: 1}
	}
	s := NewSpace(0, 0, 1280, 720, 32)
	for b.Loop() {
		s.Reset()
		for _, body := range bodies {
			s.Add(body)
		}
		s.Build()
		s.Contacts(func(Contact) {})
	}
}
