package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// events hands on the data of each event of a stream. It returns nil where the
// stream ends between events.
func events(r io.Reader, each func(message []byte) error) error {
	b := bufio.NewReaderSize(r, 4<<10)
	var data []byte
	for {
		line, err := b.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) && len(line) == 0 && len(data) == 0 {
				return nil
			}
			if errors.Is(err, io.EOF) {
				return io.ErrUnexpectedEOF
			}
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		switch value, isData := bytes.CutPrefix(line, []byte("data:")); {
		case isData:
			value = bytes.TrimPrefix(value, []byte(" "))
			if data != nil {
				data = append(append(data, '\n'), value...)
			} else {
				data = value // the line's own memory
			}
		case len(line) == 0 && data != nil:
			message := data
			data = nil
			if len(message) == 0 || each == nil {
				continue
			}
			if err := each(message); err != nil {
				return stopped{err}
			}
		}
	}
}
