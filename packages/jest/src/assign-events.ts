import type { Attempt, Suite, SuiteTest } from '@runledger/core'
import { addOutput } from '@runledger/reporter-kit'
import type { NamedKey, TestKey } from './find-test'
import type { JestConsoleEntry } from './jest-types'
import { mapOutput } from './map-output'
import { createUnfinishedTest } from './map-tests'
import type { ReceivedEvent } from './sidecar-session'

export interface ConsoleCalls {
  console: readonly JestConsoleEntry[] | null | undefined
  rootDir: string
}

/** Assigns each event to its attempt, or to the suite if it was outside of tests. */
export function assignEvents(suite: Suite, received: readonly ReceivedEvent[], calls: ConsoleCalls): void {
  assignOutput(suite, received, calls)
  // A test may have thousands of events.
  const attempts = new Map<string, Attempt>()
  for (const { test, event } of received) {
    if (event.kind === 'output') continue
    const key = JSON.stringify(test)
    const holder = test === null ? suite : (attempts.get(key) ?? findAttempt(suite, test))
    if (test !== null) attempts.set(key, holder as Attempt)
    if (event.kind === 'file') {
      const { name, contentType, path } = event
      holder.attachments.push({ name, path, ...(contentType && { contentType }) })
    } else {
      holder.events ??= []
      holder.events.push(event)
    }
  }
}

/** Moves console calls of tests from the suite to those tests. */
function assignOutput(suite: Suite, received: readonly ReceivedEvent[], calls: ConsoleCalls): void {
  const { console: entries, rootDir } = calls
  const callers = new Map(
    received.flatMap(({ test, event }) =>
      event.kind === 'output' && test !== null ? [[event.index, { test, atMs: event.atMs }] as const] : [],
    ),
  )
  if (callers.size === 0 || !entries) return
  suite.output = mapOutput(
    entries.filter((_, index) => !callers.has(index)),
    rootDir,
  )
  entries.forEach((entry, index) => {
    const caller = callers.get(index)
    if (caller === undefined) return
    const { output } = findAttempt(suite, caller.test)
    for (const mapped of mapOutput([entry], rootDir)) addOutput(output, { ...mapped, atMs: caller.atMs })
  })
}

function findAttempt(suite: Suite, key: TestKey | NamedKey): Attempt {
  const test = findTest(suite.tests, key) ?? addUnfinishedTest(suite, key)
  const known = 'attempt' in key ? test.attempts[key.attempt - 1] : test.attempts.at(-1)
  if (known !== undefined) return known
  // Its worker crashed: Jest reports no end.
  const attempt: Attempt = { status: 'interrupted', errors: [], attachments: [], output: [] }
  test.attempts.push(attempt)
  return attempt
}

function findTest(tests: readonly SuiteTest[], key: TestKey | NamedKey): SuiteTest | undefined {
  if ('fullName' in key) return tests.find(({ titles }) => titles.join(' ') === key.fullName)
  const titles = JSON.stringify(key.titles)
  const named = tests.filter((test) => JSON.stringify(test.titles) === titles)
  return named[key.occurrence] ?? named.at(-1)
}

/** A test that only its events name: after a crash of a path that two projects ran, there are no case events. */
function addUnfinishedTest(suite: Suite, key: TestKey | NamedKey): SuiteTest {
  const titles = 'titles' in key ? key.titles : [key.fullName]
  const test = createUnfinishedTest(titles, suite.startedAtMs)
  suite.tests.push(test)
  return test
}
