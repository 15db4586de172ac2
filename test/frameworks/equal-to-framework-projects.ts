import type { Framework } from '../support/project'

/** A test as its framework reports it. */
export interface ReportedTest {
  name: string
  passed: boolean
  durationMs: number
  /** The duration is that of the last attempt alone. */
  isOfLast?: boolean
  /** How much the durations may differ; by default 1 ms. */
  slackMs?: number
  /** Start of the first attempt, if it is reported. */
  startedAtMs?: number | undefined
}

const WAIT = 'const wait = (ms) => new Promise((done) => setTimeout(done, ms))\nlet tries = 0\n'

/** Equal names, of which the second fails; a retried test around which others run; a value outside its limits. */
const TESTS = `
test('same', () => wait(120))
test('same', () => { throw new Error('always') })
test('is flaky', async () => { tries += 1; await wait(30); if (tries < 3) throw new Error('not yet') })
test('lies between', () => wait(300))
test('measures', () => { measure('volts', 5, { unit: 'V', high: 3, soft: true }) })
`

const CONCURRENT = `
test.concurrent('side by side', () => wait(90))
test.concurrent('side by side', () => wait(20))
`

const PLAYWRIGHT_TRIES = TESTS.replace(
  'async () => { tries += 1;',
  'async ({}, info) => { tries = info.retry + 1;',
)

const FILES: Record<Framework, Record<string, string>> = {
  jest: {
    'jest.config.js': `module.exports = { reporters: ['default', '@runledger/jest'], testLocationInResults: true }\n`,
    'a.test.js': `const { measure } = require('@runledger/jest')\n${WAIT}jest.retryTimes(2)\n${TESTS}${CONCURRENT}`,
  },
  vitest: {
    'vitest.config.mjs': `export default { test: { retry: 2,
      reporters: ['default', '@runledger/vitest', ['json', { outputFile: 'report.json' }]] } }\n`,
    'a.test.js': `import { test } from 'vitest'\nimport { measure } from '@runledger/vitest'\n${WAIT}${TESTS}${CONCURRENT}`,
  },
  playwright: {
    'playwright.config.js': `module.exports = { retries: 2, workers: 2, fullyParallel: true,
      reporter: [['line'], ['@runledger/playwright'], ['json', { outputFile: 'report.json' }]] }\n`,
    'a.spec.js': `const { test } = require('@playwright/test')\nconst { measure } = require('@runledger/playwright')\n${WAIT}${PLAYWRIGHT_TRIES.replace(
      "test('same', () => { throw",
      "test.describe('twin', () => test('same', () => { throw",
    ).replace("always') })", "always') }))")}`,
  },
}

const DELAYED = 'waits before its retry'
const DELAY_MS = 400

/** Vitest has the option `delay` of `retry` since 4.1. */
export function createFiles(framework: Framework, version: string): Record<string, string> {
  const files = FILES[framework]
  if (framework !== 'vitest' || version.startsWith('3.')) return files
  const delayed = `let calls = 0
test('${DELAYED}', { retry: { count: 2, delay: ${DELAY_MS} } }, async () => {
  calls += 1
  await wait(20)
  if (calls < 2) throw new Error('not yet')
})\n`
  return { ...files, 'a.test.js': `${files['a.test.js']}${delayed}` }
}

interface JestReport {
  testResults: {
    assertionResults: {
      ancestorTitles: string[]
      title: string
      status: string
      duration?: number | null
      startAt?: number | null
      invocations?: number
    }[]
  }[]
}

function readJestReport(report: object): ReportedTest[] {
  return (report as JestReport).testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status, duration, startAt, invocations = 1 }) => ({
      name: [...ancestorTitles, title].filter(Boolean).join(' › '),
      passed: status === 'passed',
      durationMs: duration ?? 0,
      isOfLast: invocations > 1,
      startedAtMs: invocations > 1 || startAt === null ? undefined : startAt,
    })),
  )
}

interface PlaywrightSuite {
  suites?: (PlaywrightSuite & { title: string })[]
  specs: {
    title: string
    ok: boolean
    tests: { results: { startTime: string; duration: number }[] }[]
  }[]
}

function listPlaywright({ specs, suites = [] }: PlaywrightSuite, titles: string[]): ReportedTest[] {
  const own = specs.map(({ title, ok, tests: [test] }) => ({
    name: [...titles, title].join(' › '),
    passed: ok,
    durationMs: test?.results.reduce((sum, { duration }) => sum + duration, 0) ?? 0,
    startedAtMs: Date.parse(test?.results[0]?.startTime ?? ''),
  }))
  return [...own, ...suites.flatMap((suite) => listPlaywright(suite, [...titles, suite.title]))]
}

/** The wait before a retry is no part of our duration, and one of Vitest's. */
function readVitestReport(report: object): ReportedTest[] {
  return readJestReport(report).map((each) =>
    each.name === DELAYED ? { ...each, durationMs: each.durationMs - DELAY_MS, slackMs: 15 } : each,
  )
}

export const READ_REPORT: Record<Framework, (report: object) => ReportedTest[]> = {
  jest: readJestReport,
  vitest: readVitestReport,
  playwright: (report) =>
    (report as { suites: PlaywrightSuite[] }).suites.flatMap((suite) => listPlaywright(suite, [])),
}

const NODE_HEAD = `import { test } from 'node:test'\nimport { setTimeout as wait } from 'node:timers/promises'\n`

/** Node 20 and 22 report `b.test.mjs` after the end of `a.test.mjs`, which runs longer. */
export const NODE_FILES = {
  'a.test.mjs': `${NODE_HEAD}test('first', () => wait(1_500))\n`,
  'b.test.mjs': `${NODE_HEAD}import { declare } from './declare.mjs'
test('same', () => wait(60))
test('same', async () => { await wait(20); throw new Error('always') })
declare('parent')
test('side', { concurrency: true }, (t) => Promise.all([t.test('by', () => wait(80)), t.test('by', () => wait(20))]))
`,
  'c.test.mjs': "import { declare } from './declare.mjs'\ndeclare('first of a helper')\n",
  'declare.mjs': `${NODE_HEAD}export const declare = (name) => test(name, async (t) => {
  await t.test('same', () => wait(30))
  await t.test('same', () => wait(5))
})\n`,
  'pair.test.mjs': `${NODE_HEAD}const [first, second] = (process.env.WAITS ?? '1,1').split(',').map(Number)
test('same', () => wait(first))
test('same', async () => { await wait(second); throw new Error('always') })
`,
  'dump.mjs': `const parents = []
export default async function* (events) {
  for await (const { type, data } of events) {
    if (type === 'test:start') parents.splice(data.nesting, Infinity, data.name)
    if (type !== 'test:pass' && type !== 'test:fail' || data.details.type === 'suite') continue
    const name = [...parents.slice(0, data.nesting), data.name].join(' › ')
    yield JSON.stringify({ name, passed: type === 'test:pass', durationMs: data.details.duration_ms }) + '\\n'
  }
}\n`,
}

export const NODE_TEST_FILES = ['a.test.mjs', 'b.test.mjs', 'c.test.mjs']
