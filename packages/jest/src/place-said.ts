import type { Attempt, Suite, SuiteTest } from '@runledger/core'
import { addOutput } from '@runledger/core/link'
import type { NamedKey, TestKey } from './find-test'
import type { JestConsoleEntry } from './jest-types'
import { mapOutput } from './map-output'
import type { PlacedSaid } from './said-reader'

/** Gives every attempt of the suite's tests what it said, and the suite what was said outside of them. */
export function placeSaid(suite: Suite, placed: readonly PlacedSaid[], source: OutputSource): void {
  placeOutput(suite, placed, source)
  const tests = new Map<string, Attempt>()
  for (const { test, said } of placed) {
    if (said.kind === 'output') continue
    const key = JSON.stringify(test)
    const holder = test === null ? suite : (tests.get(key) ?? findAttempt(suite, test))
    if (test !== null) tests.set(key, holder as Attempt)
    if (said.kind !== 'file') {
      holder.said ??= []
      holder.said.push(said)
    } else {
      const { name, contentType, path } = said
      holder.attachments.push({ name, path, ...(contentType && { contentType }) })
    }
  }
}

/** The console's calls as Jest told them in the end. */
export interface OutputSource {
  console: readonly JestConsoleEntry[] | null | undefined
  rootDir: string
}

/** Calls that tests made go from the suite to those tests. */
function placeOutput(
  suite: Suite,
  placed: readonly PlacedSaid[],
  { console: calls, rootDir }: OutputSource,
): void {
  const places = new Map(
    placed.flatMap(({ test, said }) =>
      said.kind === 'output' && test !== null ? [[said.index, { test, atMs: said.atMs }] as const] : [],
    ),
  )
  if (places.size === 0 || !calls) return
  suite.output = mapOutput(
    calls.filter((_, index) => !places.has(index)),
    rootDir,
  )
  calls.forEach((call, index) => {
    const place = places.get(index)
    if (place === undefined) return
    const { output } = findAttempt(suite, place.test)
    for (const entry of mapOutput([call], rootDir)) addOutput(output, { ...entry, atMs: place.atMs })
  })
}

function findAttempt(suite: Suite, key: TestKey | NamedKey): Attempt {
  const test = findTest(suite.tests, key) ?? addCutTest(suite, key)
  const known = 'attempt' in key ? test.attempts[key.attempt - 1] : test.attempts.at(-1)
  if (known !== undefined) return known
  // It was under way when its worker crashed: Jest tells no end of it.
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

/** A crash of a path that runs in two projects leaves no test that Jest could be asked about. */
function addCutTest(suite: Suite, key: TestKey | NamedKey): SuiteTest {
  const test: SuiteTest = {
    titles: 'titles' in key ? key.titles : [key.fullName],
    outcome: 'not-run',
    flaky: false,
    startedAtMs: suite.startedAtMs,
    durationMs: 0,
    attempts: [],
    note: 'under way when the suite was cut short',
  }
  suite.tests.push(test)
  return test
}
