import { divideByCount } from '@runledger/core/tools'
import { NO_HISTORY, planShards } from '@runledger/statistics'
import { expect, it } from 'vitest'

it.each([
  [['d', 'b', 'a', 'c', 'e'], 2],
  [['a', 'b', 'a'], 2],
  [['a'], 3],
  [['ä.js', 'Z.js', 'a/b.js', 'a.js', 'a/B.js', '10.js', '9.js'], 4],
])('divides %j among %d shards as the service does without durations', (files, total) => {
  const own = Array.from({ length: total }, (_, at) => divideByCount(files, { index: at + 1, total }))
  expect(own).toEqual(planShards(files, total, NO_HISTORY))
})
