import { describe, expect, it } from 'vitest'
import { describeMissing } from './describe-missing'
import {
  type BuildRecord,
  deriveBuildState,
  type Execution,
  findMissing,
  keyOfShard,
  PATIENCE_US,
  type Shard,
} from './rules'

const NOW_US = Date.parse('2026-11-28T12:00:00Z') * 1000

const shard = (index: number, total = 4, framework = 'vitest'): Shard => ({ framework, index, total })

const execution = (change: Partial<Execution> = {}): Execution => ({
  framework: 'vitest',
  shard: undefined,
  host: 'ci-7',
  startedAtUs: Date.parse('2026-11-28T10:02:40Z') * 1000,
  endedAtUs: null,
  missingRuns: 0,
  job: 'test',
  attempt: 0,
  environment: 'linux node 22',
  ...change,
})

const ended = (change: Partial<Execution> = {}) => execution({ endedAtUs: NOW_US, ...change })

const build = (change: Partial<BuildRecord> = {}): BuildRecord => ({
  runs: 3,
  failedRuns: 0,
  reportedShards: [],
  executions: [],
  lastReportedAtUs: NOW_US,
  ...change,
})

const stateOf = (record: BuildRecord, { nowUs = NOW_US, isOvertaken = false } = {}) =>
  deriveBuildState(record, findMissing(record), { nowUs, isOvertaken })

const LATE = { nowUs: NOW_US + PATIENCE_US }
const THREE_SHARDS = { reportedShards: [shard(1), shard(2), shard(4)] }
const ALL_SHARDS = { reportedShards: [shard(1), shard(2), shard(3), shard(4)] }

describe('the state of a build', () => {
  it.each([
    ['passed', 'its runs passed', build()],
    ['failed', 'a run did not pass', build({ failedRuns: 1 })],
    ['passed', 'all shards have reported', build(ALL_SHARDS)],
    ['failed', 'all shards have reported and one failed', build({ ...ALL_SHARDS, failedRuns: 1 })],
    ['passed', 'its executions ended', build({ executions: [ended(), ended()] })],
    ['running', 'a shard has not reported', build(THREE_SHARDS)],
    ['running', 'a shard has not reported and a run failed', build({ ...THREE_SHARDS, failedRuns: 1 })],
    ['running', 'an execution has not ended', build({ executions: [ended(), execution()] })],
    [
      'incomplete',
      'an execution ended without all of its runs',
      build({ executions: [ended({ missingRuns: 2 })] }),
    ],
    [
      'running',
      'an execution ended without all of its runs and another runs',
      build({ executions: [ended({ missingRuns: 2 }), execution()] }),
    ],
  ])('is %s when %s', (state, _, record) => {
    expect(stateOf(record)).toBe(state)
  })

  it('is incomplete when its executions have ended, and no run is on record', () => {
    expect(stateOf(build({ runs: 0, executions: [ended()] }))).toBe('incomplete')
    expect(stateOf(build({ runs: 0, executions: [ended(), execution()] }))).toBe('running')
  })

  it.each([
    ['a shard that has not reported', build(THREE_SHARDS)],
    ['a shard that has not reported, though a run failed', build({ ...THREE_SHARDS, failedRuns: 3 })],
    ['an execution that has not ended', build({ executions: [execution()] })],
  ])('becomes incomplete with %s: after an hour, or once a later build ended', (_, record) => {
    expect(stateOf(record, { nowUs: LATE.nowUs - 1 })).toBe('running')
    expect(stateOf(record, LATE)).toBe('incomplete')
    expect(stateOf(record, { isOvertaken: true })).toBe('incomplete')
  })

  it('stays what it is when all has come, however late it is', () => {
    expect(stateOf(build(ALL_SHARDS), { ...LATE, isOvertaken: true })).toBe('passed')
    expect(stateOf(build({ failedRuns: 1 }), { ...LATE, isOvertaken: true })).toBe('failed')
  })

  it('passes after all when what was missing comes late', () => {
    expect(stateOf(build({ ...ALL_SHARDS, executions: [ended({ shard: shard(3) })] }), LATE)).toBe('passed')
  })

  it('is running when the clock was set back', () => {
    expect(stateOf(build(THREE_SHARDS), { nowUs: NOW_US - 10 * PATIENCE_US })).toBe('running')
  })
})

describe('what is missing', () => {
  const namesOf = (record: BuildRecord) => findMissing(record).shards.map(keyOfShard)

  it('are shards that neither a run nor an execution names', () => {
    expect(namesOf(build({ reportedShards: [shard(2)], executions: [ended({ shard: shard(4) })] }))).toEqual([
      'vitest 1/4',
      'vitest 3/4',
    ])
  })

  it('are shards of each framework by itself', () => {
    const reportedShards = [...ALL_SHARDS.reportedShards, shard(1, 2, 'jest')]
    expect(namesOf(build({ reportedShards }))).toEqual(['jest 2/2'])
  })

  it('are no shards of a number that nobody has', () => {
    expect(namesOf(build({ reportedShards: [shard(1, 999_999)] }))).toEqual([])
  })

  it('are no shards of many sets that nobody has, beside those of a set that somebody has', () => {
    const claimed = Array.from({ length: 400 }, (_, index) => shard(1, 9_999 - index))
    const missing = namesOf(build({ reportedShards: [...claimed, ...THREE_SHARDS.reportedShards] }))
    expect(missing[0]).toBe('vitest 3/4')
    expect(missing.length).toBeLessThan(10_000)
  })

  it('is a shard once: as its execution, when that has begun', () => {
    const missing = findMissing(build({ ...THREE_SHARDS, executions: [execution({ shard: shard(3) })] }))
    expect([missing.shards, missing.unended.length]).toEqual([[], 1])
  })

  it.each([
    ['a later attempt at its job', { attempt: 1 }, 0],
    ['the same attempt', {}, 1],
    ['another job', { attempt: 1, job: 'lint' }, 1],
    ['another framework', { attempt: 1, framework: 'jest' }, 1],
    ['another shard', { attempt: 1, shard: shard(2) }, 1],
    ['a job of another environment', { attempt: 1, environment: 'linux node 24' }, 1],
  ])('is an execution that did not end, beside %s that did', (_, change, count) => {
    const { unended } = findMissing(build({ executions: [execution(), ended(change)] }))
    expect(unended).toHaveLength(count)
  })
})

describe('the words for what is missing', () => {
  const wordsOf = (record: BuildRecord, frameworks = 1) => describeMissing(findMissing(record), frameworks)

  it('name shards', () => {
    expect(wordsOf(build(THREE_SHARDS))).toEqual(['shard 3 of 4 has not reported'])
    expect(wordsOf(build({ reportedShards: [shard(2)] }))).toEqual([
      'shards 1, 3 and 4 of 4 have not reported',
    ])
    expect(wordsOf(build({ reportedShards: [shard(1, 2), shard(2, 2, 'jest')] }), 2)).toEqual([
      'vitest shard 2 of 2 has not reported',
      'jest shard 1 of 2 has not reported',
    ])
    expect(wordsOf(build({ reportedShards: [shard(1, 400)] }))[0]).toMatch(
      /^shards 2, 3, .*, 21 and 379 more of 400 have not reported$/,
    )
    const many = Array.from({ length: 25 }, (_, index) => shard(1, 2, `framework ${index}`))
    expect(wordsOf(build({ reportedShards: many })).at(-1)).toBe('5 more sets of shards have not reported')
  })

  it('say that there is no run, once none is expected', () => {
    expect(wordsOf(build({ runs: 0, executions: [ended()] }))).toEqual(['no run is on record'])
    expect(wordsOf(build({ runs: 0, executions: [execution()] }))).toHaveLength(1)
    expect(wordsOf(build({ runs: 0, executions: [ended({ missingRuns: 1 })] }))[0]).toContain('1 run of an')
  })

  it('name executions', () => {
    expect(wordsOf(build({ executions: [execution({ shard: shard(1, 1) })] }))).toEqual([
      'an execution (vitest, shard 1 of 1) that began 2026-11-28 10:02 UTC on ci-7 has not ended',
    ])
    expect(wordsOf(build({ executions: [execution({ framework: null, host: null })] }))).toEqual([
      'an execution that began 2026-11-28 10:02 UTC has not ended',
    ])
    expect(wordsOf(build({ executions: [ended({ missingRuns: 1 }), ended({ missingRuns: 2 })] }))).toEqual([
      '1 run of an execution (vitest) that began 2026-11-28 10:02 UTC on ci-7 is not on record',
      '2 runs of an execution (vitest) that began 2026-11-28 10:02 UTC on ci-7 are not on record',
    ])
    const many = Array.from({ length: 25 }, () => execution())
    expect(wordsOf(build({ executions: many })).at(-1)).toBe('5 more executions have not ended')
  })
})
