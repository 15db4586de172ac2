import { listSourceLocations } from '@runledger/reporter-kit'
import type { TestError } from '@playwright/test/reporter'

/** True if the error comes from the file or something that it called. */
export function comesFrom(error: TestError, file: string | null): boolean {
  return [error.location?.file, ...listStackFiles(error)].some((each) => each === file)
}

/** The test file that could not be loaded: the outermost file of the stack. `location` may be a module that it imports. */
export function findLoadedFile(error: TestError): string | undefined {
  if (error.location === undefined) return undefined
  const outermost = listStackFiles(error).findLast((file) => !/[\\/]node_modules[\\/]/.test(file))
  return outermost ?? error.location.file
}

function listStackFiles({ stack = '' }: TestError): string[] {
  return listSourceLocations(stack).map(({ file }) => file)
}
