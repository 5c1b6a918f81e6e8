package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/wire"
)

// lane is the SDK's server, which answers what is the bridge's own: the
// handshake, ping, log levels, subscriptions. It reads from the bridge and
// writes to the client.
type lane struct {
	b      *Bridge
	server *mcp.Server
	in     chan jsonrpc.Message
	end    chan struct{}
	once   sync.Once

	mu      sync.Mutex
	strange map[string]json.RawMessage // ids that the SDK would change, by the one it got instead
}

// Instructions are what a client is told while no game is in use.
const Instructions = `Loupe looks into running games. No game is in use now: session_list shows what runs on this machine, session_start builds and starts one, and its tools then appear in the tool list. ` +
	`After a change of the code call session_restart: it builds, starts again and puts the world back. session_log has what a game printed.`

func newLane(b *Bridge) *lane {
	l := &lane{b: b, in: make(chan jsonrpc.Message, 64), end: make(chan struct{}), strange: map[string]json.RawMessage{}}
	l.server = mcp.NewServer(&mcp.Implementation{Name: "loupe", Version: b.o.Version}, &mcp.ServerOptions{
		Instructions: Instructions,
		Capabilities: &mcp.ServerCapabilities{
			Tools:     &mcp.ToolCapabilities{ListChanged: true},
			Resources: &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
			Prompts:   &mcp.PromptCapabilities{ListChanged: true},
			//lint:ignore SA1019 the eras with sessions have it, and so have games
			Logging:     &mcp.LoggingCapabilities{},
			Completions: &mcp.CompletionCapabilities{},
		},
		SubscribeHandler: func(ctx context.Context, r *mcp.SubscribeRequest) error {
			err := b.subscribe(ctx, r.Params.URI)
			var denied *wire.Denied
			if errors.As(err, &denied) && denied.RPC != nil {
				e := &jsonrpc.Error{}
				if json.Unmarshal(denied.RPC, e) == nil {
					return e
				}
			}
			return err
		},
		UnsubscribeHandler: func(ctx context.Context, r *mcp.UnsubscribeRequest) error {
			b.unsubscribe(ctx, r.Params.URI)
			return nil
		},
	})
	l.server.AddReceivingMiddleware(l.gamesInstructions)
	return l
}

// handshake bounds how long the client's first request waits for a game.
const handshake = 2 * time.Second

// gamesInstructions gives the client those of the game in use, unchanged.
func (l *lane) gamesInstructions(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, r)
		if err != nil {
			return res, err
		}
		var text *string
		switch res := res.(type) {
		case *mcp.InitializeResult:
			text = &res.Instructions
		case *mcp.DiscoverResult:
			text = &res.Instructions
		default:
			return res, nil
		}
		ctx, cancel := context.WithTimeout(ctx, handshake)
		defer cancel()
		if game := l.b.current(ctx); game != nil && game.conn.Instructions != "" {
			*text = game.conn.Instructions
		}
		return res, nil
	}
}

func (l *lane) run(ctx context.Context) error { return l.server.Run(ctx, l) }

// Connect implements mcp.Transport, and the rest mcp.Connection.
func (l *lane) Connect(context.Context) (mcp.Connection, error) { return l, nil }

func (l *lane) SessionID() string { return "" }

func (l *lane) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-l.in:
		return m, nil
	default:
	}
	select {
	case m := <-l.in:
		return m, nil
	case <-l.end:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *lane) Write(_ context.Context, m jsonrpc.Message) error {
	b, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if r, ok := m.(*jsonrpc.Response); ok {
		if id, ok := r.ID.Raw().(string); ok {
			l.mu.Lock()
			own, found := l.strange[id]
			delete(l.strange, id)
			l.mu.Unlock()
			if found {
				if e, err := wire.Parse(b); err == nil {
					b = head(own)
					if e.Error != nil {
						b = append(append(b, `,"error":`...), e.Error...)
					} else {
						b = append(append(b, `,"result":`...), e.Result...)
					}
					b = append(b, '}')
				}
			}
		}
	}
	return l.b.out.send(b)
}

// Close implements mcp.Connection.
func (l *lane) Close() error {
	l.close()
	return nil
}

func (l *lane) close() { l.once.Do(func() { close(l.end) }) }

// take gives the SDK a message.
func (l *lane) take(e wire.Envelope, line []byte) {
	if e.IsRequest() && e.Method != "subscriptions/listen" && !l.plain(e.ID) {
		l.mu.Lock()
		id := fmt.Sprintf("loupe-id-%d-%s", len(l.strange), e.ID)
		l.strange[id] = e.ID
		l.mu.Unlock()
		line = wire.Request(wire.Quote(id), e.Method, e.Params)
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		if e.ID != nil && e.Method != "" {
			l.b.out.send(rpcError(e.ID, -32600, err.Error(), nil))
		}
		return
	}
	select {
	case l.in <- m:
	case <-l.end:
	}
}

// plain reports whether the SDK answers with the id that it got: it reads
// numbers as floats and cuts off fractions.
func (l *lane) plain(id json.RawMessage) bool {
	if id[0] == '"' {
		return true
	}
	for _, c := range id {
		if c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return len(id) <= 15
}

// announce has the SDK tell the client that a list has changed, in the way of its
// era and once for a burst. The SDK does so when something is added; what the
// client sees of the lists is answered without it.
func (l *lane) announce(list string) {
	switch list {
	case "tools":
		l.server.AddTool(&mcp.Tool{Name: "changed", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	case "resources":
		l.server.AddResource(&mcp.Resource{Name: "changed", URI: "loupe:changed"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{}, nil
		})
	case "prompts":
		l.server.AddPrompt(&mcp.Prompt{Name: "changed"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		})
	}
}

// updated has the SDK tell the client of a resource, if it wants to hear of it.
func (l *lane) updated(uri string) {
	ctx, cancel := context.WithTimeout(l.b.ctx, handshake)
	defer cancel()
	if err := l.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
		l.b.log.Warn("the client does not hear of a resource", "uri", uri, "err", err)
	}
}
