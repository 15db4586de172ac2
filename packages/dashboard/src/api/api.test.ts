import { formatQuery, type RunAttachment, type RunDetail } from '@runledger/protocol'
import { describe, expect, it } from 'vitest'
import { isArriving, keepAddresses } from './run-detail'
import { toRunsQuery } from './run-list'

const created = Date.parse('2026-11-20T09:30:00.000Z')
const MINUTE = 60_000

function attachment(id: string, address: string): RunAttachment {
  return {
    id,
    name: `${id}.png`,
    size: 1,
    content_type: 'image/png',
    is_report: false,
    download_url: address,
    open_url: null,
  }
}

function runWith(attachments: RunAttachment[], declared: string[] = []): RunDetail {
  const at = new Date(created).toISOString()
  const named = { id: 'x', number: 'x', name: 'x' }
  const absent = { docstring: null, created_by_user: null, created_by_station: null, operated_by: null }
  return {
    ...absent,
    id: 'r',
    created_at: at,
    started_at: at,
    ended_at: at,
    duration: 'PT0S',
    outcome: 'PASS',
    procedure: { ...named, identifier: 'FVT1', version: null },
    unit: {
      id: 'u',
      serial_number: 'u',
      sample: null,
      part: { ...named, revision: { ...named, image: null } },
      batch: null,
    },
    phases: [],
    attachments,
    declared_attachments: declared,
    logs: [],
    sub_units: [],
    metadata: {},
  }
}

it('asks for the runs that a filter lets through', () => {
  const filter = { group: 'a "b"', outcomes: ['FAIL' as const, 'ERROR' as const], words: 'SN 1' }
  const query = formatQuery(toRunsQuery(filter, { cursor: 50, limit: 50 }))
  const sent = new URLSearchParams(query)
  expect(sent.getAll('outcomes')).toEqual(['FAIL', 'ERROR'])
  expect(Object.fromEntries(sent)).toMatchObject({
    limit: '50',
    cursor: '50',
    include_metadata: 'true',
    search_query: 'SN 1',
    metadata: '{"group":{"in":["a \\"b\\""]}}',
  })
})

describe('download addresses', () => {
  const before = { run: runWith([attachment('a', '/a?sig=1')]), addressesAtMs: created }
  const next = runWith([attachment('a', '/a?sig=2'), attachment('b', '/b?sig=2')])
  const addresses = (nowMs: number) =>
    keepAddresses(before, next, nowMs).run.attachments.map((one) => one.download_url)

  it('stay while they are young, and new attachments bring theirs', () => {
    expect(addresses(created + MINUTE)).toEqual(['/a?sig=1', '/b?sig=2'])
  })

  it('are replaced long before they expire', () => {
    expect(addresses(created + 20 * MINUTE)).toEqual(['/a?sig=2', '/b?sig=2'])
    expect(keepAddresses(before, next, created + 20 * MINUTE).addressesAtMs).toBe(created + 20 * MINUTE)
  })
})

it('waits for missing attachments of a young run only', () => {
  const run = runWith([attachment('a', '/a')], ['a.png', 'b.png'])
  expect(isArriving(run, created + MINUTE)).toBe(true)
  expect(isArriving(run, created + 11 * MINUTE)).toBe(false)
  expect(isArriving(runWith([attachment('a', '/a')], ['a.png']), created + MINUTE)).toBe(false)
})
