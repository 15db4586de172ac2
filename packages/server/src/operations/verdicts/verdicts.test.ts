import type { IssuedKey, RunDetail, VerdictList } from '@runledger/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAsk, createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

let file = ''
let tests = 0

beforeAll(async () => {
  server = await startTestServer()
})

// A file of its own for each test: runs of other files say nothing of it.
beforeEach(() => {
  file = `src/cart-${(tests += 1)}.test.ts`
})

afterAll(() => server.stop())

const get = createResponse(() => server)
const ask = createAsk(() => server)

interface Sent {
  /** What became of the test `adds`. */
  adds?: 'passed' | 'failed' | keyof typeof ATTEMPTS
  variables?: Record<string, string>
  change?: Record<string, unknown>
}

const TEST = { name: 'adds', started_at: '2026-11-20T09:00:00Z', duration: 'PT1S' }
const attempt = (outcome: string) => ({ outcome, started_at: TEST.started_at, duration: 'PT1S' })
const ATTEMPTS = {
  retried: [attempt('FAIL'), attempt('PASS')],
  repeated: [attempt('PASS'), attempt('SKIP'), attempt('PASS')],
  failedAgain: [attempt('FAIL'), attempt('FAIL')],
}

/** Creates a run of one test; by default it failed, in a CI, in a file, on the branch `cart` of commit `c`. */
async function record({ adds = 'failed', variables = {}, change = {} }: Sent = {}): Promise<string> {
  const attempts = adds === 'passed' || adds === 'failed' ? {} : { attempts: ATTEMPTS[adds] }
  const hasPassed = adds !== 'failed' && adds !== 'failedAgain'
  const { id = '' } = await server.createRun({
    run_passed: hasPassed,
    steps: [{ ...TEST, step_passed: hasPassed, ...attempts }],
    report_variables: {
      file,
      ci: 'GitHub Actions',
      git_branch: 'cart',
      git_commit: 'c',
      git_default_branch: 'main',
      git_merge_base: 'base',
      ...variables,
    },
    ...change,
  })
  return id
}

const main = (commit: string, more: Record<string, string> = {}) => ({
  git_branch: 'main',
  git_commit: commit,
  git_merge_base: commit,
  ...more,
})

const list = (query: string) => get<VerdictList>('GET', `/v2/verdicts?${query}`)

async function verdictOf(id: string) {
  const { data } = await list(`ids=${id}`)
  expect(data).toHaveLength(1)
  return data[0]
}

describe('a failure', () => {
  it('is first seen when there is nothing to compare it with', async () => {
    expect(await verdictOf(await record())).toEqual({
      run_id: expect.any(String) as string,
      phase_id: expect.any(String) as string,
      name: 'adds',
      verdict: 'first_seen',
      basis: 'none',
    })
    await record({ adds: 'passed', variables: { git_branch: 'other', git_commit: 'o' } })
    expect(await verdictOf(await record({ variables: { git_branch: 'third' } }))).toMatchObject({
      verdict: 'first_seen',
      basis: 'none',
    })
  })

  it('is new when its test passed on the merge base, whatever the default branch has become', async () => {
    const passed = await record({ adds: 'passed', variables: main('base') })
    await record({ variables: main('newer') })
    expect(await verdictOf(await record())).toMatchObject({
      verdict: 'new',
      basis: 'merge-base',
      last_passed: { id: passed, commit: 'base', started_at: expect.any(String) as string },
    })
  })

  it('already fails since the first failure of the unbroken row on the default branch', async () => {
    await record({ variables: main('m0') })
    const passed = await record({ adds: 'passed', variables: main('m1') })
    const first = await record({ variables: main('m2') })
    await record({ variables: main('m3') })
    await record({ adds: 'passed', variables: { git_commit: 'c0' } })
    expect(await verdictOf(await record())).toMatchObject({
      verdict: 'already_failing',
      basis: 'default-branch',
      failing_since: { id: first, commit: 'm2', builds: 2 },
      last_passed: { id: passed, commit: 'm1' },
    })
  })

  it('is new when it passed on the merge base outside of a CI, whatever a CI said before', async () => {
    await record({ variables: main('older') })
    const local = { ...main('base'), ci: 'false' }
    const passed = await record({ adds: 'passed', variables: local })
    expect(await verdictOf(await record())).toMatchObject({
      verdict: 'new',
      basis: 'merge-base',
      last_passed: { id: passed },
    })
  })

  it('is not flaky because another job of its build passed, but because a rerun of it did', async () => {
    await record({ adds: 'passed', variables: main('base') })
    const job = { group: 'build 7' }
    await record({ adds: 'passed', variables: job })
    expect(await verdictOf(await record({ variables: job }))).toMatchObject({ verdict: 'new' })
    await record({ adds: 'passed', variables: { ...job, ci_rerun: '1' } })
    expect(await verdictOf(await record({ variables: { ...job, ci_rerun: '2' } }))).toMatchObject({
      verdict: 'flaky',
    })
  })

  it('already fails when it failed on the merge base, though it was mended there since', async () => {
    const first = await record({ variables: main('m1') })
    await record({ variables: main('base') })
    await record({ adds: 'passed', variables: main('m3') })
    const verdict = await verdictOf(await record())
    expect(verdict).toMatchObject({
      verdict: 'already_failing',
      basis: 'merge-base',
      failing_since: { id: first, builds: 2 },
    })
    expect(verdict).not.toHaveProperty('last_passed')
  })

  it('is compared with the last build of its branch when no other has the test on record', async () => {
    const passed = await record({ adds: 'passed', variables: { git_commit: 'c1' } })
    const failed = await record({ variables: { git_commit: 'c2' } })
    expect(await verdictOf(failed)).toMatchObject({
      verdict: 'new',
      basis: 'branch',
      last_passed: { id: passed },
    })
    expect(await verdictOf(await record({ variables: { git_commit: 'c3' } }))).toMatchObject({
      verdict: 'already_failing',
      basis: 'branch',
      failing_since: { id: failed, commit: 'c2', builds: 1 },
    })
  })

  it('is compared with earlier runs without a branch when its run has none', async () => {
    const bare = { report_variables: { git_commit: 'c1' } }
    await record({ adds: 'passed', change: bare })
    const verdict = await verdictOf(await record({ change: bare }))
    expect(verdict).toMatchObject({
      verdict: 'new',
      basis: 'branch',
      last_passed: { commit: 'c1' },
    })
  })
})

describe('a flaky test', () => {
  it('passed when it was tried again, not long ago', async () => {
    await record({ adds: 'retried', variables: main('m1') })
    await record({ adds: 'passed', variables: main('base') })
    expect(await verdictOf(await record())).toMatchObject({ verdict: 'flaky', basis: 'merge-base' })
  })

  it('passed and failed on one commit, this failure included', async () => {
    await record({ adds: 'passed', variables: { group: 'first' } })
    expect(await verdictOf(await record({ variables: { group: 'second' } }))).toMatchObject({
      verdict: 'flaky',
      basis: 'branch',
    })
  })

  it('is not one that was repeated though it passed', async () => {
    await record({ adds: 'repeated', variables: main('m1') })
    await record({ adds: 'passed', variables: main('base') })
    expect(await verdictOf(await record())).toMatchObject({ verdict: 'new', basis: 'merge-base' })
  })

  it('is not one that was mended in a working copy, or that fails on another system alone', async () => {
    await record({ adds: 'passed', variables: main('base') })
    await record({ adds: 'passed', variables: { os: 'linux 6.8.0 x64' } })
    expect(await verdictOf(await record({ variables: { os: 'win32 10.0 x64' } }))).toMatchObject({
      verdict: 'new',
    })
    const report_variables = { file, git_branch: 'desk', git_commit: 'd' }
    await record({ adds: 'passed', change: { report_variables } })
    expect(await verdictOf(await record({ change: { report_variables } }))).toMatchObject({
      verdict: 'new',
      basis: 'branch',
    })
  })

  it('does not fail constantly', async () => {
    await record({ adds: 'retried', variables: main('m0') })
    for (const commit of ['m1', 'm2', 'm3']) await record({ variables: main(commit) })
    expect(await verdictOf(await record())).toMatchObject({
      verdict: 'already_failing',
      failing_since: { commit: 'm1', builds: 3 },
    })
  })
})

describe('whether the basis shows a failure', () => {
  const isKnown = async (id: Promise<string>) => (await verdictOf(await id))?.known_on_basis
  const outside = (commit: string) => ({ report_variables: { file, ...main(commit) } })

  it('is set for failures that are not new', async () => {
    await record({ adds: 'passed', variables: main('m1') })
    expect(await verdictOf(await record())).not.toHaveProperty('known_on_basis')
    await record({ variables: main('m2') })
    expect(await isKnown(record())).toBe(true)
  })

  it('is false for a test that is flaky on its own branch alone', async () => {
    await record({ adds: 'passed', variables: main('base') })
    await record({ adds: 'retried' })
    expect(await verdictOf(await record({ variables: { git_commit: 'c2' } }))).toMatchObject({
      verdict: 'flaky',
      basis: 'merge-base',
      known_on_basis: false,
    })
  })

  it('is true for a test that was flaky on the default branch up to the basis, not after it', async () => {
    await record({ adds: 'passed', variables: main('base') })
    await record({ adds: 'retried', variables: main('m2') })
    expect(await isKnown(record())).toBe(false)
    await record({ adds: 'passed', variables: main('m3') })
    expect(await isKnown(record({ variables: { git_merge_base: 'm3' } }))).toBe(true)
  })

  it('is true for a flaky test that failed on the basis', async () => {
    await record({ variables: main('base') })
    await record({ adds: 'retried' })
    expect(await verdictOf(await record({ variables: { git_commit: 'c2' } }))).toMatchObject({
      verdict: 'flaky',
      known_on_basis: true,
    })
  })

  it('is true for a test that passed on the commit of the basis, which is its own', async () => {
    await record({ adds: 'passed', variables: main('base') })
    expect(await isKnown(record({ variables: { git_commit: 'base' } }))).toBe(true)
  })

  it('is false for a failure that only a laptop had, unless the failure itself is of a laptop', async () => {
    await record({ change: outside('base') })
    expect(await verdictOf(await record())).toMatchObject({
      verdict: 'already_failing',
      basis: 'merge-base',
      known_on_basis: false,
    })
    expect(await isKnown(record({ variables: { ci: 'false' } }))).toBe(true)
  })

  it('is false for a build that repeats another one of the same commit', async () => {
    await record({ adds: 'passed', variables: main('m1') })
    await record({ variables: main('m2', { group: 'pipeline 1' }) })
    expect(await verdictOf(await record({ variables: main('m2', { group: 'pipeline 2' }) }))).toMatchObject({
      verdict: 'already_failing',
      known_on_basis: false,
    })
    expect(await isKnown(record({ variables: main('m3') }))).toBe(true)
  })

  it('depends on pushes to the default branch, not on pull requests from a branch of that name', async () => {
    await record({ adds: 'passed', variables: main('m1') })
    const ofFork = main('f1', { pull_request: '7', git_merge_base: 'none' })
    await record({ variables: ofFork })
    expect(await verdictOf(await record({ variables: { ...ofFork, git_commit: 'f2' } }))).toMatchObject({
      verdict: 'already_failing',
      basis: 'default-branch',
      known_on_basis: false,
    })
    await record({ variables: main('m2') })
    await record({ variables: ofFork })
    expect(await isKnown(record())).toBe(true)
  })

  it('is false for a failure that only its own branch shows', async () => {
    await record()
    expect(await isKnown(record({ variables: { git_commit: 'c2' } }))).toBe(false)
  })

  it('is true for a build that repeats a commit of which earlier ones failed, too', async () => {
    await record({ variables: main('m1') })
    await record({ variables: main('m2', { group: 'pipeline 1' }) })
    await record({ adds: 'passed', variables: main('m3') })
    const ofBranch = { git_merge_base: 'none' }
    expect(await isKnown(record({ variables: main('m2', { group: 'pipeline 2' }) }))).toBe(true)
    await record({ variables: main('m4') })
    await record({ variables: main('m5', { ...ofBranch, group: 'pipeline 1' }) })
    expect(await isKnown(record({ variables: main('m5', { ...ofBranch, group: 'pipeline 2' }) }))).toBe(true)
  })

  it('depends on the build before an infrastructure build', async () => {
    await recordOutage('base')
    expect(await isKnown(record())).toBe(false)
    await record({ variables: main('m1') })
    await recordOutage('m2')
    expect(await isKnown(record({ variables: { git_merge_base: 'm2' } }))).toBe(true)
    expect(await isKnown(record({ variables: { git_merge_base: 'none' } }))).toBe(true)
  })

  it.each(['own', 'linux'])('depends on flaky results on the same system: %s', async (name) => {
    const os = `${name} 6.8.0 x64`
    await record({ adds: 'retried', variables: main('m1', { os: 'linux 6.8.0 x64' }) })
    await record({ adds: 'passed', variables: main('base', { os }) })
    expect(await verdictOf(await record({ variables: { os } }))).toMatchObject({
      verdict: 'flaky',
      known_on_basis: name === 'linux',
    })
  })

  it('is false for a flaky test that failed in each of several attempts', async () => {
    await record({ adds: 'retried', variables: main('m1') })
    await record({ adds: 'passed', variables: main('base') })
    expect(await verdictOf(await record({ adds: 'failedAgain' }))).toMatchObject({
      verdict: 'flaky',
      known_on_basis: false,
    })
    await record({ variables: main('m3') })
    const onFailed = { adds: 'failedAgain', variables: { git_merge_base: 'm3' } } as const
    expect(await isKnown(record(onFailed))).toBe(true)
  })

  it.each([
    ['passed', 'failed', false],
    ['failed', 'passed', false],
    ['failed', 'failed', true],
  ] as const)('depends on all jobs of the build: %s, %s', async (one, other, expected) => {
    for (const adds of [one, other]) await record({ adds, variables: main('base', { group: 'jobs' }) })
    await record({ adds: 'passed', variables: main('m2') })
    expect(await verdictOf(await record())).toMatchObject({
      verdict: 'already_failing',
      known_on_basis: expected,
    })
  })
})

/** A build of the default branch that failed for a reason outside its tests. */
async function recordOutage(commit: string): Promise<void> {
  const steps = ['adds', ...'abcdefghij'].map((name) => ({ ...TEST, name, kind: 'test', step_passed: false }))
  const variables = main(commit, { group: `outage of ${file} at ${commit}` })
  await record({ variables, change: { steps } })
}

describe('an infrastructure build', () => {
  it('does not make its tests flaky', async () => {
    await recordOutage('base')
    await record({ adds: 'passed', variables: main('base') })
    expect(await verdictOf(await record())).toMatchObject({ verdict: 'new', basis: 'merge-base' })
  })

  it('does not make its own failures flaky', async () => {
    await record({ adds: 'passed', variables: main('m1') })
    await recordOutage('m1')
    const { data } = await list(`group=outage of ${file} at m1`)
    expect(data.find(({ name }) => name === 'adds')).toMatchObject({ verdict: 'new' })
  })
})

describe('a build', () => {
  it('is all runs of a group: shards and reruns of an execution count once', async () => {
    await record({ adds: 'passed', variables: main('m0') })
    for (const group of ['one', 'two']) {
      await record({ variables: main(group, { group }) })
      await record({ variables: main(group, { group, ci_rerun: '1' }) })
      await record({ variables: main(group, { group, shard: '2/2' }), change: { steps: [] } })
    }
    expect(await verdictOf(await record())).toMatchObject({
      verdict: 'already_failing',
      failing_since: { commit: 'one', builds: 2 },
      last_passed: { commit: 'm0' },
    })
  })

  it('came to what its last run came to', async () => {
    const rerun = { file, git_branch: 'desk', git_commit: 'd1', group: 'rerun' }
    await record({ change: { report_variables: rerun } })
    await record({ adds: 'passed', change: { report_variables: rerun } })
    const next = { ...rerun, git_commit: 'd2', group: 'next' }
    expect(await verdictOf(await record({ change: { report_variables: next } }))).toMatchObject({
      verdict: 'new',
    })
  })

  it('of the run itself is nothing to compare it with', async () => {
    await record({ variables: { group: 'mine' } })
    expect(await verdictOf(await record({ variables: { group: 'mine' } }))).toMatchObject({
      verdict: 'first_seen',
    })
  })

  it('is represented by its run on the same operating system', async () => {
    const os = (name: string) => ({ group: 'g1', os: `${name} 1.2.3 x64` })
    const windows = await record({ variables: main('m1', os('win32')) })
    await record({ adds: 'passed', variables: main('m1', os('linux')) })
    expect(await verdictOf(await record({ variables: { os: 'win32 9.9.9 x64' } }))).toMatchObject({
      verdict: 'already_failing',
      failing_since: { id: windows, builds: 1 },
    })
  })

  it('of a CI goes before what somebody ran in a working copy', async () => {
    await record({ adds: 'passed', variables: main('base') })
    await record({ change: { report_variables: { file, ...main('base') } } })
    expect(await verdictOf(await record())).toMatchObject({ verdict: 'new', basis: 'merge-base' })
  })
})

describe('a test', () => {
  it('is another one in another procedure, project or file', async () => {
    await server.send('POST', '/v2/procedures', { name: 'Other', identifier: 'OTHER' })
    await record({ adds: 'passed', change: { procedure_id: 'OTHER' } })
    await record({ adds: 'passed', variables: { project: 'web' } })
    await record({ adds: 'passed', variables: { file: 'src/other.test.ts' } })
    expect(await verdictOf(await record())).toMatchObject({ verdict: 'first_seen' })
    expect(await verdictOf(await record({ variables: { project: 'web' } }))).toMatchObject({
      verdict: 'flaky',
    })
  })

  it('is the same however its procedure is named, and on both interfaces', async () => {
    const { procedure } = await get<RunDetail>('GET', `/v2/runs/${await record()}`)
    const passed = await get<{ id: string }>('POST', '/v2/runs', {
      procedure_id: procedure.id,
      serial_number: 'UNIT-1',
      outcome: 'PASS',
      started_at: TEST.started_at,
      ended_at: TEST.started_at,
      phases: [{ ...PHASE, outcome: 'PASS', location: { file, line: 3 } }],
      metadata: { file, ...main('base') },
    })
    const failed = await record({ change: { procedure_id: procedure.identifier.toLowerCase() } })
    expect(await verdictOf(failed)).toMatchObject({ verdict: 'new', last_passed: { id: passed.id } })
  })

  it('says nothing of itself when it was skipped', async () => {
    await record({ adds: 'passed', variables: main('m1') })
    await record({ variables: main('m2'), change: { steps: [], skipped: [{ name: 'adds' }] } })
    expect(await verdictOf(await record())).toMatchObject({ verdict: 'new', last_passed: { commit: 'm1' } })
  })
})

const PHASE = { name: 'adds', started_at: TEST.started_at, ended_at: TEST.started_at }

describe('the list', () => {
  it('has the failed tests of all runs of a group, and counts them', async () => {
    const first = { ...TEST, name: 'subtracts', step_passed: false }
    const steps = [first, { ...TEST, step_passed: false }, { ...first, name: 'a step', parent: 1 }]
    await record({ adds: 'passed', variables: main('base') })
    const run = await record({ variables: { group: 'g' }, change: { steps } })
    await record({ adds: 'passed', variables: { group: 'g' } })
    const verdicts = await list('group=g')
    expect(verdicts).toMatchObject({
      data: [
        { run_id: run, name: 'subtracts', verdict: 'first_seen' },
        { name: 'adds', verdict: 'new' },
      ],
      counts: { new: 1, already_failing: 0, flaky: 0, first_seen: 1 },
      more_failures: 0,
    })
    const { phases } = await server.getRun(run)
    expect(verdicts.data.map(({ phase_id: id }) => id)).toEqual(phases.slice(0, 2).map(({ id }) => id))
    expect(await list('group=other')).toMatchObject({ data: [], more_failures: 0 })
  })

  it('is bounded, and says how many failures it leaves out', async () => {
    const steps = Array.from({ length: 1_000 }, (_, index) => ({
      ...TEST,
      name: `test ${index}`,
      step_passed: false,
    }))
    const before = await record({ change: { steps } })
    const { data, more_failures: more } = await list(
      `ids=${await record({ change: { steps } })}&ids=${before}`,
    )
    expect([data.length, more]).toEqual([300, 1_700])
  })

  it('is refused without runs and without a group, and empty for runs that there are not', async () => {
    expect(await ask('GET', '/v2/verdicts')).toMatchObject({ status: 400 })
    expect(await list('ids=00000000-0000-4000-8000-000000000000')).toMatchObject({ data: [] })
  })

  it('leaves out what was deleted', async () => {
    const passed = await record({ adds: 'passed', variables: main('base') })
    const failed = await record()
    await get('DELETE', `/v2/runs?ids=${passed}`)
    expect(await verdictOf(failed)).toMatchObject({ verdict: 'first_seen' })
    await get('DELETE', `/v2/runs?ids=${failed}`)
    expect(await list(`ids=${failed}`)).toMatchObject({ data: [] })
  })

  it('is for station keys too', async () => {
    const station = await get<{ id: string }>('POST', '/v2/stations', { name: 'Bench' })
    const { key } = await get<IssuedKey>('POST', '/v2/keys', {
      kind: 'station',
      name: 'b',
      station_id: station.id,
    })
    const id = await record()
    const headers = { authorization: `Bearer ${key}` }
    expect((await server.send('GET', `/v2/verdicts?ids=${id}`, undefined, headers)).status).toBe(200)
  })
})
