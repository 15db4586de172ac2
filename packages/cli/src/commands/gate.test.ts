import { findGroup, readCiFacts } from '@runledger/core/tools'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Builds, createClock, onTopic, shard } from '../testing/builds'
import { failed, passed, type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService

beforeAll(async () => {
  service = await startRecordedService()
})

afterAll(() => service.stop())

const START = Date.parse('2026-11-20T08:00:00.000Z')
const builds = new Builds(() => service)
const { record, gate } = builds

beforeEach(() => builds.startProject())

const elsewhere = (env: Record<string, string>, argv: string[] = []) =>
  service.run(['gate', 'b1', ...argv], { env, clock: createClock() })

describe('runledger gate', () => {
  it('passes a build that passed', async () => {
    await record('b1', [passed('pays')])
    expect(await gate('b1')).toEqual({
      code: 0,
      out: `Gate passed\nThe build passed\n  ${service.url}/runs?group=${builds.project}%20b1\n`,
      err: '',
    })
  })

  it('fails for a new failure, and says which, why and where', async () => {
    await record('b1', [passed('adds up'), passed('pays')])
    const id = await record(
      'b2',
      [passed('adds up'), failed('pays', '\n\u001b[31mexpected 1\u001b[0m\nto be 4')],
      onTopic,
    )
    const { code, out, err } = await gate('b2')
    expect({ code, err }).toEqual({ code: 1, err: '' })
    expect(out.split('\n')).toEqual([
      'Gate failed: 1 new failure',
      'The build failed',
      `  ${service.url}/runs?group=${builds.project}%20b2`,
      '1 failure: 1 new',
      `New: pays (src/${builds.project}.test.ts): expected 1`,
      `  ${service.url}/runs/${id}`,
      '',
    ])
  })

  it('accepts a failure that the default branch has, unless --fail-on any is given', async () => {
    await record('b1', [failed('pays', 'expected 1 to be 4')])
    await record('b2', [failed('pays', 'expected 1 to be 4')], onTopic)
    const known = await gate('b2')
    expect(known.code).toBe(0)
    expect(known.out).toMatch(/^Gate passed\nThe build failed\n.*\n1 failure: 1 known\n/)
    expect(known.out).toContain(
      `Known: pays (src/${builds.project}.test.ts, already failing): expected 1 to be 4`,
    )
    expect((await gate('b2', ['--fail-on', 'any'])).code).toBe(1)
    expect((await gate('b2', ['--fail-on', 'new', '--fail-on', 'any'])).code).toBe(1)
  })

  it('finds a new failure among known ones in any shard', async () => {
    await record('b1', [passed('adds up'), failed('pays', 'expected 1 to be 4')])
    await record('b2', [failed('pays', 'expected 1 to be 4')], { ...onTopic, ...shard(1) })
    await record('b2', [failed('adds up', 'socket hang up')], { ...onTopic, ...shard(2) })
    const { code, out } = await gate('b2')
    expect(code).toBe(1)
    expect(out).toContain('2 failures: 1 new, 1 known')
  })

  it('prints JSON', async () => {
    await record('b1', [passed('pays')])
    const id = await record('b2', [failed('pays', 'expected 1 to be 4')], onTopic)
    const { code, out } = await gate('b2', ['--json'])
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      passed: false,
      build: { group: `${builds.project} b2`, state: 'failed' },
      failures: [{ kind: 'new', verdict: 'new', name: 'pays', error: 'expected 1 to be 4', run_id: id }],
      slower: [],
      unknown: [],
    })
  })
})

describe('the build', () => {
  it('is that of RUNLEDGER_GROUP, else that of the CI job', async () => {
    await record('b1', [passed('pays')])
    const named = await service.run(['gate'], { env: { RUNLEDGER_GROUP: `${builds.project} b1` } })
    expect(named).toMatchObject({ code: 0, err: '' })
    const env = {
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_RUN_ID: builds.project,
    }
    const group = findGroup(undefined, await readCiFacts(env, service.folder)) ?? ''
    await record('b2', [failed('pays', 'expected 1 to be 4')], { group })
    const ofJob = await service.run(['gate', '--json'], { env })
    expect(ofJob.code).toBe(1)
    expect(JSON.parse(ofJob.out)).toMatchObject({ build: { group } })
  })

  it('must be named outside of a CI', async () => {
    const { code, err } = await service.run(['gate'])
    expect([code, err]).toEqual([2, expect.stringContaining('RUNLEDGER_GROUP')])
  })
})

describe('slower tests', () => {
  const lasting = (seconds: number) => ({
    ...passed('pays'),
    started_at: '2026-11-20T08:00:00.000Z',
    ended_at: new Date(START + seconds * 1000).toISOString(),
  })

  it('fail the gate with --fail-on slower, compared with the last build of the default branch', async () => {
    await record('b1', [lasting(1)])
    await record('b2', [lasting(2)], onTopic)
    expect((await gate('b2')).code).toBe(0)
    const { code, out } = await gate('b2', ['--fail-on', 'slower'])
    expect(code).toBe(1)
    expect(out).toContain('Gate failed: 1 slower test\nThe build passed\n')
    expect(out).toContain(`Slower: pays (src/${builds.project}.test.ts): 2.00 s, before 1.00 s`)
    await record('b3', [lasting(1)], onTopic)
    expect((await gate('b3', ['--fail-on', 'slower'])).code).toBe(0)
  })

  it('are not compared with an incomplete build, and fail the gate without another one', async () => {
    await record('b1', [lasting(1)], shard(1))
    await record('b2', [lasting(1)], onTopic)
    const { code, out } = await gate('b2', ['--fail-on', 'slower'])
    expect(code).toBe(1)
    expect(out).toContain(`${builds.project}-main has no build before this one to compare with`)
    expect((await gate('b2', ['--fail-on', 'slower', '--allow', 'no-duration'])).code).toBe(0)
    await record('b3', [lasting(1)], { ...onTopic, git_default_branch: '' })
    expect((await gate('b3', ['--fail-on', 'slower'])).out).toContain('RUNLEDGER_DEFAULT_BRANCH')
  })
})

describe('a build that still runs', () => {
  it('is waited for, and fails the gate when the time is over', async () => {
    await record('b1', [passed('pays')], shard(1))
    const { code, out, err } = await gate('b1', ['--wait', '12s'])
    expect(code).toBe(1)
    expect(err).toBe(`Waiting for build ${builds.project} b1: running: shard 2 of 2 has not reported\n`)
    expect(out).toContain(
      'Gate failed: not known: incomplete\nThe build still runs: shard 2 of 2 has not reported\n',
    )
    expect(out).toContain(
      'Not known: the build is running: shard 2 of 2 has not reported. To let it pass: --allow incomplete\n',
    )
    const allowed = await gate('b1', ['--wait', '0', '--allow', 'incomplete'])
    expect(allowed.code).toBe(0)
    expect(allowed.out).toContain('Allowed by --allow incomplete: the build is running')
    expect(allowed.err).toBe('')
  })

  it.each([
    ['passes', passed('pays'), 0],
    ['fails', failed('pays', 'expected 1 to be 4'), 1],
  ])('is judged with a shard that arrives meanwhile and %s', async (_what, result, code) => {
    await record('b0', [passed('pays')])
    await record('b1', [passed('adds up')], { ...onTopic, ...shard(1) })
    const times: number[] = []
    const clock = createClock(async (ms) => {
      times.push(ms)
      if (times.length === 3) await record('b1', [result], { ...onTopic, ...shard(2) })
    })
    expect((await gate('b1', [], { clock })).code).toBe(code)
    expect(times).toEqual([5_000, 10_000, 15_000])
  })

  it('still fails for a new failure if incomplete is allowed', async () => {
    await record('b0', [passed('pays')])
    await record('b1', [failed('pays', 'expected 1 to be 4')], { ...onTopic, ...shard(1) })
    expect((await gate('b1', ['--allow', 'incomplete'])).code).toBe(1)
    expect((await gate('b1', ['--fail-on', 'incomplete'])).code).toBe(1)
  })

  it('is the only criterion with --fail-on incomplete', async () => {
    await record('b0', [passed('pays')])
    await record('b1', [failed('pays', 'expected 1 to be 4')], onTopic)
    expect((await gate('b1', ['--fail-on', 'incomplete'])).code).toBe(0)
  })
})

/** Errors that differ only in a number count as one error, which would make the build an infrastructure build. */
function spell(index: number): string {
  return [...String(index)].map((digit) => 'ghijklmnop'[Number(digit)]).join('')
}

describe('an unknown fact fails the gate unless it is allowed', () => {
  it('no run of the build on record', async () => {
    const times: number[] = []
    const { code, out } = await gate('b1', [], { clock: createClock(async (ms) => void times.push(ms)) })
    expect(code).toBe(1)
    expect(out).toBe(
      `Gate failed: not known: no-build\nNot known: nothing of the build ${builds.project} b1 is on record. To let it pass: --allow no-build\n`,
    )
    expect(times.at(-1)).toBe(300_000)
    expect((await gate('b1', ['--allow', 'no-build'])).code).toBe(0)
    expect((await gate('b1', ['--allow', 'incomplete'])).code).toBe(1)
  })

  it('a build that is not on record yet, for which the gate waits', async () => {
    const clock = createClock(() => record('b1', [passed('pays')]))
    expect((await gate('b1', [], { clock })).code).toBe(0)
  })

  it('a failure of a test without earlier results', async () => {
    await record('b1', [failed('pays', 'expected 1 to be 4')], onTopic)
    const { code, out } = await gate('b1')
    expect(code).toBe(1)
    expect(out).toContain(`No basis: pays (src/${builds.project}.test.ts, first seen): expected 1 to be 4`)
    expect(out).toContain('To let it pass: --allow no-basis')
    expect((await gate('b1', ['--allow', 'no-basis'])).code).toBe(0)
  })

  it('a failure that only its own branch shows, even several times', async () => {
    for (const build of ['b1', 'b2', 'b3'])
      await record(build, [failed('pays', 'expected 1 to be 4')], onTopic)
    const { code, out } = await gate('b3')
    expect(code).toBe(1)
    expect(out).toContain(`No basis: pays (src/${builds.project}.test.ts, already failing)`)
  })

  it('failures compared only with their own branch, because the default branch is not known', async () => {
    const unknown = { git_default_branch: '' }
    for (const build of ['b1', 'b2']) await record(build, [failed('pays', 'expected 1 to be 4')], unknown)
    const { code, out } = await gate('b2')
    expect([code, out]).toEqual([1, expect.stringContaining('RUNLEDGER_DEFAULT_BRANCH')])
  })

  it('a run that failed without a failed test', async () => {
    await record('b1', [passed('pays')])
    await builds.recordAs('FAIL', { build: 'b2', phases: [passed('pays')], metadata: onTopic })
    const { code, out } = await gate('b2')
    expect(code).toBe(1)
    expect(out).toContain('1 failure: 1 not compared\n')
    expect(out).toContain(`Not compared: src/${builds.project}.test.ts\n`)
    expect((await gate('b2', ['--allow', 'not-compared'])).code).toBe(0)
    expect((await gate('b2', ['--allow', 'not-compared', '--fail-on', 'any'])).code).toBe(1)
  })

  it('failures beyond those that the service compares', async () => {
    const tests = Array.from({ length: 401 }, (_, index) => ({ name: `pays ${index}`, error: spell(index) }))
    const failing = tests.slice(0, 301).map(({ name, error }) => failed(name, error))
    const passing = tests.slice(301).map(({ name }) => passed(name))
    await record('b1', [...failing, ...passing])
    await record('b2', [...failing, ...passing], onTopic)
    const { code, out } = await gate('b2')
    expect(code).toBe(1)
    expect(out).toContain('301 failures: 1 not compared, 300 known')
    expect(out).toContain('Known: 290 more\n')
    expect(out).toContain('Not known: 1 more failure was not compared.')
  })

  it('a service that does not respond', async () => {
    const env = { RUNLEDGER_URL: 'http://127.0.0.1:9', RUNLEDGER_API_KEY: 'rl_user_0123456789' }
    const { code, out } = await elsewhere(env)
    expect(code).toBe(1)
    expect(out).toMatch(
      /^Gate failed: not known: no-service\nNot known: no response from .*ECONNREFUSED.* --allow no-service\n$/,
    )
    expect((await elsewhere(env, ['--allow', 'no-service'])).code).toBe(0)
    const json = await elsewhere(env, ['--json'])
    expect(JSON.parse(json.out)).toMatchObject({
      passed: false,
      build: null,
      unknown: [{ name: 'no-service', allowed: false }],
    })
  })

  it.each([
    [500, '{}', 'no-service'],
    [200, 'hello', 'no-service'],
  ])('a service that answers %i %s', async (status, body, name) => {
    const broken = createServer((_request, response) => response.writeHead(status).end(body)).listen(
      0,
      '127.0.0.1',
    )
    await once(broken, 'listening')
    const { port } = broken.address() as AddressInfo
    const env = {
      RUNLEDGER_URL: `http://127.0.0.1:${port}`,
      RUNLEDGER_API_KEY: 'rl_user_0123456789',
      RUNLEDGER_MAX_RETRIES: '0',
    }
    const { code, out } = await elsewhere(env)
    expect([code, out]).toEqual([1, expect.stringContaining(`--allow ${name}\n`)])
    broken.close()
  })

  it.each([
    [429, '0', /^$/],
    [503, '0', /^$/],
    [429, '10s', /^Waiting for build b1: /],
    [503, '10s', /^Waiting for build b1: /],
  ])(
    'a service that answers %i and asks to wait longer than --wait %s',
    async (status, wait, told) => {
      const busy = createServer((_, response) =>
        response.writeHead(status, { 'retry-after': '300' }).end('{}'),
      )
      await once(busy.listen(0, '127.0.0.1'), 'listening')
      const { port } = busy.address() as AddressInfo
      const env = { RUNLEDGER_URL: `http://127.0.0.1:${port}`, RUNLEDGER_API_KEY: 'rl_user_0123456789' }
      const { code, out, err } = await elsewhere(env, ['--wait', wait])
      busy.close()
      expect([code, out]).toEqual([1, expect.stringContaining('--allow no-service\n')])
      expect(err).toMatch(told)
    },
    15_000,
  )

  it('a key that is missing or wrong, which is never printed', async () => {
    const wrong = await elsewhere({
      RUNLEDGER_URL: service.url,
      RUNLEDGER_API_KEY: 'rl_user_0123456789wrong',
    })
    expect(wrong.code).toBe(1)
    expect(wrong.out).toMatch(
      /^Gate failed: not known: no-key\nNot known: GET .* answered 401.* --allow no-key\n$/,
    )
    expect(wrong.out + wrong.err).not.toContain('0123456789wrong')
    const missing = { RUNLEDGER_URL: 'http://127.0.0.1:9' }
    expect(await elsewhere(missing)).toMatchObject({
      code: 1,
      out: 'Gate failed: not known: no-key\nNot known: no key is set: set RUNLEDGER_API_KEY. To let it pass: --allow no-key\n',
    })
    expect((await elsewhere(missing, ['--allow', 'no-key'])).code).toBe(0)
    expect((await elsewhere(missing, ['--allow', 'no-service'])).code).toBe(1)
  })
})

describe('a job that was run again', () => {
  const job = { ...onTopic, ci_job: 'test', os: 'linux 6.8.0-45-generic x64', node: 'v22.13.0' }
  const again = { ...job, os: 'linux 6.8.0-47-generic x64', ci_rerun: '1' }

  beforeEach(() => record('b1', [passed('pays')]))

  it('counts in place of its earlier attempt, whether it passes or fails', async () => {
    await record('b2', [failed('pays', 'socket hang up')], job)
    await record('b2', [passed('pays')], again)
    const { code, out } = await gate('b2')
    expect(code).toBe(0)
    expect(out).toContain('Not counted: 1 failed run of jobs that were run again\n')
    expect((await gate('b2', ['--fail-on', 'any'])).code).toBe(0)
    await record('b2', [failed('pays', 'socket hang up')], { ...again, ci_rerun: '2' })
    expect((await gate('b2', ['--fail-on', 'any'])).code).toBe(1)
  })

  it('does not count for other jobs, shards and machines', async () => {
    await record('b2', [failed('pays', 'socket hang up')], job)
    for (const other of [{ ci_job: 'lint' }, { node: 'v24.1.0' }, { framework: 'jest', shard: '1/1' }])
      await record('b2', [passed('pays')], { ...again, ...other })
    expect((await gate('b2')).code).toBe(1)
  })

  it('does not count for two jobs that the record does not distinguish', async () => {
    for (let database = 0; database < 2; database += 1)
      await record('b2', [failed('pays', 'socket hang up')], job)
    await record('b2', [passed('pays')], again)
    expect((await gate('b2')).code).toBe(1)
    await record('b2', [passed('pays')], again)
    expect((await gate('b2')).code).toBe(0)
  })
})
