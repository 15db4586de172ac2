import { createHash } from 'node:crypto'
import { fingerprintText, type QuarantineList } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { Random, SOAK_SEED } from '../../../../test/support/random'
import { createAttempt, createRequests, createSuite, createTest } from '../../../../test/support/suites'
import type { ErrorDetail } from '../model/error-detail'
import type { FrameworkEnd } from '../model/framework-end'
import type { Suite, SuiteTest } from '../model/suite'
import { judgeExecution, type KnownList, type NoList } from './judge-execution'

const EXECUTIONS = Number(process.env['RUNLEDGER_QUARANTINE_EXECUTIONS'] ?? '1000')
const NOW_MS = Date.UTC(2026, 10, 20, 12)

type Entry = QuarantineList['entries'][number]

/** An execution whose failures are all quarantined. Each failure needs all of its entries. */
interface Execution {
  suites: Suite[]
  entries: Entry[]
  end: FrameworkEnd
  lostRuns: number
  list?: NoList
}

const print = (error: ErrorDetail) => createHash('sha256').update(fingerprintText(error)).digest('hex')

function createExecution(random: Random): Execution {
  const entries: Entry[] = []
  const suites = Array.from({ length: random.between(1, 4) }, (_, index) =>
    createRandomSuite(random, { file: `src/${index}.test.ts`, mustFail: index === 0 }, entries),
  )
  return {
    suites,
    entries,
    end: { hasFailed: true, failedTests: countFailed(suites), otherReasons: [] },
    lostRuns: 0,
  }
}

function createRandomSuite(
  random: Random,
  { file, mustFail }: { file: string; mustFail: boolean },
  entries: Entry[],
): Suite {
  const project = random.pick(['', 'chromium'])
  const tests = Array.from({ length: random.between(1, 5) }, (_, index) => {
    const titles = ['net', `test ${index}`]
    if (!(mustFail && index === 0) && random.chance(0.6)) return createTest(titles)
    return createFailedTest(random, titles, (fingerprint) =>
      entries.push({
        id: `q-${entries.length}`,
        project: project || null,
        file,
        name: titles.join(' › '),
        fingerprint,
        ends_at: new Date(NOW_MS + random.between(1, 1e9)).toISOString(),
      }),
    )
  })
  const hasFailed = tests.some(({ outcome }) => outcome === 'failed')
  return createSuite({ file, project, tests, outcome: hasFailed ? 'failed' : 'passed' })
}

function createFailedTest(
  random: Random,
  titles: string[],
  quarantine: (fingerprint: string | null) => void,
): SuiteTest {
  const errors = Array.from({ length: random.between(1, 3) }, (_, index) => ({
    message: `${titles.join(' ')} lost connection ${'abc'[index]}`,
  })) as [ErrorDetail, ...ErrorDetail[]]
  const attempts = errors.map((error) =>
    createAttempt({
      status: random.pick(['failed', 'timedOut']),
      errors: random.chance(0.3) ? [error, random.pick(errors)] : [error],
    }),
  )
  if (random.chance(0.3)) quarantine(null)
  else for (const fingerprint of new Set(errors.map(print))) quarantine(fingerprint)
  return createTest(titles, { outcome: 'failed', attempts })
}

function countFailed(suites: readonly Suite[]): number {
  return suites.flatMap(({ tests }) => tests).filter(({ outcome }) => outcome === 'failed').length
}

const NEW_ERROR = { message: 'expected 402 to be 200' }

type Mutation = (execution: Execution, random: Random) => void

/** Each makes an execution fail. Those of a failed test change the first test of the first file, which has always failed. */
const MUTATIONS: Record<string, Mutation> = {
  'a new error in an attempt, of a test without an entry for any': ({ suites, entries }, random) => {
    const [test] = suites[0]?.tests ?? []
    random.pick(test?.attempts as [SuiteTest['attempts'][0]]).errors.push(NEW_ERROR)
    for (const entry of entries) entry.fingerprint ??= print({ message: 'another' })
  },
  'another failed test': ({ suites, end }) => {
    suites[0]?.tests.push(createTest(['adds'], { outcome: 'failed', attempts: [failing([NEW_ERROR])] }))
    end.failedTests += 1
  },
  'a file that could not be loaded': ({ suites }) =>
    void suites.push(
      createSuite({
        file: 'b.test.ts',
        outcome: 'failed',
        problems: [{ name: 'Suite failed to load', errors: [NEW_ERROR] }],
      }),
    ),
  'a hook of the file': ({ suites }) =>
    void suites[0]?.problems.push({ name: 'afterAll hook', kind: 'hook', errors: [NEW_ERROR] }),
  'a hook of the test': ({ suites }, random) => {
    random.pick(suites[0]?.tests[0]?.attempts as [SuiteTest['attempts'][0]]).failsOutside = true
  },
  'an unhandled error': ({ suites }) =>
    void suites.push(
      createSuite({
        file: '(execution)',
        outcome: 'failed',
        problems: [{ name: 'Unhandled error', errors: [NEW_ERROR] }],
      }),
    ),
  'a failed file that is not on record': ({ suites }) => void suites.shift(),
  'a lost run': (execution) => void (execution.lostRuns = 1),
  'a test that did not run': ({ suites }) =>
    void suites[0]?.tests.push(createTest(['later'], { outcome: 'not-run', attempts: [] })),
  'an attempt that was cut short': ({ suites }) =>
    void suites[0]?.tests[0]?.attempts.unshift(createAttempt({ status: 'interrupted', errors: [] })),
  'more errors than the record holds': ({ suites, entries }) => {
    const [attempt] = suites[0]?.tests[0]?.attempts ?? []
    attempt?.errors.push(...Array.from({ length: 200 }, () => attempt.errors[0] as ErrorDetail))
    for (const entry of entries) entry.fingerprint ??= print({ message: 'another' })
  },
  'an entry that is not there': ({ entries }, random) =>
    void entries.splice(random.between(0, entries.length - 1), 1),
  'an entry that has ended': ({ entries }, random) => {
    random.pick(entries as [Entry]).ends_at = new Date(NOW_MS - random.between(0, 1e6)).toISOString()
  },
  'an entry of another file': ({ entries }, random) =>
    void (random.pick(entries as [Entry]).file = 'src/x.test.ts'),
  'an entry of another project': ({ entries }, random) =>
    void (random.pick(entries as [Entry]).project = 'webkit'),
  'an entry of another test': ({ entries }, random) => void (random.pick(entries as [Entry]).name += ' not'),
  'an entry of another error': ({ entries }, random) =>
    void (random.pick(entries as [Entry]).fingerprint = print({ message: 'another' })),
  'no list': (execution) => void (execution.list = { reason: 'the list cannot be read' }),
  'another reason of the framework': ({ end }) => void (end.otherReasons = ['the coverage is too low']),
  'a failed test that is not on record': ({ end }) => void (end.failedTests += 1),
}

const failing = (errors: ErrorDetail[]) => createAttempt({ status: 'failed', errors })

function explain({ suites, entries, end, lostRuns, list }: Execution): string[] {
  const runs = createRequests(suites)
  const known: KnownList = { entries, nowMs: NOW_MS }
  return judgeExecution({ end, runs, suites, lostRuns, findList: () => list ?? known }).reasons
}

it(`of ${EXECUTIONS} random executions, those with quarantined failures alone pass, and no changed one does`, () => {
  const wrong: string[] = []
  const [first = '', ...others] = Object.keys(MUTATIONS)
  for (let index = 0; index < EXECUTIONS; index += 1) {
    const random = new Random(`${SOAK_SEED}/${index}`)
    const execution = createExecution(random)
    const reasons = explain(execution)
    if (reasons.length > 0) wrong.push(`execution ${index} fails: ${reasons.join('; ')}`)
    const name = random.pick([first, ...others])
    MUTATIONS[name]?.(execution, random)
    if (explain(execution).length === 0) wrong.push(`execution ${index} passes in spite of ${name}`)
  }
  expect(wrong).toEqual([])
})
