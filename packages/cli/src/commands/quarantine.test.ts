import type { QuarantineEntry } from '@runledger/protocol'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { failed, passed, type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService
let fingerprint = ''

beforeAll(async () => {
  service = await startRecordedService()
  const startedAt = new Date(Date.now() - 3_600_000).toISOString()
  await service.createRun([failed('pays', 'off by \u001B[2J3'), failed('adds up', 'no'), passed('sorts')], {
    startedAt,
    metadata: { group: 'ci-1', git_branch: 'main' },
  })
  const { out } = await service.run(['test', 'pays', '--json'])
  fingerprint = (JSON.parse(out) as { errors: { fingerprint: string }[] }).errors[0]?.fingerprint ?? ''
})

afterAll(() => service.stop())

beforeEach(async () => {
  for (const { id } of await list()) await service.run(['quarantine', 'end', id])
})

const WHY = ['--owner', '@cart', '--reason', 'the scale\u001B[2J is slow', '--days', '7']

async function list(...more: string[]): Promise<QuarantineEntry[]> {
  const { out } = await service.run(['quarantine', '--json', ...more])
  return JSON.parse(out) as QuarantineEntry[]
}

async function add(test: string, ...more: string[]): Promise<QuarantineEntry> {
  const { out, err } = await service.run(['quarantine', 'add', test, ...WHY, ...more, '--json'])
  if (out === '') throw new Error(err)
  return JSON.parse(out) as QuarantineEntry
}

it('adds an entry by the beginning of its fingerprint, extends it and ends it by the beginning of its id', async () => {
  const entry = await add(
    'pays',
    '--error',
    fingerprint.slice(0, 8).toUpperCase(),
    '--link',
    'https://a.test/1',
  )
  expect(entry).toMatchObject({ fingerprint, owner: '@cart', link: 'https://a.test/1', is_live: true })
  const daysLeft = (Date.parse(entry.ends_at) - Date.now()) / 86_400_000
  expect(daysLeft).toBeGreaterThan(6.9)
  expect(daysLeft).toBeLessThanOrEqual(7)
  const extended = await service.run(['quarantine', 'extend', entry.id.slice(0, 8), '--days', '30'])
  expect(extended).toMatchObject({ code: 0, out: expect.stringContaining('In quarantine until') as string })
  expect(await list()).toMatchObject([{ id: entry.id, extended_by: 'Local user' }])
  expect((await service.run(['quarantine', 'end', entry.id.slice(0, 8)])).out).toContain(
    'No longer in quarantine: pays',
  )
  expect(await list()).toEqual([])
  expect(await list('--ended')).toMatchObject([{ id: entry.id, is_live: false }])
})

it('lists entries in a table that obeys no text of theirs and fits into a terminal', async () => {
  expect((await service.run(['quarantine'])).out).toBe('No test is in quarantine.\n')
  await add('pays', '--error', fingerprint)
  await add('adds up', '--any-error')
  const { out } = await service.run(['quarantine'], { columns: 120 })
  expect(out).not.toContain('\u001B')
  const [heads, ...rows] = out.trimEnd().split('\n')
  expect(heads).toMatch(/^Id +Until +Failures +Owner +Test/)
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatch(/adds up .*any error/)
  expect(rows[1]).toMatch(/pays .*off by/)
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
})

it('lists the errors of the test when none is named, or the name means none of them', async () => {
  const unnamed = await service.run(['quarantine', 'add', 'pays', ...WHY])
  expect(unnamed.code).toBe(1)
  expect(unnamed.err).toContain(`--any-error. Its errors:\n${fingerprint.slice(0, 12)}  off by`)
  expect(unnamed.err).not.toContain('\u001B')
  const unknown = await service.run(['quarantine', 'add', 'pays', ...WHY, '--error', 'zzz'])
  expect(unknown).toMatchObject({
    code: 1,
    err: expect.stringContaining('"zzz" means no error of "pays"') as string,
  })
  expect((await service.run(['quarantine', 'add', 'sorts', ...WHY])).err).toContain('none is on record')
  expect(await list()).toEqual([])
})

it.each([
  ['without an owner', ['add', 'pays', '--any-error', '--reason', 'x', '--days', '7']],
  ['without an end', ['add', 'pays', '--any-error', '--reason', 'x', '--owner', 'x']],
  [
    'for longer than 30 days',
    ['add', 'pays', '--any-error', '--reason', 'x', '--owner', 'x', '--days', '31'],
  ],
  ['for an error and for any', ['add', 'pays', '--any-error', '--error', 'a', ...WHY]],
  ['to extend without an end', ['extend', 'a']],
])('is a wrong command line %s', async (_what, argv) => {
  expect((await service.run(['quarantine', ...argv])).code).toBe(2)
})

it('fails for an entry that is not there, and for the same entry once more', async () => {
  expect(await service.run(['quarantine', 'end', 'zzz'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no live entry begins with "zzz"') as string,
  })
  await add('pays', '--any-error')
  const again = await service.run(['quarantine', 'add', 'pays', '--any-error', ...WHY])
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('already') as string })
})
