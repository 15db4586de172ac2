import { fileURLToPath } from 'node:url'
import type { TestError } from '@playwright/test/reporter'

const FRAME = /^\s+at (?:.*\(|async )?((?:file:\/\/)?(?:\/|[a-z]:[\\/]).*?):\d+(?::\d+)?\)?$/i

/** The files that an error's stack leads through, innermost first. */
export function listStackFiles({ stack = '' }: TestError): string[] {
  return stack.split('\n').flatMap((line) => {
    const file = FRAME.exec(line)?.[1]
    if (file === undefined) return []
    return [file.startsWith('file://') ? fileURLToPath(file) : file]
  })
}

/** True when an error was thrown in a file or in something that it called; never for no file. */
export function comesFrom(error: TestError, file: string | null): boolean {
  return file !== null && (error.location?.file === file || listStackFiles(error).includes(file))
}

/**
 * The test file that could not be loaded: Playwright's `location` is where it was thrown, perhaps in a module that
 * the test file imports; the test file itself is the stack's outermost.
 */
export function findLoadedFile(error: TestError): string | undefined {
  if (error.location === undefined) return undefined
  const outermost = listStackFiles(error).findLast((file) => !/[\\/]node_modules[\\/]/.test(file))
  return outermost ?? error.location.file
}
