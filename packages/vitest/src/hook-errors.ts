import { readFields, readText } from '@runledger/reporter-kit'

// Functions of Vitest that call hooks, clean-up functions, `onTestFinished`, `onTestFailed`, and fixtures.
const NAMES =
  'wrapper|runHook|callSuiteHook|callCleanupHooks|callTestHooks|resolveFixtureFunction|callFixtureCleanup|async callFixtureCleanup(?:From)?'
const HOOK_FRAME = new RegExp(
  String.raw`^\s+at (?:${NAMES}) \(.*[\\/]node_modules[\\/](?:@vitest[\\/]runner|vitest)[\\/]dist[\\/]`,
  'm',
)
const HOOK_TIME_OUT = /^Hook timed out in \d/

/** Returns false if the stack does not tell: after an `await`, errors of hooks and of tests may have the same stack. */
export function isOfHook(error: unknown): boolean {
  const { message, stack } = readFields(error)
  return HOOK_TIME_OUT.test(readText(message) ?? '') || HOOK_FRAME.test(readText(stack) ?? '')
}
