package value

import (
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

func TestCopyKeepsIdentities(t *testing.T) {
	type comp struct {
		Err  error
		Text strings.Builder
	}
	v := &comp{Err: io.EOF}
	v.Text.WriteString("abc")
	c := layout.Copy(reflect.ValueOf(v).Elem()).Addr().Interface().(*comp)
	if c.Err != io.EOF {
		t.Error("a sentinel error was copied")
	}
	c.Text.WriteString("d") // would panic had it kept the address of the original
	v.Text.WriteString("e")
	if c.Text.String() != "abcd" || v.Text.String() != "abce" {
		t.Errorf("%q %q", c.Text.String(), v.Text.String())
	}
}
