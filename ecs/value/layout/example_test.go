package layout_test

import (
	"fmt"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

type slot struct {
	Item  string
	Count uint8
}

func Example() {
	l := layout.Of(reflect.TypeFor[[]slot]())
	for _, p := range l.Elem.Parts {
		fmt.Println(p.Name, p.Offset, p.Layout.Mem)
	}
	b, err := layout.AppendJSON(nil, reflect.ValueOf([]slot{{"arrow", 12}}), layout.EncodeOptions{})
	fmt.Println(string(b), err)
	// Output:
	// Item 0 string
	// Count 16 uint8
	// [{"Item":"arrow","Count":12}] <nil>
}
