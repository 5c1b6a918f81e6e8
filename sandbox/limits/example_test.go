package limits_test

import (
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/sandbox/limits"
)

func Example() {
	l := limits.Script{Timeout: 100 * time.Millisecond}.WithDefaults()
	fmt.Println(l.Timeout, l.MaxTimeout, l.Changes)
	// Output: 100ms 1s 100000
}
