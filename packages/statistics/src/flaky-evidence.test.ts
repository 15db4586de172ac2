import { describe, expect, it } from 'vitest'
import { listFlakyEvidence, type PlacedResult } from './flaky-evidence'

const DAY_MS = 86_400_000
const NOW_MS = 1_000 * DAY_MS
const WINDOW = { builds: 100, days: 14, nowMs: NOW_MS }

function result(buildId: string, others: Partial<PlacedResult> = {}): PlacedResult {
  return {
    buildId,
    commit: buildId,
    environment: 'linux',
    first: 'passed',
    last: 'passed',
    atMs: NOW_MS,
    ...others,
  }
}

describe('listFlakyEvidence', () => {
  it('lists a pass on a retry', () => {
    const results = [
      result('1'),
      result('2', { first: 'failed' }),
      result('3', { first: 'failed', last: 'failed' }),
    ]
    expect(listFlakyEvidence(results, WINDOW)).toEqual([
      { kind: 'passed-on-retry', buildId: '2', commit: '2', environment: 'linux', atMs: NOW_MS },
    ])
  })

  it('lists both verdicts on one commit', () => {
    const failed = { first: 'failed', last: 'failed', commit: 'c' } as const
    const results = [
      result('1', { ...failed, atMs: NOW_MS - 2 }),
      result('2', { commit: 'c', atMs: NOW_MS - 1 }),
      result('3', failed),
    ]
    expect(listFlakyEvidence(results, WINDOW)).toEqual([
      {
        kind: 'both-verdicts',
        passedBuildIds: ['2'],
        failedBuildIds: ['1', '3'],
        commit: 'c',
        environment: 'linux',
        atMs: NOW_MS,
      },
    ])
  })

  it.each([
    ['on two commits', { commit: 'b' }],
    ['in two environments', { environment: 'windows' }],
    ['on unknown commits', { commit: undefined }],
    ['in an infrastructure build', { infrastructure: true }],
  ])('finds none in two verdicts %s', (_, others: Partial<PlacedResult>) => {
    const both = { ...others, commit: 'commit' in others ? others.commit : 'c' }
    const first = result('1', 'commit' in others && others.commit === undefined ? both : { commit: 'c' })
    expect(
      listFlakyEvidence([first, result('2', { ...both, first: 'failed', last: 'failed' })], WINDOW),
    ).toEqual([])
  })

  it('counts evidence in the last builds and in the last days', () => {
    const flaky = { first: 'failed', atMs: NOW_MS - 15 * DAY_MS } as const
    const results = [result('1', flaky), result('2', flaky), result('3', { atMs: NOW_MS - 13 * DAY_MS })]
    expect(listFlakyEvidence(results, { ...WINDOW, builds: 2 })).toMatchObject([{ buildId: '2' }])
    expect(listFlakyEvidence(results, { ...WINDOW, builds: 1 })).toEqual([])
    expect(listFlakyEvidence(results, { ...WINDOW, builds: 1, days: 16 })).toHaveLength(2)
  })
})
