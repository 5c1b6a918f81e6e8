// Package inspector holds the page for people: one self-contained document
// that speaks the protocol like any other client, over HTTP when a browser
// opens the debug server's address, over postMessage inside a host of MCP Apps.
//
// Its sources are in web; scripts/inspector.sh bundles them with the vendored
// libraries into inspector.html.gz, which is what the binary carries.
package inspector

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// URI is the document's name for hosts of MCP Apps, MIMEType its kind.
const (
	URI      = "ui://loupe/inspector"
	MIMEType = "text/html;profile=mcp-app"
)

//go:embed inspector.html.gz
var compressed []byte

// Document is the page. Any goroutine.
var Document = sync.OnceValue(func() string {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		panic(err) // the file is part of the build
	}
	b, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return string(b)
})

// policy lets the page run what it came with and talk to where it came from,
// nothing else. Inline script and style are named by their hashes.
var policy = sync.OnceValue(func() string {
	return "default-src 'none'; script-src " + hashOf("script") + "; style-src " + hashOf("style") +
		"; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
})

// hashOf is the source expression for the content of the document's one
// element of that name.
func hashOf(element string) string {
	_, rest, _ := strings.Cut(Document(), "<"+element+">")
	content, _, ok := strings.Cut(rest, "</"+element+">")
	if !ok {
		return "'none'"
	}
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// ServePage answers a browser that opens the debug server's address. The page
// holds nothing of the game, so that no token is asked for it; its calls need
// the token like any client's. Any goroutine.
func ServePage(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	body := compressed
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
	} else {
		body = []byte(Document())
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}
