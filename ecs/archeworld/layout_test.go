package archeworld

import "testing"

// The layout must be the mirrored one in the version the module requires:
// otherwise every conformance case would pass by the slow way unnoticed.
func TestLayoutVerified(t *testing.T) {
	if layoutErr != nil {
		t.Fatal(layoutErr)
	}
}
