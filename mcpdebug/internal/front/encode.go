package front

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"unicode/utf8"

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
	dst = appendString(append(dst, `,"message":`...), e.message)
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
		dst = append(appendString(append(dst, `{"type":"text","text":`...), r.Text), '}')
	case r.Structured != nil:
		dst = append(appendString(append(dst, `{"type":"text","text":`...), r.Structured), '}')
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
	dst = appendString(append(dst, `{"type":`...), c.Type)
	switch c.Type {
	case "image", "audio":
		dst = appendBytes(append(dst, `,"data":`...), c.Data)
		dst = appendString(append(dst, `,"mimeType":`...), c.MIMEType)
	case "resource":
		dst = appendResource(append(dst, `,"resource":`...), c.URI, c.MIMEType, c.Text, c.Data)
	case "resource_link":
		dst = appendString(append(dst, `,"uri":`...), c.URI)
		dst = appendString(append(dst, `,"name":`...), c.Name)
		if c.Text != "" {
			dst = appendString(append(dst, `,"description":`...), c.Text)
		}
		if c.MIMEType != "" {
			dst = appendString(append(dst, `,"mimeType":`...), c.MIMEType)
		}
	default:
		dst = appendString(append(dst, `,"text":`...), c.Text)
	}
	return append(dst, '}')
}

func appendResource(dst []byte, uri, mime, text string, blob []byte) []byte {
	dst = appendString(append(dst, `{"uri":`...), uri)
	if mime != "" {
		dst = appendString(append(dst, `,"mimeType":`...), mime)
	}
	if blob != nil {
		return append(appendBytes(append(dst, `,"blob":`...), blob), '}')
	}
	return append(appendString(append(dst, `,"text":`...), text), '}')
}

func appendBytes(dst, b []byte) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. Broken UTF-8 becomes the
// replacement character; U+2028 and U+2029 are escaped for JavaScript readers.
func appendString[S ~string | ~[]byte](dst []byte, s S) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 0x20 && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = append(dst, s[from:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		if r == utf8.RuneError && size == 1 {
			dst = append(append(dst, s[from:i]...), `\ufffd`...)
			i++
			from = i
			continue
		}
		if r == 0x2028 || r == 0x2029 {
			dst = append(append(dst, s[from:i]...), '\\', 'u', '2', '0', '2', hexDigits[r&15])
			i += size
			from = i
			continue
		}
		i += size
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}
