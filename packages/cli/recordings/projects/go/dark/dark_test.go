package dark

import "testing"

func TestDoesNotCompile(t *testing.T) {
	missing()
}
