import type { RunListItem } from '@runledger/protocol'
import { sumUpGroup } from '@runledger/presentation'
import { expect, it } from 'vitest'
import { mergePages } from './merge-pages'

function run(id: string, outcome: RunListItem['outcome'], more: Partial<RunListItem> = {}): RunListItem {
  const named = { id, number: id, name: id }
  return {
    id,
    outcome,
    created_at: '2026-11-20T09:30:09.000Z',
    started_at: '2026-11-20T09:30:00.000Z',
    ended_at: '2026-11-20T09:30:01.500Z',
    duration: 'PT1.5S',
    procedure: { id, identifier: 'FVT1', name: id, version: null },
    unit: {
      id,
      serial_number: id,
      sample: null,
      part: { ...named, revision: { ...named, image: null } },
      batch: null,
    },
    docstring: null,
    created_by_user: null,
    created_by_station: null,
    operated_by: null,
    ...more,
  }
}

it('shows a run once that slid from one page to the next', () => {
  const meta = { has_more: true, next_cursor: 2 }
  const pages = [
    { data: [run('c', 'PASS'), run('b', 'PASS')], meta },
    { data: [run('b', 'PASS'), run('a', 'PASS')], meta },
  ]
  expect(mergePages(pages).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
})

it('sums up outcomes, tests, frameworks and the time from first start to last end', () => {
  const jest = { framework: 'jest', framework_version: '30.5.2' }
  const runs = [
    run('a', 'PASS', { metadata: { ...jest, tests_passed: '3', tests_failed: '0', tests_flaky: '1' } }),
    run('b', 'FAIL', {
      started_at: '2026-11-20T10:29:58.000+01:00',
      ended_at: '2026-11-20T09:30:04.000Z',
      metadata: { ...jest, tests_passed: '2', tests_failed: '1', tests_skipped: 'x' },
    }),
    run('c', 'PASS'),
  ]
  expect(sumUpGroup(runs)).toMatchObject({
    runs: 3,
    outcomes: [
      { outcome: 'PASS', count: 2 },
      { outcome: 'FAIL', count: 1 },
    ],
    tests: { passed: 5, failed: 1, skipped: 0, flaky: 1 },
    frameworks: ['jest 30.5.2'],
    startedAt: '2026-11-20T10:29:58.000+01:00',
    spanUs: 6_000_000,
  })
})

it('lists the runs of a group that failed, were flaky, or took longest', () => {
  const runs = [
    run('late', 'ERROR', { started_at: '2026-11-20T09:30:02.000Z', duration: 'PT9S' }),
    run('flaky', 'PASS', { metadata: { tests_passed: '2', tests_flaky: '2' }, duration: 'PT20S' }),
    run('early', 'FAIL', { started_at: '2026-11-20T09:30:01.000Z', duration: 'PT0.5S' }),
    run('long', 'PASS', { duration: 'PT1M' }),
  ]
  const { failed, flaky, slowest } = sumUpGroup(runs)
  const ids = [failed, flaky, slowest].map((some) => some.map(({ id }) => id))
  expect(ids).toEqual([['early', 'late'], ['flaky'], ['long', 'flaky', 'late']])
  expect(sumUpGroup(runs.slice(1)).slowest).toEqual([])
})

it('counts no tests where no run says how many there were', () => {
  expect(sumUpGroup([run('a', 'ABORTED')]).tests).toBeUndefined()
})
