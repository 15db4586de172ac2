import { expect, it } from 'vitest'
import { readGoFailure } from './go-output'

const TRACE = '\n\ngoroutine 7 [running]:\nmain.f()\n\t/a.go:1 +0x1'

it.each([
  [
    'lines of a converter that leaves out the rest',
    '    a_test.go:6: dark\n    a_test.go:7: cold',
    'a_test.go:6: dark\na_test.go:7: cold',
  ],
  [
    'what is printed before',
    '=== RUN   T\nready\n\n    a_test.go:9: got 1\n--- FAIL: T (0s)',
    'a_test.go:9: got 1',
  ],
  [
    'a panic',
    `=== RUN   T\npanic: expected\n    a_test.go:3: log\npanic: real [recovered]${TRACE}`,
    'panic: real [recovered]',
  ],
  ['a deadlock', `fatal error: all asleep${TRACE}`, 'fatal error: all asleep'],
  [
    'a panic of another process',
    `=== RUN   T\npanic: child${TRACE}\n    a_test.go:10: child failed`,
    'a_test.go:10: child failed',
  ],
  [
    'a word that only looks like one',
    '=== RUN   T\npanic: recovered\n\n    a_test.go:2: got 500',
    'a_test.go:2: got 500',
  ],
  ['another tool', 'java.lang.Exception: boom\n    at a.b(C.java:1)', ''],
])('finds what a Go test said: %s', (_, output, expected) => {
  expect(readGoFailure(output)).toBe(expected)
})

it('reads a long output at once', () => {
  const startedAtMs = performance.now()
  readGoFailure(`=== RUN   T\n${'panic: boom\n'.repeat(20_000)}${'\n'.repeat(40_000)}`)
  expect(performance.now() - startedAtMs).toBeLessThan(1_000)
})
