import { type CircusTest, findRunningTest, isAwaited, readExpectState } from './find-test'

/** Jest 30 calls the function of a concurrent test when its turn comes; Jest 29 calls all of them before the first test. */
const CALLS_IN_TURN = Symbol.for('EVENT_HANDLERS') in globalThis

/**
 * Adds an error to the running test, which goes on and fails at its end; Jest 30 also tells of a test that has ended. False
 * where the call has to throw: outside of tests, in an expected failure (Jest then expects the test to throw), with another
 * runner.
 */
export function failAtEnd(error: Error): boolean {
  const test = findRunningTest()
  if (test === undefined || test.failing || !Array.isArray(test.errors)) return false
  if (test.concurrent && !CALLS_IN_TURN) return failEarlyCalled(test, error)
  if (!test.concurrent && isAwaited(test)) return suppress(error)
  // Its function has been called: an error before that would keep Jest from calling it.
  test.errors.push(error)
  return true
}

/** As Jest's own snapshots do. Taken by the test that ends next, which only a concurrent one need not be. */
function suppress(error: Error): boolean {
  const suppressed = readExpectState()?.suppressedErrors
  suppressed?.push(error)
  return suppressed !== undefined
}

const collected = new WeakMap<CircusTest, Error[]>()

/**
 * In Jest 29 the function of a concurrent test has been called, and its turn may come later: Jest then awaits the promise
 * that the function returned, again for each retry.
 */
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
