import type { Attachment, OutputEntry, SuiteTest } from '@runledger/core'
import { hasRun, sumDurations } from '@runledger/reporter-kit'
import type { TestCase } from './framework-types'
import { isOfHook } from './hook-errors'
import { mapRecorded } from './map-annotations'
import { mapAttempts, mapAttemptsWithoutVerdict, type AttemptContext } from './map-attempts'
import { listTitles, type ReadTest } from './module-entities'
import type { Notes } from './module-notes'
import {
  readAttempts,
  readInternalResult,
  readLocation,
  readOwner,
  readRetryDelay,
  readTags,
} from './read-entity'

export interface TestContext extends AttemptContext {
  file: string
  moduleStartedAtMs: number
}

/** Only its state decides: a flaky test that passed has errors too. */
export function mapTest(test: ReadTest, context: TestContext): SuiteTest {
  const { testCase, outcome, result, diagnostic } = test
  const attempts = hasRun(outcome) ? mapAttempts(test, context) : mapAttemptsWithoutVerdict(testCase, context)
  const last = attempts.at(-1)
  // Vitest keeps the state of the last attempt's hooks.
  const failsOutside = hasFailedHook(testCase) || result.errors.some(isOfHook)
  if (last && outcome === 'failed' && failsOutside) last.failsOutside = true
  return {
    titles: listTitles(testCase),
    outcome,
    // Vitest 3 and 4 retry an expected failure though no attempt failed. In Vitest 5, one that first passed (a failure)
    // and then failed as expected is flaky.
    flaky:
      outcome === 'passed' &&
      diagnostic?.flaky === true &&
      attempts.some(({ status }) => status === 'failed'),
    startedAtMs: diagnostic?.startedAtMs ?? context.moduleStartedAtMs,
    durationMs: measureTest(test),
    attempts,
    note: result.note,
    ...mapFacts(test, context.file),
  }
}

function hasFailedHook(testCase: TestCase): boolean {
  return Object.values(readInternalResult(testCase).hooks ?? {}).includes('run')
}

/** The sum of its attempts: Vitest's own duration includes the waits between them. */
function measureTest({ testCase, outcome, diagnostic }: ReadTest): number {
  const listed = hasRun(outcome) ? readAttempts(testCase) : []
  if (listed.length > 1) return sumDurations(listed)
  const { durationMs = 0, retryCount = 0 } = diagnostic ?? {}
  return Math.max(0, durationMs - retryCount * readRetryDelay(testCase))
}

function mapFacts(
  { testCase, outcome, result }: ReadTest,
  file: string,
): Pick<SuiteTest, 'location' | 'tags' | 'owner' | 'skipReason'> {
  const [location, tags, owner] = [readLocation(testCase), readTags(testCase), readOwner(testCase)]
  return {
    ...(location && { location: { file, ...location } }),
    ...(tags.length > 0 && { tags }),
    ...(owner !== undefined && { owner }),
    ...(!hasRun(outcome) && result.note && { skipReason: result.note }),
  }
}

/** Undefined for tests with a verdict. */
export function listUnassigned(
  { testCase, outcome }: ReadTest,
  notes: Notes,
): { output: OutputEntry[]; attachments: Attachment[] } | undefined {
  if (hasRun(outcome)) return undefined
  const recorded = mapRecorded(testCase, notes)
  return {
    output: [...notes.readOutput(testCase.id), ...recorded.flatMap(({ output }) => output ?? [])],
    attachments: recorded.flatMap(({ attachment }) => attachment ?? []),
  }
}
