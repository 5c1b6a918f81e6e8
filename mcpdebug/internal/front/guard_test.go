package front

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// raw sends one request as bytes and reads the answer.
func raw(t testing.TB, url, request string) answer {
	t.Helper()
	c := dial(t, url)
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%.60q: %v", request, err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(b)}
}

// TestGuardTable sends every combination of method, Host, Origin, content type
// and token as raw bytes: a request passes only if each part of it may.
func TestGuardTable(t *testing.T) {
	_, _, url := serve(t, Options{Token: "s3cret", AllowOrigins: []string{"https://tool.example"}, AllowHosts: []string{"box.lan"}}, true)
	port := url[strings.LastIndex(url, ":")+1 : len(url)-len("/mcp")]
	type part struct {
		value string
		fails string // the check that refuses it
	}
	hosts := []part{{"127.0.0.1:" + port, ""}, {"localhost:" + port, ""}, {"LOCALHOST:" + port, ""}, {"localhost", ""}, {"[::1]:" + port, ""}, {"127.0.0.9:" + port, ""}, {"box.lan:" + port, ""},
		{"evil.example", "host"}, {"evil.example:" + port, "host"}, {"localhost.evil.example:" + port, "host"}, {"localhost:1", "host"}, {"192.168.1.1:" + port, "host"}, {"127.0.0.1.nip.io:" + port, "host"}}
	origins := []part{{"", ""}, {"Origin: http://localhost:6274\r\n", ""}, {"Origin: https://127.0.0.1\r\n", ""}, {"Origin: https://tool.example\r\n", ""}, {"Sec-Fetch-Site: none\r\n", ""}, {"Sec-Fetch-Site: same-origin\r\n", ""},
		{"Origin: null\r\n", "origin"}, {"Origin: https://evil.example\r\n", "origin"}, {"Origin: http://localhost.evil.example\r\n", "origin"}, {"Origin: http://localhost@evil.example\r\n", "origin"}, {"Origin: file://localhost\r\n", "origin"},
		{"Origin: http://localhost\r\nOrigin: http://localhost\r\n", "origin"}, {"Sec-Fetch-Site: cross-site\r\n", "sec-fetch-site"}, {"Sec-Fetch-Site: same-site\r\n", "sec-fetch-site"}, {"X-Forwarded-For: 10.0.0.1\r\n", "forwarded"}}
	types := []part{{"Content-Type: application/json\r\n", ""}, {"Content-Type: application/json; charset=utf-8\r\n", ""}, {"", "content-type"}, {"Content-Type: text/plain\r\n", "content-type"},
		{"Content-Type: application/x-www-form-urlencoded\r\n", "content-type"}, {"Content-Type: text/plain, application/json\r\n", "content-type"}}
	tokens := []part{{"Authorization: Bearer s3cret\r\n", ""}, {"Authorization: bearer s3cret\r\n", ""}, {"", "token"}, {"Authorization: Bearer s3cre\r\n", "token"}, {"Authorization: Basic s3cret\r\n", "token"}, {"Authorization: Bearer s3cret\r\nAuthorization: Bearer s3cret\r\n", "token"}}
	methods := []string{"POST", "GET", "DELETE", "OPTIONS", "PUT", "HEAD"}

	c := dial(t, url)
	c.SetDeadline(time.Now().Add(60 * time.Second))
	in := bufio.NewReader(c)
	n := 0
	try := func(method string, host, origin, ct, token part) {
		n++
		body := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		if _, err := fmt.Fprintf(c, "%s /mcp HTTP/1.1\r\nHost: %s\r\n%s%s%sContent-Length: %d\r\n\r\n%s", method, host.value, origin.value, ct.value, token.value, len(body), body); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(resp.Body)
		if resp.Close {
			c.Close()
			c = dial(t, url)
			c.SetDeadline(time.Now().Add(60 * time.Second))
			in = bufio.NewReader(c)
		}
		want := ""
		for _, p := range []part{host, origin, token, ct} {
			preflight := method == "OPTIONS" && strings.Contains(origin.value, "tool.example")
			if p.fails != "" && (p.fails != "content-type" || method == "POST") && (p.fails != "token" || !preflight) {
				want = p.fails
				break
			}
		}
		if origin.fails == "forwarded" {
			want = "forwarded"
		}
		status := map[string]int{"": 0, "host": 403, "origin": 403, "sec-fetch-site": 403, "forwarded": 403, "token": 401, "content-type": 415}[want]
		if want == "" {
			status = map[string]int{"POST": 200, "GET": 406, "DELETE": 400, "OPTIONS": 405, "PUT": 405, "HEAD": 405}[method]
			if method == "OPTIONS" && strings.Contains(origin.value, "tool.example") {
				status = 204
			}
			if method == "GET" {
				status = 400 // no Accept takes everything, but there is no session
			}
		}
		if resp.StatusCode != status || want != "" && method != "HEAD" && !strings.Contains(string(got), `"check":"`+want+`"`) {
			t.Errorf("%s %q %q %q %q: got %d %s, want %d by the check %q", method, host.value, origin.value, ct.value, token.value, resp.StatusCode, got, status, want)
		}
		if len(got) > 0 && !json.Valid(got) {
			t.Errorf("the answer is no JSON: %s", got)
		}
		if cors := resp.Header.Get("Access-Control-Allow-Origin"); cors != "" && !strings.Contains(origin.value, cors) {
			t.Errorf("CORS for %q", cors)
		}
	}
	for _, m := range methods {
		for _, h := range hosts {
			for _, o := range origins {
				for _, ct := range types {
					if testing.Short() && h.fails != "" && o.fails != "" {
						continue
					}
					try(m, h, o, ct, tokens[n%len(tokens)])
				}
			}
		}
		for _, tok := range tokens {
			try(m, hosts[0], origins[0], types[0], tok)
		}
	}
	t.Logf("%d combinations", n)
}

func TestGuardOnEveryRoute(t *testing.T) {
	_, _, url := serve(t, Options{}, false)
	for _, path := range []string{"/", "/mcp", "/other", "*"} {
		for _, method := range []string{"GET", "POST", "OPTIONS", "DELETE"} {
			if path == "*" && method != "OPTIONS" {
				continue
			}
			a := raw(t, url, method+" "+path+" HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
			if a.status != 403 {
				t.Errorf("%s %s with a foreign Host: %d", method, path, a.status)
			}
		}
	}
}

func TestTokenSources(t *testing.T) {
	t.Setenv(TokenEnv, "")
	dir := t.TempDir()
	file := filepath.Join(dir, "token")
	if err := os.WriteFile(file, []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Token(Options{TokenFile: file}); got != "from-file" || err != nil {
		t.Errorf("file: %q %v", got, err)
	}
	t.Setenv(TokenEnv, "from-env")
	if got, _ := Token(Options{TokenFile: file}); got != "from-env" {
		t.Errorf("environment: %q", got)
	}
	if got, _ := Token(Options{Token: "own", TokenFile: file}); got != "own" {
		t.Errorf("option: %q", got)
	}
	t.Setenv(TokenEnv, "")
	os.Chmod(file, 0o644)
	if _, err := Token(Options{TokenFile: file}); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that others can read: %v", err)
	}
	f := New(newFake(), Options{TokenFile: file})
	defer f.Close()
	if _, err := f.Listen("127.0.0.1:0"); err == nil {
		t.Error("listened without the token it was told to ask for")
	}
	if _, err := Token(Options{TokenFile: filepath.Join(dir, "none")}); err == nil {
		t.Error("a missing file is no error")
	}
}

func TestBeyondLoopbackNeedsOptionAndToken(t *testing.T) {
	t.Setenv(TokenEnv, "")
	for _, c := range []struct {
		addr string
		o    Options
		want string
	}{
		{":0", Options{}, "AllowNonLoopback"},
		{"0.0.0.0:0", Options{Token: "x"}, "AllowNonLoopback"},
		{"[::]:0", Options{BeyondLoopback: true}, "set a token"},
		{"7100", Options{}, "127.0.0.1:7100"},
		{"0.0.0.0:0", Options{BeyondLoopback: true, Token: "x"}, ""},
		{"localhost:0", Options{}, ""},
	} {
		f := New(newFake(), c.o)
		_, err := f.Listen(c.addr)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %+v: %v, want %q", c.addr, c.o, err, c.want)
		}
		f.Close()
	}
}

func FuzzHeaders(f *testing.F) {
	f.Add("127.0.0.1", "http://localhost", "application/json", "2025-06-18", "abc", "application/json")
	f.Add("[::1", "null", "a/b;c", "2026-07-28", "", "*/*;q=")
	front := New(newFake(), Options{})
	f.Fuzz(func(t *testing.T, host, origin, ct, version, session, accept string) {
		r, err := http.NewRequest("POST", "http://x/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		r.Header = http.Header{"Content-Type": {ct}, "Accept": {accept}}
		for name, v := range map[string]string{"Origin": origin, headerVersion: version, headerSession: session} {
			if v != "" {
				r.Header[name] = []string{v}
			}
		}
		w := &recorder{header: http.Header{}}
		front.ServeHTTP(w, r)
		if b := w.body.Bytes(); !json.Valid(b) && !strings.HasPrefix(string(b), "event: message\ndata: ") {
			t.Errorf("answer %q", b)
		}
		foreign := origin != "" && !strings.Contains(strings.ToLower(origin), "localhost") && !strings.Contains(origin, "127.") && !strings.Contains(origin, "::1")
		if foreign && w.status != 403 && w.status != 405 {
			t.Errorf("origin %q passed with %d", origin, w.status)
		}
	})
}

func TestRefusalsAreLoggedSparingly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		b := &loggingBackend{newFake(), slog.New(slog.NewTextHandler(&log, nil))}
		f := New(b, Options{})
		defer f.Close()
		refuse := func() {
			r := httptest.NewRequest("GET", "http://evil.example/mcp", nil)
			f.ServeHTTP(httptest.NewRecorder(), r)
		}
		for range 100 {
			refuse()
		}
		time.Sleep(2 * time.Second)
		refuse()
		if n := strings.Count(log.String(), "check=host"); n != 2 || !strings.Contains(log.String(), "unlogged=99") {
			t.Errorf("%d lines:\n%s", n, log.String())
		}
	})
}

type loggingBackend struct {
	*fakeBackend
	log *slog.Logger
}

func (b *loggingBackend) Logger() *slog.Logger { return b.log }
