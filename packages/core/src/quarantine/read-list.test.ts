import { createHash, createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { readList } from './read-list'

const KEY = 'rl_station_key'
const NOW_MS = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 60 * 60 * 1000
const CONTEXT = { apiKey: KEY, procedureId: 'FVT1', nowMs: NOW_MS }

const ENTRY = {
  id: 'q',
  project: null,
  file: 'a.test.ts',
  name: 'x',
  fingerprint: null,
  ends_at: '2026-12-01T00:00:00Z',
}

function sign(list: unknown, apiKey = KEY): { list: string; signature: string } {
  const text = typeof list === 'string' ? list : JSON.stringify(list)
  const key = createHash('sha256').update(apiKey).digest('base64url')
  return { list: text, signature: createHmac('sha256', key).update(text).digest('base64url') }
}

const listOf = (over: object = {}) => ({
  procedure_id: 'FVT1',
  issued_at: new Date(NOW_MS - HOUR_MS).toISOString(),
  entries: [ENTRY],
  ...over,
})

const issuedAgo = (ms: number) => sign(listOf({ issued_at: new Date(NOW_MS - ms).toISOString() }))

it('takes the signature of the protocol’s example', () => {
  const example = { list: '{"entries":[]}', signature: 'AI-52qocEmlrnjpARUamrO8ZLipn250S4WppI5QA4l0' }
  const apiKey = `rl_station_${'A'.repeat(43)}`
  expect(readList(example, { ...CONTEXT, apiKey })).toEqual({
    reason: 'the list of quarantined tests cannot be read',
  })
  expect(readList(example, CONTEXT)).toEqual({
    reason: 'the list of quarantined tests has a wrong signature',
  })
})

it('takes a list that is signed with its key, at most 24 hours old, on a clock that may be a little behind', () => {
  expect(readList(sign(listOf()), CONTEXT)).toEqual({ entries: [ENTRY], nowMs: NOW_MS })
  expect(readList(issuedAgo(24 * HOUR_MS), CONTEXT)).toHaveProperty('entries')
  expect(readList(issuedAgo(-60_000), CONTEXT)).toHaveProperty('entries')
})

const { signature } = sign(listOf())

it.each([
  ['of another key', sign(listOf(), 'rl_station_other'), 'has a wrong signature'],
  [
    'changed after it was signed',
    { list: JSON.stringify(listOf({ entries: [] })), signature },
    'has a wrong signature',
  ],
  [
    'with a signature that is cut',
    { ...sign(listOf()), signature: signature.slice(0, -2) },
    'has a wrong signature',
  ],
  ['without a signature', { list: JSON.stringify(listOf()), signature: '' }, 'has a wrong signature'],
  ['older than 24 hours', issuedAgo(24 * HOUR_MS + 1), 'is older than 24 hours'],
  ['of the future', issuedAgo(-HOUR_MS), 'is from the future'],
  ['of another procedure', sign(listOf({ procedure_id: 'FVT2' })), 'is that of another procedure'],
  ['that is no JSON', sign('{"entries": ['), 'cannot be read'],
  ['without a time', sign(listOf({ issued_at: undefined })), 'cannot be read'],
  ['with a time that is none', sign(listOf({ issued_at: 'soon' })), 'cannot be read'],
  [
    'with an entry that does not end',
    sign(listOf({ entries: [{ ...ENTRY, ends_at: 'never' }] })),
    'cannot be read',
  ],
  [
    'with an entry without a fingerprint',
    sign(listOf({ entries: [{ ...ENTRY, fingerprint: undefined }] })),
    'cannot be read',
  ],
  ['that is a page', '<!doctype html>', 'cannot be read'],
  ['that is nothing', undefined, 'cannot be read'],
])('refuses a list %s', (_, given, problem) => {
  expect(readList(given, CONTEXT)).toEqual({ reason: `the list of quarantined tests ${problem}` })
})
