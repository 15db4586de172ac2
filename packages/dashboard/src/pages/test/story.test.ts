import type { BuildReference, FailingRow, TestSegment } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { describeStory } from './story'

function build(group: number): BuildReference {
  return {
    group: String(group),
    branch: 'main',
    commit: null,
    author: null,
    started_at: '2026-11-20T09:30:00Z',
  }
}

function segment(
  state: TestSegment['state'],
  first: number,
  last: number,
  interval?: [number, number],
): TestSegment {
  return {
    state,
    first_build: build(first),
    last_build: build(last),
    earliest_first_build: interval ? build(interval[0]) : null,
    latest_first_build: interval ? build(interval[1]) : null,
    builds: last - first + 1,
    failures: { count: state === 'flaky' ? 1 : 0, of: 9, rate: 0, low: 0, high: 0.1 },
  }
}

function read(segments: TestSegment[], rows: FailingRow[] = []): string {
  return describeStory(segments, rows)
    .map((part) => (typeof part === 'string' ? part : 'near' in part ? part.near.group : part.group))
    .join('')
}

it('names the last green build, the one that broke it, and the one that fixed it', () => {
  const healthy = segment('healthy', 1700, 1740)
  const broken = segment('broken', 1742, 1746, [1742, 1742])
  expect(read([healthy, broken, segment('healthy', 1748, 1800, [1748, 1748])])).toBe(
    'Last green 1740, broken at 1742, fixed by 1748.',
  )
  expect(read([healthy, broken])).toBe('Last green 1740, broken at 1742, and broken since then.')
  expect(read([broken])).toBe('Broken since the first build on record, 1742, and broken since then.')
})

it('says between which builds it broke where no single one is known', () => {
  const broken = segment('broken', 1742, 1746, [1741, 1744])
  expect(read([segment('healthy', 1700, 1740), broken])).toBe(
    'Last green 1740, broken at 1742 (99 % sure between 1741 and 1744), and broken since then.',
  )
})

it('calls a test fixed that passed since, though too seldom to be called healthy', () => {
  const broken = segment('broken', 2, 4, [2, 2])
  expect(read([segment('unknown', 0, 1), broken, segment('unknown', 5, 9, [5, 5])])).toBe(
    'Last green 1, broken at 2, fixed by 5.',
  )
  expect(read([segment('unknown', 0, 9)])).toBe('Green since the first build on record, 0.')
})

it('does not call a test fixed that is flaky since', () => {
  const broken = segment('broken', 2, 4, [2, 2])
  expect(read([segment('healthy', 0, 1), broken, segment('flaky', 5, 9, [5, 5])])).toBe(
    'Last green 1, broken at 2, flaky since 5.',
  )
})

it('describes a test that never broke', () => {
  expect(read([])).toBe('No results of builds are on record yet.')
  expect(read([segment('healthy', 1, 9)])).toBe('Healthy since the first build on record, 1.')
  expect(read([segment('healthy', 1, 9), segment('flaky', 10, 12, [10, 10])])).toBe(
    'Healthy until 9, flaky since 10.',
  )
})

it('names the builds of a row of failures that is too short for a segment', () => {
  const all = [segment('unknown', 1700, 1800)]
  const row = {
    first_build: build(1742),
    last_build: build(1743),
    builds: 2,
    passed_before: build(1740),
    fixed_by: build(1748),
  }
  expect(read(all, [row])).toBe('Last green 1740, broken at 1742 for 2 builds, fixed by 1748.')
  expect(read(all, [{ ...row, passed_before: null, fixed_by: null }])).toBe(
    'Broken at 1742, and failed in 2 builds since then.',
  )
})
