import { expect, it } from 'vitest'
import type { RunListItem } from '@runledger/protocol'
import { sumUpGroup } from './group'

function run(at: number, seconds: number, metadata: Record<string, string>): RunListItem {
  const time = (second: number) => new Date(second * 1000).toISOString()
  return {
    outcome: metadata['tests_failed'] === '1' ? 'FAIL' : 'PASS',
    started_at: time(at),
    ended_at: time(at + seconds),
    duration: `PT${seconds}S`,
    procedure: { name: 'Shop' },
    metadata,
  } as unknown as RunListItem
}

it('sums up the shards of an execution', () => {
  const { shards, spanUs } = sumUpGroup([
    run(0, 4, { shard: '2/3' }),
    run(3, 4, { shard_index: '2', shard_total: '3', tests_failed: '1' }),
    run(1, 2, { shard: '1/3' }),
  ])
  expect(shards).toEqual([
    { name: '1/3', failed: 0, spanUs: 2_000_000 },
    { name: '2/3', failed: 1, spanUs: 7_000_000 },
  ])
  expect(spanUs).toBe(7_000_000)
})

it('sums up the shards of each framework by itself', () => {
  const { shards } = sumUpGroup([
    run(0, 1, { framework: 'vitest', shard: '10/12' }),
    run(0, 1, { framework: 'vitest', shard: '2/12' }),
    run(0, 1, { framework: 'jest', shard: '2/12' }),
  ])
  expect(shards.map(({ name }) => name)).toEqual(['jest 2/12', 'vitest 2/12', 'vitest 10/12'])
})

it('takes a shard for what it is called, and invents none', () => {
  const sum = (metadata: Record<string, string>) =>
    sumUpGroup([run(0, 1, metadata)]).shards.map(({ name }) => name)
  expect(sum({ shard: 'nightly' })).toEqual(['nightly'])
  expect(sum({ shard: '1/1000000' })).toEqual(['1/1000000'])
  expect(sum({})).toEqual([])
})
