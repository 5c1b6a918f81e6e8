package inspector

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func TestThePageRunsNothingButItsOwn(t *testing.T) {
	w := httptest.NewRecorder()
	ServePage(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || w.Body.String() != Document() {
		t.Fatalf("%d %s, %d bytes", w.Code, w.Header().Get("Content-Type"), w.Body.Len())
	}
	csp := w.Header().Get("Content-Security-Policy")
	form := regexp.MustCompile(`^default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]{43}='; style-src 'sha256-[A-Za-z0-9+/]{43}='; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$`)
	if !form.MatchString(csp) {
		t.Errorf("the policy is %q", csp)
	}
	if w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Error("nosniff is missing")
	}
}

func TestThePageLoadsNothing(t *testing.T) {
	if m := regexp.MustCompile(`<(script|link|img|iframe)[^>]+(src|href)="[^d][^"]*"`).FindString(Document()); m != "" {
		t.Errorf("the document is not self-contained: %s", m)
	}
	for _, address := range regexp.MustCompile(`https?://[A-Za-z0-9.:-]+`).FindAllString(Document(), -1) {
		if address != "http://www.w3.org" {
			t.Errorf("the document names %s", address)
		}
	}
	for _, sink := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("} {
		// preact's own property for markup is the one place that may name it.
		if n := strings.Count(Document(), sink); n > 0 && sink != "innerHTML" {
			t.Errorf("the document uses %s", sink)
		}
	}
}

func TestThePageIsSmall(t *testing.T) {
	if n := len(compressed); n > 120<<10 {
		t.Errorf("%d bytes compressed, at most 120 KiB", n)
	}
}

func TestThePageIsSentCompressed(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Encoding", "br, gzip")
	ServePage(w, r)
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil || string(b) != Document() {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	w = httptest.NewRecorder()
	ServePage(w, httptest.NewRequest(http.MethodHead, "/", nil))
	if w.Body.Len() != 0 || w.Header().Get("Content-Length") == "" {
		t.Errorf("HEAD: %d bytes, length %q", w.Body.Len(), w.Header().Get("Content-Length"))
	}
}
