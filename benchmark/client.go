package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// client is a keep-alive HTTP client that sends one JSON-RPC body again and
// again: the same one for every server measured.
type client struct {
	http    *http.Client
	url     string
	session string
	version string
	body    []byte
	want    []byte // a part of every right answer
}

func newClient(url, body, want string) *client {
	return &client{http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}, url: url, body: []byte(body), want: []byte(want)}
}

func (c *client) post(body []byte) (*http.Response, []byte, error) {
	r, err := http.NewRequest(http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.Header["Content-Type"] = jsonType
	r.Header["Accept"] = accepted
	if c.session != "" {
		r.Header["Mcp-Session-Id"] = []string{c.session}
		r.Header["Mcp-Protocol-Version"] = []string{c.version}
	}
	a, err := c.http.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer a.Body.Close()
	answer, err := io.ReadAll(a.Body)
	return a, answer, err
}

var (
	jsonType = []string{"application/json"}
	accepted = []string{"application/json, text/event-stream"}
)

// connect begins a session.
func (c *client) connect() error {
	c.version = "2025-11-25"
	a, body, err := c.post([]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"benchmark","version":"1"}}}`))
	if err != nil {
		return err
	}
	if a.StatusCode != 200 {
		return fmt.Errorf("initialize: %s: %s", a.Status, body)
	}
	c.session = a.Header.Get("Mcp-Session-Id")
	_, _, err = c.post([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return err
}

// call sends the body once and checks the answer.
func (c *client) call() error {
	a, answer, err := c.post(c.body)
	switch {
	case err != nil:
		return err
	case a.StatusCode != 200 || !bytes.Contains(answer, c.want):
		return fmt.Errorf("%s: %.300s", a.Status, answer)
	}
	return nil
}

func (c *client) close() { c.http.CloseIdleConnections() }

// burst lets so many callers share n calls, and returns the time of each call,
// sorted.
func (c *client) burst(callers, n int) ([]time.Duration, error) {
	times := make([][]time.Duration, callers)
	errs := make([]error, callers)
	var wg sync.WaitGroup
	for i := range callers {
		times[i] = make([]time.Duration, 0, n/callers)
		wg.Go(func() {
			for range n / callers {
				start := time.Now()
				if errs[i] = c.call(); errs[i] != nil {
					return
				}
				times[i] = append(times[i], time.Since(start))
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	all := slices.Concat(times...)
	slices.Sort(all)
	return all, nil
}

func callBody(tool string, arguments any) string {
	a, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, a)
}
