package bulb

import "testing"

func TestOn(t *testing.T) {}

func BenchmarkOn(b *testing.B) {}
