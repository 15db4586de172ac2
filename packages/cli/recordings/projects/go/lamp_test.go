package lamp

import (
	"errors"
	"os"
	"testing"
)

func TestLights(t *testing.T) {
	t.Log("the lamp is on")
}

func TestColours(t *testing.T) {
	for _, colour := range []string{"green", "red <&> \x1b[31m"} {
		t.Run(colour, func(t *testing.T) {
			if colour != "green" {
				t.Errorf("got green, want %s", colour)
			}
		})
	}
}

func TestIsBlue(t *testing.T) {
	t.Skip("no lamp here")
}

// TestFlickers fails the first time and passes when it is run again.
func TestFlickers(t *testing.T) {
	if _, err := os.Stat("flickered"); errors.Is(err, os.ErrNotExist) {
		os.WriteFile("flickered", nil, 0o600)
		t.Fatal("dark")
	}
}
