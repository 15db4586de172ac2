import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Builds, createClock, onTopic, shard } from '../testing/builds'
import { type Answer, type Change, startProxy } from '../testing/proxy'
import { failed, flaky, passed, type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService

beforeAll(async () => {
  service = await startRecordedService()
})

afterAll(() => service.stop())

const builds = new Builds(() => service)
const { record, gate } = builds
const proxies: { stop(): Promise<void> }[] = []

beforeEach(() => builds.startProject())
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.stop()
})

const failure = failed('pays', 'expected 1 to be 4')
const broken = { status: 500, body: '{}' }
const SOON = ['--wait', '10s']

/** Runs the gate behind a proxy that changes answers of the service. */
async function gateBehind(
  changes: Record<string, Change>,
  { argv = [], clock = createClock() }: { argv?: string[]; clock?: ReturnType<typeof createClock> } = {},
) {
  const proxy = await startProxy(service.url, changes)
  proxies.push(proxy)
  const env = { RUNLEDGER_URL: proxy.url, RUNLEDGER_API_KEY: service.apiKey, RUNLEDGER_MAX_RETRIES: '0' }
  return gate('b2', argv, { clock, env })
}

describe('known failures', () => {
  beforeEach(() => record('b1', [passed('adds up'), failure]))

  it.each(['ABORTED', 'ERROR', 'TIMEOUT'])(
    'do not excuse a run that ended as %s, because its other tests may not have run',
    async (outcome) => {
      await builds.recordAs(outcome, { build: 'b2', phases: [failure], metadata: onTopic })
      const { code, out } = await gate('b2')
      expect(code).toBe(1)
      expect(out).toContain('Gate failed: not known: not-compared\n')
      expect(out).toContain('2 failures: 1 not compared, 1 known')
      expect(out).toContain(`Not compared: src/${builds.project}.test.ts (${outcome.toLowerCase()})`)
      expect((await gate('b2', ['--allow', 'not-compared'])).code).toBe(0)
    },
  )

  it('do not excuse a run that failed outside of its tests', async () => {
    await record('b2', [failure], { ...onTopic, tests_failed: '1', errors_outside_tests: '0' })
    expect((await gate('b2')).code).toBe(0)
    await record('b3', [failure], { ...onTopic, tests_failed: '1', errors_outside_tests: '1' })
    expect(await gate('b3')).toMatchObject({
      code: 1,
      out: expect.stringContaining('--allow not-compared') as string,
    })
  })

  it('do not excuse a new failure that arrives while the build is read', async () => {
    await record('b2', [failure], onTopic)
    const { code, out } = await gateBehind({
      '/v2/verdicts': async (answer, call) => {
        if (call === 1) await record('b2', [failed('adds up', 'socket hang up')], onTopic)
        return answer
      },
    })
    expect([code, out]).toEqual([1, expect.stringContaining('New: adds up')])
  })

  it('are listed without their errors if necessary, but fail the gate without their verdicts', async () => {
    await record('b2', [failure], onTopic)
    const withoutErrors = await gateBehind({
      '/v2/builds/project': (answer, call) => (call === 2 ? broken : answer),
    })
    expect(withoutErrors).toMatchObject({ code: 0, out: expect.stringContaining('Known: pays') as string })
    const withoutVerdicts = { '/v2/verdicts': () => broken }
    for (const argv of [[], ['--allow', 'no-service']]) {
      const { code, out } = await gateBehind(withoutVerdicts, { argv: [...argv, ...SOON] })
      expect([code, out]).toEqual([1, expect.stringContaining('The build failed\n')])
    }
    const argv = ['--allow', 'no-service', '--allow', 'not-compared', ...SOON]
    expect((await gateBehind(withoutVerdicts, { argv })).code).toBe(0)
  })

  it('do not hide that the service leaves runs out', async () => {
    await record('b2', [failure], onTopic)
    const { code, out } = await gateBehind({
      '/v2/runs': (answer) => ({ ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), data: [] }) }),
    })
    expect([code, out]).toEqual([1, expect.stringContaining('1 more failure was not compared')])
  })
})

describe('a flaky test', () => {
  it('fails the gate if only its own branch shows that it is flaky, unless that is allowed', async () => {
    await record('b1', [passed('pays')])
    await record('b2', [flaky('pays', 'socket hang up')], onTopic)
    await record('b3', [failure], onTopic)
    const { code, out } = await gate('b3')
    expect(code).toBe(1)
    expect(out).toContain(`Flaky: pays (src/${builds.project}.test.ts, flaky): expected 1 to be 4`)
    expect(out).toContain('To let it pass: --allow flaky\n')
    expect((await gate('b3', ['--allow', 'flaky'])).code).toBe(0)
    expect((await gate('b3', ['--allow', 'no-basis'])).code).toBe(1)
  })

  it('passes if the default branch shows that it is flaky', async () => {
    await record('b1', [flaky('pays', 'socket hang up')])
    await record('b2', [passed('pays')])
    await record('b3', [failure], onTopic)
    expect(await gate('b3')).toMatchObject({ code: 0, out: expect.stringContaining('Known: pays') as string })
  })
})

it('a failure that only a laptop had on the default branch is not known', async () => {
  await record('b1', [failure], { ci: 'false' })
  await record('b2', [failure], onTopic)
  const { code, out } = await gate('b2')
  expect([code, out]).toEqual([1, expect.stringContaining('--allow no-basis')])
})

describe('a job that was run again', () => {
  const job = { ...onTopic, ci_job: 'test' }

  it('replaces nothing if its attempt is not a number', async () => {
    await record('b1', [passed('pays')])
    await record('b2', [failure], { ...job, ci_rerun: 'second' })
    await record('b2', [failure], { ...job, ci_rerun: 'second' })
    const { code, out } = await gate('b2')
    expect([code, out]).toEqual([1, expect.stringContaining('2 failures: 2 new')])
  })

  it('replaces all failures of its earlier attempt, even if there are many', async () => {
    const names = Array.from({ length: 301 }, (_, index) => `pays ${index}`)
    await record('b1', names.map(passed))
    await record(
      'b2',
      names.map((name) => failed(name, 'expected 1 to be 4')),
      job,
    )
    await record('b2', names.map(passed), { ...job, ci_rerun: '1' })
    expect((await gate('b2')).code).toBe(0)
  })
})

describe('slower tests', () => {
  const lasting = (seconds: number, name = 'pays') => ({
    ...passed(name),
    started_at: '2026-11-20T08:00:00.000Z',
    ended_at: new Date(Date.parse('2026-11-20T08:00:00.000Z') + seconds * 1000).toISOString(),
  })

  it('are not compared with runs outside of a CI', async () => {
    await record('b1', [lasting(1)])
    await record('laptop', [lasting(9)], { ci: 'false' })
    await record('b2', [lasting(2)], onTopic)
    const { code, out } = await gate('b2', ['--fail-on', 'slower'])
    expect([code, out]).toEqual([1, expect.stringContaining('2.00 s, before 1.00 s')])
  })

  it('do not include tests that are new, or did not pass at the first attempt in both builds', async () => {
    await record('b1', [lasting(1), failed('fails', 'expected 1 to be 4'), flaky('waits', 'socket hang up')])
    await record('b2', [lasting(1), lasting(1, 'fails'), lasting(1, 'waits'), lasting(1, 'comes')], onTopic)
    const { code, out } = await gate('b2', ['--fail-on', 'slower'])
    expect(code).toBe(0)
    expect(out).toContain(
      `Durations not compared with build ${builds.project} b1: 1 test failed in it, 1 test flaky in it\n`,
    )
    const json = await gate('b2', ['--fail-on', 'slower', '--json'])
    expect(JSON.parse(json.out)).toMatchObject({
      slower_note: expect.stringContaining('1 test flaky in it') as string,
      unknown: [],
    })
  })

  it('that the service cannot compare do not hide new failures', async () => {
    await record('b1', [passed('pays')])
    await record('b2', [failure], onTopic)
    const argv = ['--fail-on', 'new', '--fail-on', 'slower', ...SOON]
    const { code, out } = await gateBehind({ '/v2/comparison': () => broken }, { argv })
    expect(code).toBe(1)
    expect(out).toContain('Gate failed: 1 new failure; not known: no-service')
    expect(out).toContain('New: pays')
  })
})

describe('a build', () => {
  it('is read again when a run arrives while it is read', async () => {
    await record('b1', [passed('pays')])
    await record('b2', [passed('pays')], onTopic)
    const { code } = await gateBehind({
      '/v2/builds/project': async (answer, call) => {
        if (call === 1) await record('b2', [failure], onTopic)
        return answer
      },
    })
    expect(code).toBe(1)
  })

  it('is incomplete if it changes each time it is read', async () => {
    await record('b2', [passed('pays')])
    const changes = async (answer: Answer) => {
      await record('b2', [passed('pays')])
      return answer
    }
    const { code, out } = await gateBehind({ '/v2/builds/project': changes }, { argv: SOON })
    expect([code, out]).toEqual([1, expect.stringContaining('the build changes while the gate reads it')])
  })

  it('is read again until it no longer changes', async () => {
    await record('b2', [passed('pays')])
    const { code } = await gateBehind({
      '/v2/builds/project': async (answer, call) => {
        if (call < 9) await record('b2', [passed('pays')])
        return answer
      },
    })
    expect(code).toBe(0)
  })

  it.each(['/v2/builds/project', '/v2/verdicts', '/v2/runs'])(
    'is judged although the service fails for a while at %s',
    async (path) => {
      await record('b1', [failure])
      await record('b2', [failure], onTopic)
      for (const away of [broken, undefined]) {
        const { code, err } = await gateBehind({ [path]: (answer, call) => (call < 4 ? away : answer) })
        expect([code, err]).toEqual([0, expect.stringMatching(/^Waiting for build .*\n$/)])
      }
    },
  )

  it.each([401, 403, 404])('is not waited for when the service answers %i', async (status) => {
    await record('b2', [failure], onTopic)
    const clock = createClock(() => Promise.reject(new Error('It waits.')))
    const refuses = () => ({ status, body: '{}' })
    const { code } = await gateBehind({ '/v2/builds': refuses }, { clock })
    expect(code).toBe(1)
    const later = await gateBehind({ '/v2/verdicts': refuses }, { clock })
    expect([later.code, later.err]).toEqual([1, ''])
  })

  it('is still waited for when the service does not respond for a while', async () => {
    await record('b2', [passed('pays')], shard(1))
    let isAway = false
    const clock = createClock(async (ms) => {
      isAway = ms < 15_000
      if (ms === 10_000) await record('b2', [passed('pays')], shard(2))
    })
    const away: Change = (answer) => (isAway ? broken : answer)
    const { code, err } = await gateBehind({ '/v2/builds/project': away }, { clock })
    expect(code).toBe(0)
    expect(err).toMatch(/^Waiting for build .*: running: .*\nWaiting for build .* answered 500\n$/)
  })

  it('is judged as it was last read when the service is gone', async () => {
    await record('b2', [passed('pays')], shard(1))
    const { code, out } = await gateBehind({
      '/v2/builds/project': (answer, call) => (call > 1 ? broken : answer),
    })
    expect(code).toBe(1)
    expect(out).toContain(
      'Gate failed: not known: no-service, incomplete\nThe build still runs: shard 2 of 2',
    )
  })

  it('is not known to pass if all its tests were skipped', async () => {
    await record('b2', [{ name: 'pays', outcome: 'SKIP', kind: 'test' }])
    const { code, out } = await gate('b2')
    expect([code, out]).toEqual([1, expect.stringContaining('To let it pass: --allow no-tests\n')])
    expect((await gate('b2', ['--allow', 'no-tests'])).code).toBe(0)
  })

  it('is incomplete in an unknown state', async () => {
    await record('b2', [passed('pays')])
    const { code, out } = await gateBehind({
      '/v2/builds/project': (answer) => ({ ...answer, body: answer.body.replace('"passed"', '"held"') }),
    })
    expect([code, out]).toEqual([1, expect.stringContaining('--allow incomplete\n')])
  })

  it('must have the commit of the job if RUNLEDGER_GROUP names it', async () => {
    await record('b1', [passed('pays')])
    const job = {
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_SHA: 'b2',
      RUNLEDGER_GROUP: `${builds.project} b1`,
    }
    const { code, out } = await service.run(['gate'], { env: job })
    expect(code).toBe(1)
    expect(out).toContain(
      'Not known: the build is of commit b1, and this job of b2: another build may have the same group.',
    )
    expect((await service.run(['gate', '--allow', 'other-commit'], { env: job })).code).toBe(0)
    expect((await service.run(['gate'], { env: { ...job, GITHUB_SHA: 'b1' } })).code).toBe(0)
    expect((await service.run(['gate', `${builds.project} b1`], { env: job })).code).toBe(0)
  })
})

describe('a build without runs on record', () => {
  it('is not reported for a wrong address', async () => {
    const env = { RUNLEDGER_URL: `${service.url}/wrong`, RUNLEDGER_API_KEY: service.apiKey }
    const { code, out } = await gate('b2', ['--allow', 'no-build'], { env })
    expect([code, out]).toEqual([1, expect.stringContaining('--allow no-service\n')])
  })

  it.each([
    [404, '<html>not here</html>'],
    [404, '{"message":"no such route"}'],
    [200, 'null'],
    [200, '{}'],
  ])('is not reported if something other than the service answers %i %s', async (status, body) => {
    const { code, out } = await gateBehind(
      { '/v2/': () => ({ status, body }) },
      { argv: ['--allow', 'no-build'] },
    )
    expect([code, out]).toEqual([1, expect.stringContaining('--allow no-service\n')])
  })
})

describe('what is printed', () => {
  it('does nothing to a terminal or a CI, whatever names are on record', async () => {
    await record('b1', [passed('pays')])
    const name = 'pays \u001b[2J\u0007\r\nGate passed ##vso[task.complete result=Succeeded;]'
    await record('b2', [failed(name, '##[error]\u001b[31mno\u202e')], onTopic)
    const { code, out } = await gate('b2')
    expect(code).toBe(1)
    expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]|##/u)
    expect(out).not.toMatch(/^Gate passed/m)
    const json = await gate('b2', ['--json'])
    expect(json.out).not.toContain('##')
    expect(json.out).not.toContain('\u202e')
    expect(JSON.parse(json.out)).toMatchObject({ passed: false })
  })

  it.each([2, 3, 4])('has no command after %i number signs', async (count) => {
    const name = `pays ${'#'.repeat(count)}vso[task.complete result=Succeeded;]`
    await record('b2', [failed(name, 'expected 1 to be 4')])
    const { out } = await gate('b2')
    expect(out).toContain(`pays ${Array.from({ length: count }, () => '#').join(' ')}vso[`)
    const json = await gate('b2', ['--json'])
    expect(json.out).not.toContain('##')
    expect(JSON.parse(json.out)).toMatchObject({ failures: [{ name }] })
  })
})
