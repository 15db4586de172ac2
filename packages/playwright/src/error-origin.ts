import { listSourceLocations } from '@runledger/reporter-kit'
import type { TestError } from '@playwright/test/reporter'

/** True when an error was thrown in a file or in something that it called; never for no file. */
export function comesFrom(error: TestError, file: string | null): boolean {
  return [error.location?.file, ...listStackFiles(error)].some((each) => each === file)
}

/**
 * The test file that could not be loaded. Playwright's `location` is where the error was thrown, perhaps in a module that
 * the test file imports; the test file is the outermost one of the stack.
 */
export function findLoadedFile(error: TestError): string | undefined {
  if (error.location === undefined) return undefined
  const outermost = listStackFiles(error).findLast((file) => !/[\\/]node_modules[\\/]/.test(file))
  return outermost ?? error.location.file
}

function listStackFiles({ stack = '' }: TestError): string[] {
  return listSourceLocations(stack).map(({ file }) => file)
}
