import { createRequest, type Explanation, type FailureExplanation, type TestPage } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../packages/server/src/testing/start-test-server'
import {
  buildsOf,
  FILE,
  groupOf,
  type Letter,
  MESSAGE,
  type PlantedBuild,
  shaOf,
  Story,
  TEST,
} from './planted-failures'

let service: TestServer

beforeAll(async () => {
  service = await startTestServer()
})

afterAll(() => service.stop())

type Asked = Record<string, string>

async function ask(query: Asked): Promise<Explanation> {
  const response = await service.send('GET', createRequest('explainFailures', { query }).path)
  const answer = (await response.json()) as Explanation
  expect(response.status, JSON.stringify(answer)).toBe(200)
  return answer
}

/** What an assistant reads, checked to be short, with what every failure is told with. */
async function read(query: Asked): Promise<string> {
  const response = await service.send('GET', `/explanation.md?${new URLSearchParams(query).toString()}`)
  const text = await response.text()
  expect(response.status, text).toBe(200)
  expect(estimateTokens(text)).toBeLessThanOrEqual(2_000)
  return text
}

/** More than tokenizers of language models count: they know words, and ids hardly. */
function estimateTokens(text: string): number {
  const pieces = text.match(/[a-z]+|[A-Z]+|\d{1,3}|\s+|[^\sA-Za-z\d]/g) ?? []
  return pieces.reduce((sum, piece) => sum + (/^ $/.test(piece) ? 0 : Math.ceil(piece.length / 6)), 0)
}

const single = ({ failures }: Explanation): FailureExplanation => {
  expect(failures).toHaveLength(1)
  return failures[0] as FailureExplanation
}

const begin = (name: string) => Story.begin(service, name)

const FRAMEWORKS: Record<string, string> = {
  vitest: `npx vitest run ${FILE} -t '^cart( >)? adds up$'`,
  jest: `npx jest ${FILE} -t '^cart adds up$'`,
  playwright: `npx playwright test ${FILE} -g 'cart adds up'`,
  'node:test': `node --test --test-name-pattern='^cart adds up$' ${FILE}`,
}

describe('a test that a commit broke', () => {
  const histories = [
    'pppf',
    'pppppff',
    'ppfff',
    'ppppppppppf',
    'pffff',
    'ppprppf',
    'ppppffffffff',
    'pf',
    'ppsf',
    'psfff',
  ]
  it.each(histories.map((letters, index) => [letters, Object.keys(FRAMEWORKS)[index % 4] as string]))(
    '%s with %s',
    async (letters, framework) => {
      const story = await begin(`broken ${letters}`)
      const ids = await story.plant(buildsOf(letters), framework)
      const first = letters.search(/f+$/)
      const passed = Math.max(letters.lastIndexOf('p'), letters.lastIndexOf('r'))
      const query = { run_id: ids.at(-1) ?? '' }
      const failure = single(await ask(query))
      expect(failure).toMatchObject({
        name: TEST,
        owner: '@cart-team',
        declared_at: `${FILE}:8`,
        error: { message: MESSAGE, location: { file: 'src/cart.ts', line: 10 } },
        past: {
          last_passed: { commit: shaOf(story.name, `c${passed}`), author: `Author of c${passed}` },
          first_failed: { commit: shaOf(story.name, `c${first}`), commit_subject: `Change c${first}` },
          failing_builds: letters.length - first,
          unknown_between: first - passed - 1,
          fixed_by: null,
        },
        rerun: {
          checkout: `git checkout ${shaOf(story.name, `c${letters.length - 1}`)}`,
          command: FRAMEWORKS[framework],
        },
      })
      expect(failure.past?.judgement.reasons.map(({ code }) => code)).not.toContain('passedOnCommit')
      const text = await read(query)
      expect(text).toContain('> 10 | expect(sum).toBe(4)')
      expect(text).toContain(MESSAGE)
      expect(text).toContain(`git log --oneline ${shaOf(story.name, `c${passed}`).slice(0, 10)}..`)
      expect(text).toContain(FRAMEWORKS[framework])
    },
  )
})

it('a failure that fails on each retry for many builds', async () => {
  const story = await begin('real')
  const builds = buildsOf('ppppffffffff').map((build) =>
    build.tests[TEST] === 'f'
      ? { ...build, tests: { [TEST]: { outcome: 'f' as const, retries: 2 } } }
      : build,
  )
  const ids = await story.plant(builds)
  const { judgement } = single(await ask({ run_id: ids.at(-1) ?? '' })).past ?? {}
  expect(judgement).toMatchObject({ verdict: 'real' })
  expect(judgement?.probability_real).toBeGreaterThan(0.9)
  expect(await read({ run_id: ids.at(-1) ?? '' })).toContain('- Likely real, 9')
})

describe('a flaky failure', () => {
  /** Both verdicts on one commit. */
  const bothVerdicts = (letters: string): PlantedBuild[] =>
    buildsOf(letters).map((build, index) => ({
      ...build,
      commit: index < letters.length - 2 ? build.commit : 'same',
    }))

  it.each(['pppfp', 'ppppf', 'pppppppfp', 'ppfpfp'])(
    'passed and failed on one commit: %s',
    async (letters) => {
      const story = await begin(`both ${letters}`)
      const builds = bothVerdicts(letters)
      const ids = await story.plant(builds)
      const failure = single(await ask({ run_id: ids[letters.lastIndexOf('f')] ?? '' }))
      expect(failure.past?.judgement).toMatchObject({
        verdict: 'flaky',
        probability_real: 0,
        reasons: [{ code: 'passedOnCommit', weight: null }],
      })
      expect(failure.past?.flaky_evidence[0]).toMatchObject({ kind: 'both-verdicts' })
      expect(await read({ run_id: ids[letters.lastIndexOf('f')] ?? '' })).toContain('- Flaky: it passed')
    },
  )

  it.each(['pppr', 'prprpr', 'rrrr', 'pppppppppppr'])('passed on a retry: %s', async (letters) => {
    const story = await begin(`retried ${letters}`)
    await story.plant(buildsOf(letters))
    const { data } = await listTests(story)
    const test = data.find(({ name }) => name === TEST)
    const answer = await ask({ test_id: test?.id ?? '' })
    const retried = [...letters].filter((letter) => letter === 'r').length
    expect(single(answer)).toMatchObject({
      outcome: 'flaky',
      error: { message: MESSAGE },
      past: {
        flakes: { count: retried, of: letters.length },
        flaky_evidence_count: retried,
        judgement: { verdict: 'flaky' },
      },
    })
    const text = await read({ test_id: test?.id ?? '' })
    expect(text).toContain(`(${retried} of ${letters.length}; 95 % interval`)
    expect(text).not.toContain('First failed in')
  })
})

async function listTests(story: Story): Promise<TestPage> {
  const { path } = createRequest('listTests', { query: { procedure_ids: [story.procedure], days: 30 } })
  return (await (await service.send('GET', path)).json()) as TestPage
}

describe('an infrastructure build', () => {
  const tests = (outcome: Letter, count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        index === 0 ? TEST : `cart › works ${index}`,
        { outcome, message: 'connect ECONNREFUSED 127.0.0.1:5432' },
      ]),
    )

  it.each([12, 15, 30])('in which %i tests fail for one cause', async (count) => {
    const story = await begin(`outage ${count}`)
    await story.plant(
      ['p', 'p', 'f'].map((letter, index) => ({
        commit: `c${index}`,
        tests: tests(letter as Letter, count),
      })),
    )
    const query = { group: groupOf(story.name, 2) }
    const answer = await ask(query)
    expect(answer).toMatchObject({
      failures_count: count,
      causes_count: 1,
      build: { is_infrastructure: true },
    })
    expect(single(answer)).toMatchObject({
      tests_in_build: { count },
      past: {
        judgement: {
          verdict: 'unknown',
          reasons: expect.arrayContaining([expect.objectContaining({ code: 'infrastructure' })]) as unknown,
        },
        last_passed: { commit: shaOf(story.name, 'c1') },
      },
    })
    const text = await read(query)
    expect(text).toContain('Infrastructure build')
    expect(text).toContain(`${count} tests failed together with this error`)
  })
})

it.each([1, 3, 6, 10])('a new test that fails after %i builds without it', async (before) => {
  const story = await begin(`new ${before}`)
  const without = buildsOf('p'.repeat(before), { tests: { 'cart › stays': 'p' } })
  const ids = await story.plant([...without, { commit: 'new', tests: { [TEST]: 'f', 'cart › stays': 'p' } }])
  const query = { run_id: ids.at(-1) ?? '' }
  expect(single(await ask(query)).past).toMatchObject({
    is_first_seen: true,
    last_passed: null,
    failing_builds: 1,
  })
  expect(await read(query)).toContain('First seen in this build')
})

it.each([2, 3, 4, 7])('one error in %i tests of different files', async (count) => {
  const story = await begin(`common ${count}`)
  const tests = (outcome: Letter) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `page ${index}`,
        { outcome, file: `src/page-${index}.test.ts`, message: `no element "#total" in story ${count}x` },
      ]),
    )
  await story.plant([
    { commit: 'good', tests: tests('p') },
    { commit: 'bad', tests: tests('f') },
  ])
  const query = { group: groupOf(story.name, 1) }
  const answer = await ask(query)
  expect(answer).toMatchObject({ failures_count: count, causes_count: 1 })
  const failure = single(answer)
  expect(failure.tests_in_build.count).toBe(count)
  expect(failure.tests_in_build.others).toHaveLength(Math.min(count - 1, 5))
  expect(failure.same_error?.tests_count).toBeGreaterThanOrEqual(count)
  expect(await read(query)).toContain(`${count} tests failed together with this error`)
})

it.each(['ppf', 'ppppff', 'pf'])('a renamed test: %s', async (letters) => {
  const story = await begin(`renamed ${letters}`)
  const first = letters.indexOf('f')
  const builds = buildsOf(letters).map((build, index) => ({
    ...build,
    tests: { [index < first ? 'cart › adds' : TEST]: letters[index] as Letter },
  }))
  const ids = await story.plant(builds)
  const { data } = await listTests(story)
  const idOf = (name: string) => data.find((test) => test.name === name)?.id ?? ''
  await service.send('POST', `/v2/tests/${idOf(TEST)}/aliases`, { test_id: idOf('cart › adds') })
  const query = { run_id: ids.at(-1) ?? '' }
  expect(single(await ask(query)).past).toMatchObject({
    is_first_seen: false,
    last_passed: { commit: shaOf(story.name, `c${first - 1}`) },
    first_failed: { commit: shaOf(story.name, `c${first}`) },
    earlier_names: [{ name: 'cart › adds' }],
  })
  expect(await read(query)).toContain('Earlier names: `cart › adds`')
})

it.each([2, 3, 4])('a failure in a build of which one of %i shards is missing', async (total) => {
  const story = await begin(`shards ${total}`)
  const shard = (index: number) => ({
    shard: `${index}/${total}`,
    shard_index: String(index),
    shard_total: String(total),
  })
  const builds = Array.from({ length: total - 1 }, (_, index): PlantedBuild => ({
    commit: 'c1',
    group: `${story.name}-sharded`,
    tests: {
      [index === 0 ? TEST : `other ${index}`]: {
        outcome: index === 0 ? 'f' : 'p',
        file: `src/${index}.test.ts`,
      },
    },
    variables: shard(index + 1),
  }))
  await story.plant(builds)
  service.advance(2 * 3_600)
  const query = { group: `${story.name}-sharded` }
  const answer = await ask(query)
  expect(answer.build).toMatchObject({
    state: 'incomplete',
    missing: [expect.stringContaining(`shard ${total} of ${total} has not reported`) as string],
  })
  single(answer)
  expect(await read(query)).toContain('Not all is on record: incomplete')
})

describe('a failure on a branch', () => {
  const withBranch = (main: string, branch: string): PlantedBuild[] => [
    ...buildsOf(main),
    ...buildsOf(branch).map((build, index) => ({ ...build, commit: `b${index}`, branch: 'topic' })),
  ]

  it.each([
    ['ppp', 'f', 'c2', 'b0'],
    ['pppp', 'pf', 'b0', 'b1'],
    ['pp', 'fff', 'c1', 'b0'],
    ['ppfp', 'f', 'c3', 'b0'],
    ['ppppp', 'ppff', 'b1', 'b2'],
  ])('alone, main %s and the branch %s', async (main, branch, good, bad) => {
    const story = await begin(`branch ${main} ${branch}`)
    await story.plant(withBranch(main, branch))
    const query = { branch: 'topic', procedure_id: story.procedure }
    expect(single(await ask(query)).past).toMatchObject({
      last_passed: { commit: shaOf(story.name, good) },
      first_failed: { commit: shaOf(story.name, bad), branch: 'topic' },
      default_branch: { branch: 'main', outcome: 'passed' },
    })
    expect(await read(query)).toContain('On `main` it passes')
  })

  it.each([
    ['ppf', 'f', 'c1', 'c2'],
    ['pppff', 'ff', 'c2', 'c3'],
    ['pfff', 'f', 'c0', 'c1'],
  ])('that main %s has too, the branch %s', async (main, branch, good, bad) => {
    const story = await begin(`on main ${main} ${branch}`)
    await story.plant(withBranch(main, branch))
    const query = { branch: 'topic', procedure_id: story.procedure }
    const failure = single(await ask(query))
    expect(failure.past).toMatchObject({
      last_passed: { commit: shaOf(story.name, good) },
      first_failed: { commit: shaOf(story.name, bad), branch: 'main' },
      default_branch: { outcome: 'failed' },
    })
    expect(failure.verdict?.verdict).toBe('already_failing')
    expect(await read(query)).toContain('On `main` it fails')
  })
})

it.each(['ppffp', 'pfppp', 'pppfffpp', 'ppfp'])('a failure that was fixed later: %s', async (letters) => {
  const story = await begin(`fixed ${letters}`)
  const ids = await story.plant(buildsOf(letters))
  const last = letters.lastIndexOf('f')
  const query = { run_id: ids[last] ?? '' }
  expect(single(await ask(query)).past).toMatchObject({
    first_failed: { commit: shaOf(story.name, `c${letters.indexOf('f')}`) },
    fixed_by: { commit: shaOf(story.name, `c${last + 1}`), author: `Author of c${last + 1}` },
  })
  expect(await read(query)).toContain('Passes again since')
})

it.each(['Cannot find module "./total"', 'SyntaxError: Unexpected token'])(
  'a file that could not be loaded: %s',
  async (suiteError) => {
    const story = await begin(`unloaded ${suiteError.length}`)
    const ids = await story.plant([
      { commit: 'good', tests: { [TEST]: 'p' } },
      { commit: 'bad', tests: {}, suiteError },
    ])
    const query = { run_id: ids[1] ?? '' }
    const failure = single(await ask(query))
    expect(failure).toMatchObject({
      name: 'The file could not be loaded',
      test: null,
      past: null,
      error: { message: suiteError },
      rerun: { command: `npx vitest run ${FILE}` },
    })
    const text = await read(query)
    expect(text).toContain(suiteError)
    expect(text).toContain(`npx vitest run ${FILE}`)
  },
)

it('says of a build that passed that nothing failed', async () => {
  const story = await begin('green')
  await story.plant(buildsOf('pp'))
  expect(await ask({ branch: 'main', procedure_id: story.procedure })).toMatchObject({
    failures: [],
    failures_count: 0,
  })
  expect(await read({ branch: 'main', procedure_id: story.procedure })).toContain('nothing failed')
})

it('stays short for several causes with long texts', async () => {
  const story = await begin('long')
  const long = (word: string) =>
    Array.from({ length: 400 }, (_, index) => `${word} is not ${word}${index}`).join('\n')
  const tests = (outcome: Letter) =>
    Object.fromEntries(
      ['one', 'other', 'third', 'fourth'].map((word) => [word, { outcome, message: long(word) }]),
    )
  await story.plant([
    { commit: 'good', tests: tests('p') },
    { commit: 'bad', tests: tests('f') },
  ])
  const text = await read({ group: groupOf(story.name, 1) })
  expect(text).toContain('## `one`')
  expect(text).toContain('## `third`')
  expect(text).toContain('Left out here: 1 cause')
})
