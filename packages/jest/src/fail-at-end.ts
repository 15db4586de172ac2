import { type CircusTest, findRunningTest, isAwaited, readExpectState } from './find-test'

/** Jest 30 calls a concurrent test's function in turn; Jest 29 calls all of them before the first test. */
const CALLS_IN_TURN = Symbol.for('EVENT_HANDLERS') in globalThis

/**
 * The running test continues and fails at its end. False if the call must throw: no such test, expected failure, other runner.
 */
export function failAtEnd(error: Error): boolean {
  const test = findRunningTest()
  if (test === undefined || test.failing || !Array.isArray(test.errors)) return false
  if (test.concurrent && !CALLS_IN_TURN) return failEarlyCalled(test, error)
  if (!test.concurrent && isAwaited(test)) return suppress(error)
  // An error before its function is called would keep Jest from calling it.
  test.errors.push(error)
  return true
}

/** As Jest's snapshots do. The next test to end takes it; with concurrent tests that may be another one. */
function suppress(error: Error): boolean {
  const suppressed = readExpectState()?.suppressedErrors
  suppressed?.push(error)
  return suppressed !== undefined
}

const collected = new WeakMap<CircusTest, Error[]>()

/** In Jest 29 a concurrent test's function runs early; Jest later awaits its promise, again for each retry. */
function failEarlyCalled(test: CircusTest, error: Error): boolean {
  const errors = collected.get(test)
  if (errors === undefined) collectErrors(test, error)
  else errors.push(error)
  if (isAwaited(test)) suppress(error)
  return true
}

function collectErrors(test: CircusTest, first: Error): void {
  const errors = [first]
  collected.set(test, errors)
  const { fn } = test
  test.fn = async () => {
    try {
      return await fn?.()
    } finally {
      const known = readExpectState()?.suppressedErrors ?? []
      test.errors.push(...errors.filter((error) => !known.includes(error)))
    }
  }
}
