import type { Problem, Suite } from '@runledger/core'
import type { FullResult, TestError } from '@playwright/test/reporter'
import { toRelativePath } from '@runledger/reporter-kit'
import { comesFrom, findLoadedFile } from './error-origin'
import { mapError } from './map-error'
import { mapLoadFailure } from './map-suite'

export interface GlobalError {
  error: TestError
  atMs: number
  isEarly: boolean
}

export interface GlobalContext {
  status: FullResult['status']
  rootDir: string
  globalSetup: string | null
  globalTeardown: string | null
  hasFailedSuite: boolean
  atMs: number
}

/**
 * A suite for each file that could not be loaded, a problem of the execution for any other error. A failed execution
 * gets at least one failed run, a passed one none.
 */
export function mapGlobalErrors(
  errors: readonly GlobalError[],
  context: GlobalContext,
): { suites: Suite[]; problems: Problem[] } {
  if (context.status === 'passed') return { suites: [], problems: [] }
  const suites = mapLoadFailures(errors, context)
  const hasFailedSuite = context.hasFailedSuite || suites.length > 0
  const others = errors.filter((error) => findBrokenFile(error, context) === undefined)
  const isExplained = hasFailedSuite || others.some((error) => !isNotice(error))
  const problems = others
    .filter((error) => !isExplained || !isNotice(error))
    .map((error) => mapProblem(error, context))
  if (hasFailedSuite || problems.length > 0) return { suites, problems }
  return { suites, problems: [{ ...UNEXPLAINED[context.status], atMs: context.atMs }] }
}

/** The runner announces that it stops (`maxFailures`, `globalTimeout`): nothing was thrown. */
export function isAnnouncement({ stack, location, value }: TestError): boolean {
  return stack === undefined && location === undefined && value === undefined
}

/**
 * An announcement, or "no tests found", which Playwright adds if no file loads. Recognised by its text: a missing module
 * looks the same otherwise. If Playwright rewords it, one problem too many is recorded.
 */
function isNotice({ error, isEarly }: GlobalError): boolean {
  return isAnnouncement(error) || (isEarly && /^(Error: )?No tests found/.test(error.message ?? ''))
}

function findBrokenFile({ error, isEarly }: GlobalError, { globalSetup }: GlobalContext): string | undefined {
  return isEarly && !comesFrom(error, globalSetup) ? findLoadedFile(error) : undefined
}

function mapLoadFailures(errors: readonly GlobalError[], context: GlobalContext): Suite[] {
  const failures = new Map<string, { atMs: number; errors: TestError[] }>()
  for (const each of errors) {
    const brokenFile = findBrokenFile(each, context)
    if (brokenFile === undefined) continue
    const file = toRelativePath(context.rootDir, brokenFile)
    const failure = failures.get(file) ?? { atMs: each.atMs, errors: [] }
    failure.errors.push(each.error)
    failures.set(file, failure)
  }
  return [...failures].map(([file, { errors: own, atMs }]) =>
    mapLoadFailure(
      file,
      own.map((error) => mapError(error, context.rootDir)),
      atMs,
    ),
  )
}

/** Never a `hook`: tests have their hooks' errors, and global set-up belongs to no file. */
function mapProblem({ error, atMs, isEarly }: GlobalError, context: GlobalContext): Problem {
  return { name: nameProblem(error, isEarly, context), errors: [mapError(error, context.rootDir)], atMs }
}

function nameProblem(error: TestError, isEarly: boolean, context: GlobalContext): string {
  if (!isEarly && comesFrom(error, context.globalTeardown)) return 'Global teardown'
  if (comesFrom(error, context.globalSetup)) return 'Global set-up'
  if (isAnnouncement(error) && context.status === 'timedout') return 'Global timeout'
  return isEarly ? 'Execution failed to start' : 'Unhandled error'
}

const UNEXPLAINED: Record<Exclude<FullResult['status'], 'passed'>, Problem> = {
  failed: {
    name: 'Execution failed',
    errors: [
      {
        message:
          'Playwright failed the execution, but no test and no error that it told (failOnFlakyTests?).',
      },
    ],
  },
  timedout: {
    name: 'Global timeout',
    errors: [{ message: 'The execution ran out of time (globalTimeout).' }],
  },
  interrupted: { name: 'Interrupted', errors: [{ message: 'The execution was interrupted.' }] },
}
