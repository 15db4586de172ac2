package exits

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	os.Stderr.WriteString("no power\n")
	os.Exit(3)
}

func TestNeverRuns(t *testing.T) {}
