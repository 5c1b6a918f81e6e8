package wire

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Target is where a game is, and what lets one in.
type Target struct {
	URL   string
	Token string // "": none
}

// Conn is a session with one game. Any goroutine.
type Conn struct {
	target  Target
	http    *http.Client
	id      string // of the session
	version string

	// Instructions are the game's, from its initialize.
	Instructions string

	calls atomic.Int64
	close sync.Once
}

// Lost is the error of an exchange that broke off.
type Lost struct {
	Sent bool // the request went out: the game may have acted on it
	Err  error
}

func (e *Lost) Error() string { return "the connection to the game broke: " + e.Err.Error() }
func (e *Lost) Unwrap() error { return e.Err }

// Denied is the error of a game that answered, but not as asked.
type Denied struct {
	Status int
	RPC    json.RawMessage // the error object of its answer, if it sent one
}

func (e *Denied) Error() string {
	if message := Text(e.RPC, "message"); message != "" {
		return message
	}
	return fmt.Sprintf("the game answered HTTP %d", e.Status)
}

// Ended reports whether the game no longer knows the session: it was started
// again, or the session was idle for too long.
func (e *Denied) Ended() bool { return e.Status == http.StatusNotFound }

// To makes a Conn without a session, for requests of the era that has none.
func To(t Target) *Conn {
	// No proxy: a game is on this machine. No compression: loopback is faster.
	return &Conn{target: t, http: &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute}}}
}

// Dial begins a session with the parameters of an initialize.
func Dial(ctx context.Context, t Target, params json.RawMessage) (*Conn, error) {
	c := To(t)
	var answer Envelope
	err := c.Do(ctx, Request([]byte(`"loupe-hello"`), "initialize", params), nil, func(message []byte) (err error) {
		answer, err = Parse(message)
		return err
	})
	switch {
	case err != nil:
		c.Close()
		return nil, err
	case answer.Error != nil:
		c.Close()
		return nil, &Denied{Status: http.StatusOK, RPC: answer.Error}
	}
	c.version = Text(answer.Result, "protocolVersion")
	c.Instructions = Text(answer.Result, "instructions")
	if err := c.Do(ctx, Request(nil, "notifications/initialized", nil), nil, nil); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Modern are the headers of a request of the era without sessions.
type Modern struct{ Method, Name string }

// Do sends one message and hands on each that comes back, in order: one, or
// those of an event stream. Its errors are *Lost, *Denied, each's or ctx's.
func (c *Conn) Do(ctx context.Context, body []byte, m *Modern, each func(message []byte) error) error {
	var sent atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	r, err := c.request(traced, http.MethodPost, body)
	if err != nil {
		return err
	}
	r.Header["Content-Type"] = []string{"application/json"}
	r.Header["Accept"] = []string{"application/json, text/event-stream"}
	if m != nil {
		r.Header["Mcp-Protocol-Version"] = []string{ModernVersion}
		r.Header["Mcp-Method"] = []string{m.Method}
		if m.Name != "" {
			r.Header["Mcp-Name"] = []string{headerValue(m.Name)}
		}
	} else {
		c.ofSession(r)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return broken(ctx, sent.Load(), err)
	}
	defer answer.Body.Close()
	if id := answer.Header.Get("Mcp-Session-Id"); id != "" && c.id == "" && m == nil {
		c.id = id
	}
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		return broken(ctx, true, events(answer.Body, each))
	}
	b, err := readAll(answer)
	if err != nil {
		return broken(ctx, true, err)
	}
	if answer.StatusCode >= 400 {
		e, err := Parse(b)
		if err == nil && e.Error != nil && e.ID != nil && each != nil {
			return each(b) // an answer like any other
		}
		return &Denied{Status: answer.StatusCode, RPC: e.Error}
	}
	if len(b) == 0 || each == nil {
		return nil
	}
	return each(b)
}

// stopped is an error of each's: no fault of the connection.
type stopped struct{ error }

func broken(ctx context.Context, sent bool, err error) error {
	var own stopped
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return own.error
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return &Lost{Sent: sent, Err: err}
}

func (c *Conn) request(ctx context.Context, method string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.target.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if c.target.Token != "" {
		r.Header["Authorization"] = []string{"Bearer " + c.target.Token}
	}
	return r, nil
}

func (c *Conn) ofSession(r *http.Request) {
	if c.id != "" {
		r.Header["Mcp-Session-Id"] = []string{c.id}
	}
	if c.version >= "2025-06-18" {
		r.Header["Mcp-Protocol-Version"] = []string{c.version}
	}
}

// headerValue wraps what a header cannot carry as it is.
func headerValue(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
		}
	}
	return s
}

// readAll reads a body once into memory of its size, with room for a line's end:
// a picture is not copied to get one.
func readAll(r *http.Response) ([]byte, error) {
	if r.ContentLength < 0 {
		return io.ReadAll(r.Body)
	}
	b := make([]byte, r.ContentLength, r.ContentLength+1)
	_, err := io.ReadFull(r.Body, b)
	return b, err
}

// Listen hands on what the game says by itself, until it ends or ctx does.
func (c *Conn) Listen(ctx context.Context, each func(message []byte) error) error {
	r, err := c.request(ctx, http.MethodGet, nil)
	if err != nil {
		return err
	}
	r.Header["Accept"] = []string{"text/event-stream"}
	c.ofSession(r)
	answer, err := c.http.Do(r)
	if err != nil {
		return broken(ctx, true, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return &Denied{Status: answer.StatusCode}
	}
	err = events(answer.Body, each)
	if err == nil {
		err = io.EOF
	}
	return broken(ctx, true, err)
}

// goodbye bounds how long the end of a session may take.
const goodbye = 300 * time.Millisecond

// Close ends the session; a game that is gone is not waited for.
func (c *Conn) Close() {
	c.close.Do(func() {
		if c.id != "" {
			ctx, cancel := context.WithTimeout(context.Background(), goodbye)
			defer cancel()
			if r, err := c.request(ctx, http.MethodDelete, nil); err == nil {
				c.ofSession(r)
				if answer, err := c.http.Do(r); err == nil {
					answer.Body.Close()
				}
			}
		}
		c.http.CloseIdleConnections()
	})
}

// Result is the answer of a tool.
type Result struct {
	IsError           bool            `json:"isError"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	Content           []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
}

// Call calls a tool, without a session, and decodes its structured answer into
// out (nil: not). A refusal is a *refusal.Error.
func (c *Conn) Call(ctx context.Context, tool string, arguments, out any) error {
	args, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	id := fmt.Appendf(nil, `"loupe-%d"`, c.calls.Add(1))
	params := append(append([]byte(`{"name":`), Quote(tool)...), `,"arguments":`...)
	params = append(append(params, args...), `,"_meta":{"`+MetaVersion+`":"`+ModernVersion+
		`","io.modelcontextprotocol/clientInfo":{"name":"loupe","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`...)
	var answer Envelope
	err = c.Do(ctx, Request(id, "tools/call", params), &Modern{Method: "tools/call", Name: tool}, func(message []byte) (err error) {
		if Answers(message, id) {
			answer, err = Parse(message)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case answer.Error != nil:
		return &Denied{Status: http.StatusOK, RPC: answer.Error}
	}
	var r Result
	if err := json.Unmarshal(answer.Result, &r); err != nil {
		return err
	}
	if r.IsError {
		return r.Refusal()
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(r.StructuredContent, out)
}

// Refusal is the typed error of an answer that is one.
func (r *Result) Refusal() error {
	var doc struct {
		Error *refusal.Error `json:"error"`
	}
	if json.Unmarshal(r.StructuredContent, &doc) == nil && doc.Error != nil && doc.Error.Code != "" {
		return doc.Error
	}
	text := "the tool failed"
	if len(r.Content) > 0 && r.Content[0].Text != "" {
		text = r.Content[0].Text
	}
	return &refusal.Error{Code: refusal.Failed, Message: text}
}
