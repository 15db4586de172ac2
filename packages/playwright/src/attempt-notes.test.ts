import type { TestResult } from '@playwright/test/reporter'
import { describe, expect, it } from 'vitest'
import { AttemptNotes, measureAttempt } from './attempt-notes'

const NOW_MS = Date.UTC(2026, 10, 20, 9)

function createResult(startTimeMs: number, duration = 50): TestResult {
  const result: Partial<TestResult> = { startTime: new Date(startTimeMs), duration }
  return result as TestResult
}

function createNotes(isReplay: boolean) {
  return { notes: new AttemptNotes({ nowMs: () => NOW_MS, isReplay }) }
}

describe('AttemptNotes', () => {
  it('takes the framework’s start time', () => {
    const { notes } = createNotes(false)
    const result = createResult(NOW_MS - 30)
    notes.begin(result)
    expect(notes.read(result)?.startedAtMs).toBe(NOW_MS - 30)
  })

  it.each([1_000, NOW_MS + 3_600_000])(
    'uses its own clock when the start time is mocked: %i',
    (startTimeMs) => {
      const { notes } = createNotes(false)
      const result = createResult(startTimeMs)
      notes.begin(result)
      expect(notes.read(result)?.startedAtMs).toBe(NOW_MS)
    },
  )

  it('takes times of merged reports in the past, but not in 1970', () => {
    const { notes } = createNotes(true)
    const yesterday = createResult(NOW_MS - 86_400_000)
    notes.begin(yesterday)
    notes.end(yesterday)
    const mocked = createResult(1_000)
    notes.begin(mocked)
    expect(notes.read(yesterday)?.startedAtMs).toBe(NOW_MS - 86_400_000)
    expect(notes.read(mocked)?.startedAtMs).toBe(NOW_MS - 86_400_000 + 50)
  })

  it('measures an interrupted attempt until the end of the execution', () => {
    const { notes } = createNotes(false)
    const result = createResult(NOW_MS, -1)
    notes.begin(result)
    notes.endAll(NOW_MS + 700)
    expect(measureAttempt(result, notes.read(result))).toEqual({ startedAtMs: NOW_MS, durationMs: 700 })
    expect(notes.read(result)?.isOver).toBe(false)
  })

  it('keeps the attempts of one worker in sequence when its messages are late', () => {
    let nowMs = NOW_MS
    const notes = new AttemptNotes({ nowMs: () => nowMs, isReplay: false })
    const first = createResult(1_000, 2)
    const second = createResult(1_000, 1_200)
    const elsewhere = { ...createResult(1_000, 2), workerIndex: 7 } as TestResult
    // Both began a while ago; the worker's first messages arrive together.
    for (const result of [elsewhere, first]) {
      notes.begin(result)
      notes.end(result)
    }
    notes.begin(second)
    nowMs += 1_150
    notes.end(second)
    expect(notes.read(second)?.startedAtMs).toBe(NOW_MS - 50)
    expect(notes.read(first)).toMatchObject({ startedAtMs: NOW_MS - 52, endedAtMs: NOW_MS - 50 })
    expect(notes.read(elsewhere)?.endedAtMs).toBe(NOW_MS)
  })

  it('leaves an attempt alone that ended before the next one of its worker began', () => {
    let nowMs = NOW_MS
    const notes = new AttemptNotes({ nowMs: () => nowMs, isReplay: false })
    const [first, second] = [createResult(1_000, 2), createResult(1_000, 20)]
    notes.begin(first)
    notes.end(first)
    nowMs += 300
    notes.begin(second)
    nowMs += 20
    notes.end(second)
    expect(notes.read(first)).toMatchObject({ startedAtMs: NOW_MS - 2, endedAtMs: NOW_MS })
    expect(notes.read(second)).toMatchObject({ startedAtMs: NOW_MS + 300, endedAtMs: NOW_MS + 320 })
  })

  it('leaves an attempt where Playwright says it began, whatever the next one of its worker seems', () => {
    let nowMs = NOW_MS
    const notes = new AttemptNotes({ nowMs: () => nowMs, isReplay: false })
    const [first, second] = [createResult(NOW_MS, 60), createResult(1_000, 1_200)]
    notes.begin(first)
    nowMs += 100
    notes.end(first)
    notes.begin(second)
    nowMs += 1_050
    notes.end(second)
    expect(notes.read(first)).toMatchObject({ startedAtMs: NOW_MS, endedAtMs: NOW_MS + 100 })
  })

  it('trusts neither start nor duration of a test that has mocked both clocks', () => {
    let nowMs = NOW_MS
    const notes = new AttemptNotes({ nowMs: () => nowMs, isReplay: false })
    const result = createResult(1_000, 86_400_000)
    notes.begin(result)
    nowMs += 12
    notes.end(result)
    expect(measureAttempt(result, notes.read(result))).toEqual({ startedAtMs: NOW_MS, durationMs: 12 })
  })

  it.each([
    ['what Playwright says', 60, 250, 60],
    ['what Playwright says of a short attempt', 0, 90, 0],
    ['the observed one when the worker died', 0, 5_000, 5_000],
    ['the observed one when a clock was set back', -948, 12, 12],
    ['the observed one when a clock was set forward', 86_400_000, 12, 12],
    ['the observed one when a clock gives no number', NaN, 12, 12],
  ])('takes as the duration %s', (_what, reportedMs, observedMs, durationMs) => {
    let nowMs = NOW_MS
    const notes = new AttemptNotes({ nowMs: () => nowMs, isReplay: false })
    const result = createResult(NOW_MS, reportedMs)
    notes.begin(result)
    nowMs += observedMs
    notes.end(result)
    expect(measureAttempt(result, notes.read(result)).durationMs).toBe(durationMs)
  })

  it('ends no attempt with a mocked start after the message of its end', () => {
    let nowMs = NOW_MS
    const notes = new AttemptNotes({ nowMs: () => nowMs, isReplay: false })
    const result = createResult(1_000, 1_200)
    notes.begin(result)
    nowMs += 900
    notes.end(result)
    expect(measureAttempt(result, notes.read(result))).toEqual({
      startedAtMs: NOW_MS - 300,
      durationMs: 1_200,
    })
  })

  it('keeps a plausible start, whatever the duration', () => {
    let nowMs = NOW_MS
    const notes = new AttemptNotes({ nowMs: () => nowMs, isReplay: false })
    const result = createResult(NOW_MS, 1_200)
    notes.begin(result)
    nowMs += 900
    notes.end(result)
    expect(measureAttempt(result, notes.read(result)).startedAtMs).toBe(NOW_MS)
  })

  it('does not take a merged start in the future', () => {
    const { notes } = createNotes(true)
    const result = createResult(NOW_MS + 5_000)
    notes.begin(result)
    expect(notes.read(result)?.startedAtMs).toBe(NOW_MS)
  })

  it('notes an attempt whose start was never reported', () => {
    const { notes } = createNotes(false)
    const result = createResult(NOW_MS - 40, 40)
    expect(notes.end(result)).toMatchObject({ startedAtMs: NOW_MS - 40, endedAtMs: NOW_MS, isOver: true })
    expect(measureAttempt(createResult(NOW_MS, -1), undefined)).toEqual({
      startedAtMs: NOW_MS,
      durationMs: 0,
    })
  })
})
