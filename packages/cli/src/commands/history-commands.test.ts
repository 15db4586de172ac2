import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failed, passed, type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
let failedRun = ''

beforeAll(async () => {
  service = await startRecordedService()
  const facts = { git_branch: 'main', git_author: 'Ada' }
  await service.createRun([passed('adds up'), failed('pays', 'expected 1 to be 4')], {
    startedAt: hoursAgo(2),
    metadata: { ...facts, group: 'ci-1', git_commit: 'c1' },
  })
  failedRun = await service.createRun([failed('adds up', 'socket hang up'), passed('pays')], {
    startedAt: hoursAgo(1),
    metadata: { ...facts, git_branch: 'topic', group: 'ci-2', git_commit: 'c2' },
  })
})

afterAll(() => service.stop())

const split = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((row) => row.split(/  +/))

describe('runledger builds', () => {
  it('lists builds with counts, branch, commit and author, newest first', async () => {
    const { code, out, err } = await service.run(['builds'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [, ...rows] = split(out)
    expect(rows.map((row) => row.filter((_, column) => column !== 4))).toEqual([
      ['failed', '1', '1', '0', 'ci-2', 'topic', 'c2', 'Ada'],
      ['failed', '1', '1', '0', 'ci-1', 'main', 'c1', 'Ada'],
    ])
  })

  it('continues after the previous page', async () => {
    const first = await service.run(['builds', '--limit', '1'])
    const [, cursor = ''] = /^More: --cursor (\d+)$/m.exec(first.err) ?? []
    const { out, err } = await service.run(['builds', '--limit', '1', '--cursor', cursor])
    expect(err).toBe('')
    expect(out).toContain('ci-1')
  })

  it('fits into a terminal', async () => {
    const { out } = await service.run(['builds'], { columns: 80 })
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('prints JSON of a branch', async () => {
    const { out } = await service.run(['builds', '--branch', 'topic', '--json'])
    expect(JSON.parse(out)).toMatchObject({ data: [{ group: 'ci-2' }], meta: { has_more: false } })
  })
})

describe('runledger compare', () => {
  it.each([
    ['builds', ['ci-1', 'ci-2']],
    ['branches', ['main', 'topic', '--branches']],
  ])('says which tests differ between two %s', async (_what, argv) => {
    const { code, out } = await service.run(['compare', ...argv])
    expect(code).toBe(0)
    expect(out).toContain('Base ci-1 · main · c1 · Ada\nHead ci-2 · topic · c2 · Ada\n')
    const rows = split(out).slice(3)
    expect(rows.map(([what, , , test]) => [what, test])).toEqual([
      ['newly failing', 'adds up'],
      ['fixed', 'pays'],
    ])
  })

  it('fails if there is no such build', async () => {
    const { code, err } = await service.run(['compare', 'ci-1', 'ci-9'])
    expect(code).toBe(1)
    expect(err).toContain('ci-9')
  })
})

describe('runledger search', () => {
  it('lists records whose name contains the text', async () => {
    const { out } = await service.run(['search', 'TOPIC'])
    expect(split(out)).toContainEqual(['branch', 'topic', 'topic'])
    expect((await service.run(['search', 'zzz'])).out).toBe('Nothing found.\n')
  })
})

describe('runledger tests', () => {
  it('lists tests with rates, their intervals and the sample, and says what they count', async () => {
    const { code, out, err } = await service.run(['tests', '--sort', 'failing'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const rows = split(out).slice(1, 3)
    expect(rows.map((row) => row.slice(1, 4))).toEqual([
      ['50 % (9.5–91)', '0 % (0–66)', '2'],
      ['50 % (9.5–91)', '0 % (0–66)', '2'],
    ])
    expect(out).toContain('Failed: first attempts that failed')
  })

  it('filters, sorts and prints JSON', async () => {
    const { out } = await service.run(['tests', '--branch', 'main', '--search', 'PAYS', '--json'])
    expect(JSON.parse(out)).toMatchObject({
      data: [{ name: 'pays', failures: { count: 1, of: 1 } }],
      meta: { total: 1 },
    })
    expect((await service.run(['tests', '--owner', 'nobody'])).out).toBe(
      'No test is found with results in the period.\n',
    )
    expect((await service.run(['tests', '--sort', 'worst'])).code).toBe(2)
  })
})

describe('runledger test', () => {
  it('prints one test over time, found by a part of its name', async () => {
    const { code, out } = await service.run(['test', 'pays', '--branch', 'main'])
    expect(code).toBe(0)
    expect(out).toContain('Results of branch `main`: 1 counted.')
    expect(out).toContain('expected 1 to be 4')
  })

  it('prints JSON, and refuses a name of several tests or of none', async () => {
    const { out } = await service.run(['test', 'adds up', '--json'])
    expect(JSON.parse(out)).toMatchObject({ name: 'adds up', results: 2 })
    expect((await service.run(['test', 'a'])).err).toContain('means several tests')
    expect((await service.run(['test', 'zzz'])).err).toContain('no test with "zzz"')
  })
})

describe('runledger explain', () => {
  it.each([
    ['a run', () => [failedRun]],
    ['the beginning of its id', () => [failedRun.slice(0, 8)]],
    ['its address', () => [`${service.url}/runs/${failedRun}#step-0`]],
    ['a test by its name', () => ['adds up']],
    ['a branch', () => ['--branch', 'topic']],
    ['a build', () => ['--group', 'ci-2']],
    ['the last build', () => []],
  ])('explains %s', async (_what, argv) => {
    const { code, out, err } = await service.run(['explain', ...argv()], { env: {} })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('socket hang up')
    expect(out).toContain(`/runs/${failedRun}#step-0`)
  })

  it('explains the build of this CI job', async () => {
    const { out } = await service.run(['explain', '--json'], { env: { RUNLEDGER_GROUP: 'ci-1' } })
    expect(JSON.parse(out)).toMatchObject({ build: { group: 'ci-1' }, failures: [{ name: 'pays' }] })
  })

  it('fails if there is no such failure', async () => {
    const { code, err } = await service.run(['explain', 'zzz'])
    expect([code, err]).toEqual([1, expect.stringContaining('zzz')])
  })
})
