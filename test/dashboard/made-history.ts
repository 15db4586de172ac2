import type { Service } from '../support/service'
import { makeRun } from './made-runs'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const AUTHORS = ['Ada Byron', 'Lin Okafor', 'Piotr Zielinski']
export const BUILDS = 80
/** The build that breaks "pays by card", and the one that fixes it, so late that it fails most in the last 14 days at any hour. */
export const BROKEN_AT = 25
export const FIXED_AT = 55
/** The build in which nothing could be reached. */
export const INFRASTRUCTURE_AT = 5

/** The author of a build of main. */
export function authorOf(build: number): string {
  return AUTHORS[build % AUTHORS.length] as string
}

interface MadeTest {
  name: string
  message?: string
  isFlaky?: boolean
  ms?: number
}

/** What became of the tests in a build of main. */
function listTests(build: number): MadeTest[] {
  const refused = build === INFRASTRUCTURE_AT ? { message: 'connect ECONNREFUSED 10.0.4.12:5432' } : {}
  const others = Array.from({ length: 12 }, (_, index) => ({ name: `works ${index + 1}`, ...refused }))
  const isBroken = build >= BROKEN_AT && build < FIXED_AT
  return [
    { name: 'checkout › pays by card', ...(isBroken ? { message: 'expected 402 to be 200' } : refused) },
    { name: 'cart › shows the total', isFlaky: build % 4 === 1, ...refused },
    { name: 'search › finds words', ms: build < 60 ? 300 + (build % 3) : 900 + (build % 3), ...refused },
    ...others,
  ]
}

/** Some weeks of builds on main, a branch that breaks a test, and a build without one of its shards. */
export async function makeHistory(service: Service): Promise<void> {
  for (let build = 0; build < BUILDS; build += 1) {
    const facts = {
      group: `build-${1700 + build}`,
      git_branch: 'main',
      git_commit: `c0ffee${String(build).padStart(34, '0')}`,
      git_author: authorOf(build),
      git_commit_subject: `Change number ${build}`,
    }
    await makeSuite(service, { agoMs: (BUILDS - build) * 8 * HOUR_MS, tests: listTests(build), facts })
  }
  const branch = { git_branch: 'cents', git_author: 'Mai Tanaka', git_commit_subject: 'Round to cents' }
  const tests = listTests(BUILDS).map((test, index) =>
    index === 1 ? { ...test, isFlaky: false, message: 'expected 12 to be 12.5' } : test,
  )
  await makeSuite(service, {
    agoMs: 2 * HOUR_MS,
    tests,
    facts: { ...branch, group: 'build-cents', git_commit: 'ce27'.padEnd(40, '0') },
  })
  // The later one has ended, so that the other's missing shard is expected no more.
  const nightly = { ...branch, git_branch: 'nightly', git_commit: 'd'.repeat(40) }
  const first = { ...nightly, group: 'build-night', shard: '1/2' }
  const later = { ...nightly, group: 'build-next-night' }
  await makeSuite(service, { agoMs: 3 * DAY_MS, tests: listTests(BUILDS), facts: first })
  await makeSuite(service, { agoMs: 2 * DAY_MS, tests: listTests(BUILDS), facts: later })
}

interface MadeSuite {
  agoMs: number
  tests: MadeTest[]
  facts: Record<string, string>
}

async function makeSuite(service: Service, { agoMs, tests, facts }: MadeSuite): Promise<void> {
  const start = Date.now() - agoMs
  const at = (ms: number) => new Date(start + ms).toISOString()
  const phases = tests.map(({ name, message, isFlaky = false, ms = 200 }, index) => ({
    name,
    kind: 'test',
    outcome: message === undefined ? 'PASS' : 'FAIL',
    started_at: at(index * 1_000),
    ended_at: at(index * 1_000 + ms),
    owner: '@acme/shop',
    retry_count: isFlaky ? 1 : 0,
    ...(message === undefined
      ? {}
      : { errors: [{ message }], location: { file: 'src/shop.test.ts', line: 7 } }),
  }))
  await makeRun(service, {
    outcome: tests.some(({ message }) => message !== undefined) ? 'FAIL' : 'PASS',
    serial_number: 'shop@c0ffee',
    part_number: 'shop',
    started_at: at(0),
    ended_at: at(tests.length * 1_000),
    phases,
    metadata: {
      file: 'src/shop.test.ts',
      framework: 'vitest',
      ci: 'GitHub Actions',
      git_default_branch: 'main',
      ...facts,
    },
  })
}
