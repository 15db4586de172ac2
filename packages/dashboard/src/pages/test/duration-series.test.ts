import type { DurationChange, TestResult } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { layOutDurations } from './duration-series'

function at(minute: number) {
  const time = new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString()
  return { group: `g${minute}`, branch: 'main', commit: null, author: null, started_at: time }
}

function result(minute: number, outcome: TestResult['outcome'], durationMs: number): TestResult {
  const rest = { run_id: `r${minute}`, environment: null, fingerprint: null, is_infrastructure: false }
  return { ...rest, build: at(minute), outcome, duration_ms: durationMs }
}

it('lays results out in the order of time, each outcome apart, and none twice at one time', () => {
  const results = [result(2, 'failed', 900), result(1, 'passed', 500), result(2, 'passed', 600)]
  const { seconds, passed, failed } = layOutDurations(results, [])
  expect(seconds[2]).toBeGreaterThan(seconds[1] ?? 0)
  expect([passed, failed]).toEqual([
    [0.5, null, 0.6],
    [null, 0.9, null],
  ])
})

it('leaves out skipped results and those of infrastructure builds', () => {
  const results = [result(1, 'skipped', 0), { ...result(2, 'failed', 9), is_infrastructure: true }]
  expect(layOutDurations(results, []).seconds).toEqual([])
})

it('draws the mean before and after each change', () => {
  const change: DurationChange = { build: at(2), before_ms: 500, after_ms: 800, ratio: 0.6, p_value: 0.001 }
  const results = [result(1, 'passed', 500), result(2, 'passed', 800), result(3, 'passed', 810)]
  expect(layOutDurations(results, [change]).mean).toEqual([0.5, 0.8, 0.8])
  expect(layOutDurations(results, []).mean).toEqual([null, null, null])
})
