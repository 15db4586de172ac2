import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  failed,
  flaky,
  passed,
  repeated,
  type RecordedService,
  startRecordedService,
} from '../testing/record'

let service: RecordedService
let [first, second, third] = ['', '', '']

beforeAll(async () => {
  service = await startRecordedService()
  const startedAt = (hour: number) => `2026-11-20T0${hour}:00:00.000Z`
  const main = { git_branch: 'main', git_default_branch: 'main', ci: 'true' }
  first = await service.createRun(
    [passed('adds up'), failed('pays', '\u001b[31mexpected 1 to be 4\u001b[0m')],
    {
      startedAt: startedAt(1),
      metadata: { ...main, group: 'ci-1', git_commit: 'c1' },
    },
  )
  second = await service.createRun([flaky('adds up', 'socket hang up'), repeated('pays')], {
    startedAt: startedAt(2),
    metadata: { ...main, group: 'ci-2', git_commit: 'c2' },
  })
  third = await service.createRun([passed('adds up'), failed('pays', 'expected 3 to be 4')], {
    startedAt: startedAt(3),
    metadata: { ...main, git_branch: 'topic', group: 'ci-3', git_commit: 'c3' },
  })
})

afterAll(() => service.stop())

async function readJson(argv: string[]): Promise<{ data: Record<string, unknown>[]; meta: unknown }> {
  const { out, err } = await service.run([...argv, '--json'])
  expect(err).toBe('')
  return JSON.parse(out) as { data: Record<string, unknown>[]; meta: unknown }
}

describe('runledger runs', () => {
  it('lists runs with file, outcome, branch and first error, newest first', async () => {
    const { code, out, err } = await service.run(['runs'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [head, ...rows] = out.trimEnd().split('\n')
    expect(head?.split(/  +/)).toEqual(['Run', 'Started', 'Outcome', 'File', 'Branch', 'First error'])
    expect(rows.map((row) => row.split(/  +/).filter((_, column) => column !== 1))).toEqual([
      [third, 'Failed', 'src/cart.test.ts', 'topic', 'expected 3 to be 4'],
      [second, 'Passed', 'src/cart.test.ts', 'main'],
      [first, 'Failed', 'src/cart.test.ts', 'main', 'expected 1 to be 4'],
    ])
  })

  it('says of a group what has become of the build', async () => {
    expect((await service.run(['runs', '--group', 'ci-2'])).out).toMatch(/^Build passed\nRun /)
    const { build } = (await readJson(['runs', '--group', 'ci-1'])) as unknown as { build: unknown }
    expect(build).toMatchObject({ group: 'ci-1', state: 'failed', missing: [] })
  })

  it('fits into a terminal', async () => {
    const { out } = await service.run(['runs'], { columns: 72 })
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(72)
    expect(out).toContain(third.slice(0, 8))
    expect(out).not.toContain(third)
    expect(out).toMatch(/^[\da-f]{8} .*cart\.test\.ts +topic\n {2}expected 3 to be 4\n/m)
  })

  it.each([
    [['--branch', 'topic', '--branch', 'other'], () => [third]],
    [['--outcome', 'passed'], () => [second]],
    [['--outcome', 'PASS', '--outcome', 'fail'], () => [third, second, first]],
    [['--group', 'ci-1'], () => [first]],
    [['--search', 'CI-2'], () => [second]],
    [['--since', '2026-11-20T01:30:00Z'], () => [third, second]],
    [['--procedure', 'unknown'], () => []],
    [['--branch', 'main', '--outcome', 'fail'], () => [first]],
  ])('filters by %j', async (flags, ids) => {
    const { data } = await readJson(['runs', ...flags])
    expect(data.map(({ id }) => id)).toEqual(ids())
  })

  it('goes on page by page', async () => {
    const page = await service.run(['runs', '--limit', '2'])
    const [, cursor = ''] = /^More: --cursor (\d+)$/m.exec(page.err) ?? []
    const { data, meta } = await readJson(['runs', '--limit', '2', '--cursor', cursor])
    expect([data.map(({ id }) => id), meta]).toEqual([[first], { has_more: false, next_cursor: null }])
  })

  it('says when there is nothing, and refuses what makes no sense', async () => {
    expect(await service.run(['runs', '--branch', 'none'])).toEqual({
      code: 0,
      out: 'No runs found.\n',
      err: '',
    })
    for (const [flag, value] of [
      ['--limit', '101'],
      ['--outcome', 'green'],
      ['--since', 'yesterday'],
      ['--cursor', 'x'],
    ] as const) {
      const { code, err } = await service.run(['runs', flag, value])
      expect(code).toBe(2)
      expect(err).toMatch(new RegExp(`'${flag} <\\w+>' argument '${value}' is invalid`))
    }
    const refused = await service.run(['runs'], {
      env: { RUNLEDGER_API_KEY: 'rl_user_wrong', RUNLEDGER_URL: service.url },
    })
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('401') as unknown })
    expect(refused.err).not.toContain('rl_user_wrong')
  })
})

describe('runledger run', () => {
  it('says why a run failed and whether that is new, by the beginning of its id', async () => {
    const { code, out } = await service.run(['run', third.slice(0, 8)])
    expect(code).toBe(0)
    expect(out).toContain('## Why it failed\n\n### Failed: `pays`')
    expect(out).toContain('```\nexpected 3 to be 4\n```')
    expect(out.split('\n').slice(0, 5)).toContain('- 1 failure: new')
    expect(out).toMatch(new RegExp(`\\*\\*New\\*\\* · passed .*: commit \\[\`c2\`\\]\\(.*/runs/${second}\\)`))
  })

  it('keeps the indentation of code', async () => {
    const id = await service.createRun([failed('is indented', 'if (a) {\n\t\tb()\n    c()')], {
      metadata: { git_branch: 'code' },
    })
    expect((await service.run(['run', id])).out).toContain('if (a) {\n\t\tb()\n    c()\n')
  })

  it('prints the record and the verdicts as JSON', async () => {
    const { out } = await service.run(['run', first, '--json'])
    expect(JSON.parse(out)).toMatchObject({
      run: { id: first, phases: [{ name: 'adds up' }, { name: 'pays' }] },
      verdicts: { data: [{ run_id: first, name: 'pays', verdict: 'first_seen' }] },
    })
  })

  it.each(['00000000', '00000000-0000-4000-8000-000000000000', '..', 'src/cart'])(
    'knows no run "%s"',
    async (id) => {
      const { code, out, err } = await service.run(['run', id])
      expect([code, out, err]).toEqual([
        1,
        '',
        expect.stringMatching(/^runledger: there is no run whose id .*\n$/),
      ])
    },
  )
})

describe('runledger errors', () => {
  it('lists errors that are the same as one, with their runs and tests', async () => {
    const { out } = await service.run(['errors', '--search', 'to be 4'])
    const [, row = ''] = out.split('\n')
    const cells = row.split(/  +/)
    expect([...cells.slice(0, 2), ...cells.slice(4)]).toEqual([
      '2',
      '1',
      third,
      'expected 3 to be 4',
      'pays',
      'topic, main',
    ])
  })

  it('counts in the runs that the filters leave', async () => {
    const { data } = await readJson(['errors', '--branch', 'main', '--group', 'ci-1'])
    expect(data).toMatchObject([{ count: 1, last_run: { id: first } }])
    expect((await service.run(['errors', '--search', 'nothing'])).out).toBe('No errors found.\n')
  })
})

it('runs names the packages where those of several are listed, and has room for their errors', async () => {
  const own = await startRecordedService()
  const error = 'the total of the cart is expected to be 4 and not 3'
  const metadata = (name: string) => ({ package: name, git_branch: 'packages' })
  await own.createRun([failed('pays', error)], { metadata: metadata('cart') })
  expect((await own.run(['runs', '--branch', 'packages'])).out).not.toContain('Package')
  await own.createRun([passed('pays')], { metadata: metadata('shop') })
  const { out } = await own.run(['runs', '--branch', 'packages'], { columns: 80 })
  expect(out.split('\n')[0]?.split(/ +/)).toContain('Package')
  expect(out).toMatch(/Failed +cart /)
  expect(out).toContain(`\n  ${error}\n`)
  await own.stop()
})
