package front

import (
	"encoding/base64"
	"encoding/json"
	"strconv"

	"github.com/loupe-ecs/loupe/internal/rawjson"

	"github.com/loupe-ecs/loupe/tools"
)

// The answers are appended by hand: the hot path reuses one buffer per answer
// and encodes each byte of a result once.

func appendHead(dst, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		dst = append(dst, "null"...)
	}
	return append(dst, id...)
}

func appendError(dst, id []byte, e *rpcError) []byte {
	dst = append(appendHead(dst, id), `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.code), 10)
	dst = rawjson.AppendString(append(dst, `,"message":`...), e.message)
	if len(e.data) > 0 {
		dst = append(append(dst, `,"data":`...), e.data...)
	}
	return append(dst, "}}"...)
}

// appendReply appends the whole answer of a tools/call.
func appendReply(dst, id []byte, r *tools.Reply, era *era) []byte {
	if r.RPC != nil {
		return appendError(dst, id, &rpcError{r.RPC.Code, r.RPC.Message, r.RPC.Data})
	}
	dst = append(appendHead(dst, id), `,"result":{"content":[`...)
	n := len(dst)
	switch {
	case r.Text != "":
		dst = append(rawjson.AppendString(append(dst, `{"type":"text","text":`...), r.Text), '}')
	case r.Structured != nil:
		dst = append(rawjson.AppendString(append(dst, `{"type":"text","text":`...), r.Structured), '}')
	}
	for i := range r.Content {
		if len(dst) > n {
			dst = append(dst, ',')
		}
		dst = appendContent(dst, &r.Content[i])
	}
	dst = append(dst, ']')
	if r.Structured != nil {
		dst = append(append(dst, `,"structuredContent":`...), r.Structured...)
	}
	if r.IsError {
		dst = append(dst, `,"isError":true`...)
	}
	dst = appendMeta(dst, r.Meta, era)
	dst = era.complete(dst)
	return append(dst, "}}"...)
}

// appendMeta appends ,"_meta":{...} if there is anything in it.
func appendMeta(dst []byte, meta map[string]any, era *era) []byte {
	own := ""
	if era.modern {
		own = era.serverInfo
	}
	if len(meta) == 0 && own == "" {
		return dst
	}
	dst = append(dst, `,"_meta":{`...)
	if len(meta) > 0 {
		if b, err := json.Marshal(meta); err == nil {
			dst = append(dst, b[1:len(b)-1]...)
			if own != "" {
				dst = append(dst, ',')
			}
		}
	}
	return append(append(dst, own...), '}')
}

func appendContent(dst []byte, c *tools.Content) []byte {
	dst = rawjson.AppendString(append(dst, `{"type":`...), c.Type)
	switch c.Type {
	case "image", "audio":
		dst = appendBytes(append(dst, `,"data":`...), c.Data)
		dst = rawjson.AppendString(append(dst, `,"mimeType":`...), c.MIMEType)
	case "resource":
		dst = appendResource(append(dst, `,"resource":`...), c.URI, c.MIMEType, c.Text, c.Data)
	case "resource_link":
		dst = rawjson.AppendString(append(dst, `,"uri":`...), c.URI)
		dst = rawjson.AppendString(append(dst, `,"name":`...), c.Name)
		if c.Text != "" {
			dst = rawjson.AppendString(append(dst, `,"description":`...), c.Text)
		}
		if c.MIMEType != "" {
			dst = rawjson.AppendString(append(dst, `,"mimeType":`...), c.MIMEType)
		}
	default:
		dst = rawjson.AppendString(append(dst, `,"text":`...), c.Text)
	}
	return append(dst, '}')
}

func appendResource(dst []byte, uri, mime, text string, blob []byte) []byte {
	dst = rawjson.AppendString(append(dst, `{"uri":`...), uri)
	if mime != "" {
		dst = rawjson.AppendString(append(dst, `,"mimeType":`...), mime)
	}
	if blob != nil {
		return append(appendBytes(append(dst, `,"blob":`...), blob), '}')
	}
	return append(rawjson.AppendString(append(dst, `,"text":`...), text), '}')
}

func appendBytes(dst, b []byte) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}
