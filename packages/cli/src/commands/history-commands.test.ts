import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failed, passed, type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService

beforeAll(async () => {
  service = await startRecordedService()
  const facts = { git_branch: 'main', git_author: 'Ada' }
  await service.createRun([passed('adds up'), failed('pays', 'expected 1 to be 4')], {
    startedAt: '2026-11-20T01:00:00.000Z',
    metadata: { ...facts, group: 'ci-1', git_commit: 'c1' },
  })
  await service.createRun([failed('adds up', 'socket hang up'), passed('pays')], {
    startedAt: '2026-11-20T02:00:00.000Z',
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
    expect((await service.run(['search', 'zzz'])).out).toBe('Nothing is found.\n')
  })
})
