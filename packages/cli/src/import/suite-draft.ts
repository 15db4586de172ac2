import type { Attempt, Suite, SuiteTest, TestApiEvent } from '@runledger/core'
import { isSecretName, sumDurations } from '@runledger/core/tools'
import path from 'node:path'
import type { ReadContext } from './results'

/** A test as a file tells of it: many say nothing of its start, or of its length. */
export interface TestDraft extends Omit<SuiteTest, 'startedAtMs' | 'durationMs' | 'flaky'> {
  startedAtMs?: number | undefined
  durationMs?: number | undefined
  flaky?: boolean
}

/** A suite of a file before what the file does not say is filled in. */
export interface SuiteDraft extends Partial<Pick<Suite, 'problems' | 'output' | 'attachments'>> {
  project?: string | undefined
  file: string
  startedAtMs?: number | undefined
  durationMs?: number | undefined
  /** The verdict of the tool itself; a failed test fails its suite in any case. */
  isFailed?: boolean
  tests: TestDraft[]
  variables?: Record<string, string>
}

const MAX_VARIABLES = 100
const MAX_VALUE_LENGTH = 1_000

/** Completes a suite. Times that the file does not say are estimated, and the run says which. */
export function completeSuite(incomplete: SuiteDraft, { fileName, writtenAtMs }: ReadContext): Suite {
  const draft = { ...incomplete, tests: incomplete.tests.map(addAttempts) }
  const ranMs = draft.tests.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0)
  const firstAtMs = findFirstStart(draft.tests)
  const durationMs = draft.durationMs ?? ranMs
  const startedAtMs = draft.startedAtMs ?? firstAtMs ?? writtenAtMs - durationMs
  const estimated = [
    ...((draft.startedAtMs ?? firstAtMs) === undefined ? ['start of the run'] : []),
    ...(draft.tests.some((test) => test.startedAtMs === undefined) ? ['starts of tests'] : []),
    ...(draft.tests.some((test) => test.durationMs === undefined && test.attempts.length > 0)
      ? ['lengths of tests']
      : []),
  ]
  const variables = {
    ...Object.fromEntries(Object.entries(draft.variables ?? {}).slice(0, MAX_VARIABLES)),
    imported_file: fileName,
    ...(estimated.length > 0 && { estimated_times: estimated.join(', ') }),
  }
  const tests = placeTests(draft.tests, startedAtMs)
  const { project = '', file, isFailed = false, problems = [], output = [], attachments = [] } = draft
  const hasFailed = isFailed || problems.length > 0 || tests.some(({ outcome }) => outcome === 'failed')
  return {
    project,
    file,
    startedAtMs,
    durationMs,
    outcome: hasFailed ? 'failed' : 'passed',
    tests,
    problems,
    output,
    attachments,
    events: mapVariables(variables, startedAtMs),
  }
}

/** The duration of a retried test is the sum of its attempts', where the file says each. */
function addAttempts(test: TestDraft): TestDraft {
  const { attempts } = test
  const isKnown = attempts.length > 1 && attempts.every(({ durationMs }) => durationMs !== undefined)
  return isKnown ? { ...test, durationMs: sumDurations(attempts) } : test
}

function findFirstStart(tests: readonly TestDraft[]): number | undefined {
  const starts = tests.flatMap(({ startedAtMs }) => startedAtMs ?? [])
  // Not by spreading them: there may be hundreds of thousands.
  return starts.length === 0 ? undefined : starts.reduce((first, atMs) => Math.min(first, atMs))
}

/** Tests without a start stand one after another. */
function placeTests(tests: readonly TestDraft[], suiteStartedAtMs: number): SuiteTest[] {
  let nextAtMs = suiteStartedAtMs
  return tests.map((test) => {
    const { startedAtMs = nextAtMs, durationMs = 0, flaky = false } = test
    nextAtMs = startedAtMs + durationMs
    const [only, ...others] = test.attempts
    const attempts: Attempt[] =
      only && others.length === 0
        ? [
            {
              ...only,
              startedAtMs: only.startedAtMs ?? startedAtMs,
              durationMs: only.durationMs ?? durationMs,
            },
          ]
        : test.attempts
    return { ...test, startedAtMs, durationMs, flaky, attempts }
  })
}

function mapVariables(variables: Record<string, string>, atMs: number): TestApiEvent[] {
  return Object.entries(variables)
    .filter(([name]) => name.trim() !== '')
    .map(([name, value], order) => ({
      kind: 'variable',
      name,
      value: isSecretName(name) ? '***' : value.slice(0, MAX_VALUE_LENGTH),
      order,
      atMs,
    }))
}

/** A path of a file: relative to the project where it lies in it, with `/` separators. */
export function relateFile(file: string, projectRoot: string): string {
  if (!path.isAbsolute(file)) return file
  const relative = path.relative(projectRoot, file)
  const isInside = relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative)
  return (isInside ? relative : file).replaceAll(path.sep, '/')
}

/** Escape sequences as Surefire and pytest spell them out; core then removes them. */
export function restoreEscapes(text: string): string {
  return text.replace(/&(?:amp)?#(?:27|x1b);|#x1B(?=\[)/gi, '\u001B')
}
