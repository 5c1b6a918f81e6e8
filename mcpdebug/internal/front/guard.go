package front

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// guard decides who may talk to the server at all. Every request on every
// route passes it before anything else is looked at.
type guard struct {
	origins map[string]bool
	hosts   map[string]bool
	token   [sha256.Size]byte
	locked  bool // a token is asked for
	broken  error
}

func newGuard(o *Options) guard {
	g := guard{origins: map[string]bool{}, hosts: map[string]bool{}}
	for _, s := range o.AllowOrigins {
		g.origins[strings.ToLower(strings.TrimSuffix(s, "/"))] = true
	}
	for _, s := range o.AllowHosts {
		g.hosts[strings.ToLower(s)] = true
	}
	token, err := Token(*o)
	if token != "" {
		g.locked, g.token = true, sha256.Sum256([]byte(token))
	}
	g.broken = err
	return g
}

// denial says which check failed and how its subject could be permitted.
type denial struct {
	status  int
	check   string
	got     string
	message string
	permit  string
}

func (d *denial) body() []byte {
	e := rpcErrorf(codeServer, "%s", d.message)
	e.data = rawjson.AppendString([]byte(`{"check":`), d.check)
	e.data = rawjson.AppendString(append(e.data, `,"got":`...), clip(d.got))
	e.data = append(rawjson.AppendString(append(e.data, `,"permit":`...), d.permit), '}')
	return appendError(nil, nil, e)
}

// refusals logs what the guard refuses, once a second at most: a page that
// tries on and on must not flood the game's log.
type refusals struct {
	mu   sync.Mutex
	last time.Time
	more int // not logged since
}

func (l *refusals) log(f *Front, d *denial, from string) {
	l.mu.Lock()
	now := time.Now()
	if now.Sub(l.last) < time.Second {
		l.more++
		l.mu.Unlock()
		return
	}
	more := l.more
	l.last, l.more = now, 0
	l.mu.Unlock()
	f.b.Logger().Warn("request refused", "check", d.check, "got", clip(d.got), "from", from, "unlogged", more)
}

// check looks at one request. here: it is for the protocol's own path; others
// are answered with 404, which asks for neither token nor content type.
func (g *guard) check(r *http.Request, here bool) *denial {
	if g.broken != nil {
		return &denial{http.StatusServiceUnavailable, "token", "", "the server's token cannot be read: " + g.broken.Error(), "repair the token file and start again"}
	}
	h := r.Header
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Host", "Forwarded"} {
		if v := h[name]; v != nil {
			return &denial{http.StatusForbidden, "forwarded", name + ": " + strings.Join(v, ", "),
				"the request came through a proxy (" + name + "), so its sender is unknown", "connect directly; a tunnel such as ssh -L adds no such header"}
		}
	}
	if !g.hostOK(r) {
		return &denial{http.StatusForbidden, "host", r.Host,
			fmt.Sprintf("Host %q is not this server's own address", clip(r.Host)),
			"use the address that the server printed, or add the name to Options.AllowedHosts"}
	}
	if d := g.originCheck(h); d != nil {
		return d
	}
	if !here {
		return nil
	}
	// Browsers ask for permission without the token.
	preflight := r.Method == http.MethodOptions && g.listed(h)
	if g.locked && !preflight {
		if d := g.tokenCheck(h); d != nil {
			return d
		}
	}
	if r.Method == http.MethodPost {
		ct := h["Content-Type"]
		if len(ct) == 1 && ct[0] == "application/json" {
			return nil
		}
		media, _, err := mime.ParseMediaType(strings.Join(ct, ","))
		if err != nil || media != "application/json" {
			return &denial{http.StatusUnsupportedMediaType, "content-type", strings.Join(ct, ","),
				"the Content-Type of a POST must be application/json", "send the header Content-Type: application/json"}
		}
	}
	return nil
}

// hostOK wants the name that the client connected to: DNS rebinding makes a
// browser send requests for evil.example to this machine, but it cannot make
// it lie about the name.
func (g *guard) hostOK(r *http.Request) bool {
	host, port := r.Host, ""
	if h, p, err := net.SplitHostPort(r.Host); err == nil {
		host, port = h, p
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	host = strings.ToLower(host)
	if len(g.hosts) > 0 && (g.hosts[strings.ToLower(r.Host)] || g.hosts[host]) {
		return true
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	var at netip.AddrPort
	if local != nil {
		if tcp, ok := local.(*net.TCPAddr); ok {
			at = tcp.AddrPort()
		}
	}
	if port != "" && at.IsValid() && port != strconv.Itoa(int(at.Port())) {
		return false
	}
	if loopbackName(host) {
		return !at.IsValid() || at.Addr().Unmap().IsLoopback()
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && at.IsValid() && ip.Unmap() == at.Addr().Unmap()
}

func loopbackName(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Zone() == "" && ip.Unmap().IsLoopback()
}

func (g *guard) originCheck(h http.Header) *denial {
	origins := h["Origin"]
	permit := "pages of loopback addresses may connect; add others to Options.AllowedOrigins"
	switch {
	case len(origins) > 1:
		return &denial{http.StatusForbidden, "origin", strings.Join(origins, ", "), "more than one Origin header", permit}
	case len(origins) == 1:
		if !g.originOK(origins[0]) {
			return &denial{http.StatusForbidden, "origin", origins[0],
				fmt.Sprintf("a web page of %q may not drive this game", clip(origins[0])), permit}
		}
		return nil
	}
	for _, v := range h["Sec-Fetch-Site"] {
		if v != "none" && v != "same-origin" {
			return &denial{http.StatusForbidden, "sec-fetch-site", v, "a web page of another site sent this request", permit}
		}
	}
	return nil
}

// listed tells whether the request comes from a page of an allowed origin, which
// loopback ones are not by themselves.
func (g *guard) listed(h http.Header) bool {
	o := h["Origin"]
	return len(o) == 1 && g.origins[strings.ToLower(o[0])]
}

func (g *guard) originOK(origin string) bool {
	if g.origins[strings.ToLower(origin)] {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil &&
		u.Path == "" && u.RawQuery == "" && u.Fragment == "" && loopbackName(u.Hostname())
}

func (g *guard) tokenCheck(h http.Header) *denial {
	auth := h["Authorization"]
	d := &denial{status: http.StatusUnauthorized, check: "token", message: "this server asks for a bearer token",
		permit: "send Authorization: Bearer TOKEN with the token the host set (Options.Token, LOUPE_TOKEN or the token file)"}
	if len(auth) != 1 {
		return d
	}
	scheme, token, _ := strings.Cut(auth[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return d
	}
	// Hashes have one length, so the comparison tells nothing about the token's.
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if subtle.ConstantTimeCompare(sum[:], g.token[:]) != 1 {
		d.message = "the bearer token is wrong"
		return d
	}
	return nil
}
