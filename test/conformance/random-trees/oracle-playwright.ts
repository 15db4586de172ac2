import type { JudgedFile, JudgedTest } from './expectation'
import { WORKERS } from './config'
import { PlaywrightWorker, type PlayedTest, type CommandContext } from './playwright-worker'
import { listCases, type GroupNode, type Tree } from './tree'

/**
 * What Playwright Test must make of a tree (framework facts §4.2): the tests of a file go to a worker together, those of
 * parallel groups apart; a failed test ends its worker, and what is left, then what may be tried again, goes to a fresh one.
 */
export function judgeWithPlaywright(tree: Tree, release: number): JudgedFile {
  const tests = listTests(tree.root, [], [])
  const context = { now: 0, keepsAllErrors: release >= 150 }
  for (const group of splitJobs(tests)) {
    let job = group
    while (job.length > 0) {
      const next = playJob(job, tree.retries, context)
      // A worker plays whatever it is given in the file's order.
      job = tests.filter((test) => next.includes(test))
    }
  }
  const judged = tests.map((test) => judgeTest(test, release >= TELLS_EACH_ATTEMPT))
  const failsCommand = tests.some((test) => concludeOutcome(test) === 'unexpected')
  const hasFailed = judged.some(({ verdict }) => verdict === 'failed')
  return { tests: judged, problems: [], failsCommand, failsOnRecordOnly: hasFailed && !failsCommand }
}

function listTests(group: GroupNode, groupsAround: GroupNode[], titles: string[]): PlayedTest[] {
  const groups = [...groupsAround, group]
  return group.children
    .flatMap((child) => listCases(child))
    .flatMap((child) => {
      const path = [...titles, child.title]
      if (child.kind === 'group') return listTests(child, groups, path)
      const isSkipped = child.mode !== 'run' || groups.some(({ mode }) => mode === 'skip')
      const expected = child.expectsFailure === 'declared' ? 'failed' : 'passed'
      const declared = isSkipped ? 'skipped' : expected
      return [
        {
          titles: path,
          groups,
          node: child,
          declared,
          expected: declared,
          results: [],
          asked: [],
          errors: [],
          began: -1,
        },
      ]
    })
}

/** Jobs that may go to workers of their own: what is not parallel in one, serial groups and single tests in theirs. */
function splitJobs(tests: PlayedTest[]): PlayedTest[][] {
  const jobs = new Map<unknown, PlayedTest[]>()
  const behindHooks: PlayedTest[] = []
  for (const test of tests) {
    const serial = test.groups.find((group) => group.serial)
    const hasAllHooks = test.groups.some(({ hooks }) => hooks.some(({ kind }) => kind.endsWith('All')))
    const isParallel = test.groups.some((group) => group.concurrent)
    if (isParallel && hasAllHooks && !serial) {
      behindHooks.push(test)
      continue
    }
    const key = isParallel ? (serial ?? test) : 'the rest'
    jobs.set(key, [...(jobs.get(key) ?? []), test])
  }
  // So that hooks run as rarely as can be, these are dealt out evenly.
  const size = Math.ceil(behindHooks.length / WORKERS)
  const dealt = size === 0 ? [] : [behindHooks.slice(0, size), behindHooks.slice(size)]
  return [...jobs.values(), ...dealt].filter((job) => job.length > 0)
}

/** Plays the tests in one worker; returns those that the next one gets. */
function playJob(job: PlayedTest[], retries: number, context: CommandContext): PlayedTest[] {
  if (job.every(({ expected }) => expected === 'skipped')) {
    skipAll(job)
    return []
  }
  const { failed, rest, blocked } = new PlaywrightWorker(context).play(job)
  skipAll(blocked)
  const again = new Set([...failed, ...blocked])
  const remaining = rest.filter((test) => !blocked.includes(test))
  const serial = new Set([...again].flatMap(({ groups }) => groups.find((group) => group.serial) ?? []))
  const isCut = (test: PlayedTest) => test.groups.some((group) => serial.has(group))
  skipAll(remaining.filter(isCut))
  // A serial group is tried again whole.
  for (const test of job.filter(isCut)) again.add(test)
  const mayTryAgain = [...again].filter((test) => test.results.length <= retries)
  return [...remaining.filter((test) => !isCut(test)), ...mayTryAgain]
}

/** Results of tests that no worker begins. */
function skipAll(tests: PlayedTest[]): void {
  for (const test of tests) {
    test.results.push('skipped')
    test.asked.push(test.asked.at(-1) ?? test.declared)
    test.errors.push(undefined)
  }
}

/** The first version that tells the annotations of each attempt. */
const TELLS_EACH_ATTEMPT = 152

type Outcome = 'expected' | 'unexpected' | 'flaky' | 'skipped'

/** Playwright's `outcome()`: all results against what was expected in the end. */
function concludeOutcome({ results, expected }: PlayedTest): Outcome {
  const ran = results.filter((status) => status !== 'skipped')
  const wasGood = ran.includes(expected as 'passed' | 'failed')
  const wasBad = ran.some((status) => status !== expected)
  const wasSkipped = expected === 'skipped' && results.includes('skipped')
  if (ran.length === 0) return 'skipped'
  if (!wasBad) return 'expected'
  return wasGood || wasSkipped ? 'flaky' : 'unexpected'
}

/**
 * A test that was flaky because it skipped itself in the end has passed if any attempt came to what it had asked for; before
 * version 1.52 only what the last one asked for is told.
 */
function judgeTest(test: PlayedTest, tellsEachAttempt: boolean): JudgedTest {
  const { titles, began, results, expected } = test
  const outcome = concludeOutcome(test)
  const asked = test.asked.map((each) => (tellsEachAttempt ? each : (test.asked.at(-1) ?? each)))
  const wanted = expected === 'skipped' ? asked : results.map(() => expected)
  const ran = results.flatMap((status, index) => (status === 'skipped' ? [] : [status === wanted[index]]))
  const passed = outcome === 'expected' || (outcome === 'flaky' && ran.includes(true))
  const begun = outcome === 'skipped' ? [] : test.errors
  const attempts = begun.filter((errors) => errors !== undefined)
  const own = results.map((status, index) =>
    [status, ...(test.errors[index] ?? []).filter((mark) => mark !== '')].join(' '),
  )
  return {
    titles,
    verdict: outcome === 'skipped' ? 'none' : passed ? 'passed' : 'failed',
    flaky: outcome === 'flaky' && passed && ran.includes(false),
    retries: Math.max(0, attempts.length - 1),
    attempts,
    began,
    own: `${outcome}: ${own.join(', ')}`,
  }
}
