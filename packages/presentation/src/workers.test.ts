import { expect, it } from 'vitest'
import { madePhase } from '../../../test/support/made-phase'
import { groupByWorker } from './workers'

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 20, 9, 30, seconds)).toISOString()

it('lists what each worker ran in order, every attempt by itself', () => {
  const attempt = (outcome: 'PASS' | 'FAIL', worker: number, seconds: number) => ({
    outcome,
    worker,
    started_at: at(seconds),
    duration: 'PT1S',
  })
  const workers = groupByWorker([
    madePhase('third', 'PASS', { worker: 1, started_at: at(9) }),
    madePhase('flaky', 'PASS', {
      worker: 1,
      retry_count: 1,
      started_at: at(2),
      attempts: [attempt('FAIL', 0, 2), attempt('PASS', 1, 5)],
    }),
    madePhase('first', 'PASS', { kind: 'test', worker: 0, started_at: at(1) }),
    madePhase('a step of it', 'PASS', { kind: 'step', worker: 0 }),
    madePhase('unknown', 'PASS'),
  ])
  const told = [...workers].map(([worker, tests]) => [
    worker,
    ...tests.map(({ name, attempt: number, outcome, index }) => [index, name, number, outcome].join(' ')),
  ])
  expect(told).toEqual([
    [1, '1 flaky 2 PASS', '0 third  PASS'],
    [0, '2 first  PASS', '1 flaky 1 FAIL'],
  ])
})

it('counts attempts that were not kept', () => {
  const one = { outcome: 'FAIL' as const, worker: 4, started_at: at(0), duration: 'PT1S' }
  const workers = groupByWorker([madePhase('a', 'FAIL', { attempts: [one, one], more_attempts: 5 })])
  expect(workers.get(4)?.map(({ attempt }) => attempt)).toEqual([1, 7])
})
