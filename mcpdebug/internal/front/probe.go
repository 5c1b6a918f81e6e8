package front

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// probeTimeout bounds the question what holds a port: the game waits for it.
const probeTimeout = 500 * time.Millisecond

// whoAnswers finds out what serves an address that cannot be bound, and whether
// it is a server like this one.
func whoAnswers(addr string) (text string, loupe bool) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "what answers there cannot be told", false
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: nil}}
	post := func(session, body string) (int, http.Header, []byte, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+net.JoinHostPort(host, port)+"/mcp", bytes.NewReader([]byte(body)))
		if err != nil {
			return 0, nil, nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if token := os.Getenv(TokenEnv); token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		if session != "" {
			r.Header.Set(headerSession, session)
		}
		answer, err := client.Do(r)
		if err != nil {
			return 0, nil, nil, err
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
		return answer.StatusCode, answer.Header, b, err
	}
	status, header, body, err := post("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+sessionVersions[0]+`","capabilities":{},"clientInfo":{"name":"loupe-probe","version":"1"}}}`)
	if err != nil {
		return "something that does not speak HTTP holds it", false
	}
	var init struct {
		Result struct {
			ServerInfo struct{ Name, Version string }
			Meta       struct {
				Loupe struct {
					PID         int
					Module, App string
				}
			} `json:"_meta"`
		}
		Error struct {
			Data struct{ Check string }
		}
	}
	if json.Unmarshal(sseData(body), &init) != nil {
		return fmt.Sprintf("a web server that is no Loupe answers there (HTTP %d)", status), false
	}
	if session := header.Get(headerSession); session != "" {
		// Not with the probe's own context: the session must go even if it took long.
		defer endSession("http://"+net.JoinHostPort(host, port)+"/mcp", session)
	}
	switch other := init.Result.Meta.Loupe; {
	case other.PID == os.Getpid():
		return fmt.Sprintf("this very process (pid %d) serves it already", other.PID), true
	case other.PID != 0:
		who := other.Module
		if other.App != "" {
			who = fmt.Sprintf("%s (%s)", clip(other.App), who)
		}
		return fmt.Sprintf("another Loupe answers there: %s, pid %d", who, other.PID), true
	case init.Result.ServerInfo.Name != "":
		return fmt.Sprintf("another MCP server answers there: %s %s", clip(init.Result.ServerInfo.Name), clip(init.Result.ServerInfo.Version)), false
	case init.Error.Data.Check != "":
		return "another Loupe answers there, but it does not let this process in (" + clip(init.Error.Data.Check) + ")", true
	}
	return fmt.Sprintf("a web server answers there (HTTP %d)", status), false
}

func endSession(url, session string) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout/5)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, url, nil)
	if err != nil {
		return
	}
	r.Header.Set(headerSession, session)
	if token := os.Getenv(TokenEnv); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r); err == nil {
		answer.Body.Close()
	}
}

// sseData takes the message out of an event stream; JSON stays as it is.
func sseData(b []byte) []byte {
	if i := bytes.Index(b, []byte("data:")); i >= 0 && !bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		b, _, _ = bytes.Cut(b[i+5:], []byte("\n"))
	}
	return bytes.TrimSpace(b)
}
