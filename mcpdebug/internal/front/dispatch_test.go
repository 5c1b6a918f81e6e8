package front

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/tools"
)

func TestDispatch(t *testing.T) {
	b := newFake()
	newDocuments(b)
	f := New(b, Options{})
	defer f.Close()
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1.50,"method":"tools/call","params":{"name":"echo","arguments":{"a":9007199254740993}}}`: `{"jsonrpc":"2.0","id":1.50,"result":{"content":[{"type":"text","text":"{\"got\":{\"a\":9007199254740993},\"frame\":7}"}],"structuredContent":{"got":{"a":9007199254740993},"frame":7}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"ping"}`:                              `{"jsonrpc":"2.0","id":"a","result":{}}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}`:        ``,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                    ``,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}`: `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool"}}`,
	} {
		if got := f.Dispatch(message); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", message, got, want)
		}
	}
	for message, want := range map[string]string{
		`{`:        `"id":null,"error":{"code":-32700`,
		`[]`:       `"id":null,"error":{"code":-32600`,
		`{"id":4}`: `"id":4,"error":{"code":-32600`,
		initialize: `"protocolVersion":"2025-06-18"`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:                                           `"name":"echo"`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`:                                       `"uri":"test:fixed"`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://entity/42v3"}}`: `"text":"{\"alive\":true}"`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test:fixed"}}`:    `-32601`,
		`{"jsonrpc":"2.0","id":1,"method":"tool/list"}`:                                            `"options":["tools/list"`,
	} {
		if got := f.Dispatch(message); !strings.Contains(got, want) || !json.Valid([]byte(got)) {
			t.Errorf("%s\ngot  %s\nwant %s", message, got, want)
		}
	}
}

func ExampleFront_Dispatch() {
	b := newFake()
	b.reg.MustRegister(&tools.Tool{Spec: tools.Spec{Name: "wave", Description: "Tells the wave."}, Handler: dummy})
	f := New(b, Options{})
	defer f.Close()
	fmt.Println(f.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wave"}}`))
	// Output: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"got\":{},\"frame\":7}"}],"structuredContent":{"got":{},"frame":7}}}
}
