package panics

import "testing"

func TestBefore(t *testing.T) {}

func TestPanics(t *testing.T) {
	var lamps []string
	_ = lamps[3]
}

func TestNeverRuns(t *testing.T) {}
