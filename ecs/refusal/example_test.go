package refusal_test

import (
	"errors"
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

func Example() {
	names := []string{"Position", "Velocity", "Health"}
	var err error = &refusal.Error{Code: refusal.UnknownComponent, Message: `there is no component "Helth"`, Got: "Helth",
		Options: refusal.Nearest("Helth", names), Total: len(names), Next: "components_info"}
	fmt.Println(errors.Is(err, refusal.UnknownComponent), err)

	var e *refusal.Error
	errors.As(err, &e)
	fmt.Println(e.Code, e.Options[0])
	// Output:
	// true there is no component "Helth"
	// unknown_component Health
}
