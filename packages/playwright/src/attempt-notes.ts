import type { OutputEntry } from '@runledger/core'
import { readLength } from '@runledger/reporter-kit'
import type { TestResult } from '@playwright/test/reporter'
import { readStart } from './read-result'

export interface AttemptNote {
  startedAtMs: number
  endedAtMs?: number
  /** When Playwright reported its end; for a merged report, when it was read. */
  seenAtMs?: number
  /** Playwright reports no end of an interrupted attempt. */
  isOver: boolean
  output: OutputEntry[]
  keptPaths: Map<string, string>
}

/** Undefined if the attempt's start was not reported. */
export type NoteReader = (result: TestResult) => AttemptNote | undefined

const MAX_CLOCK_GAP_MS = 10_000
const MAX_MESSAGE_LAG_MS = 1_000

export interface NoteClock {
  nowMs: () => number
  /** Merged reports are replayed later: the reporter's clock does not apply. */
  isReplay: boolean
}

/** Notes on a clock that tests cannot mock. */
export class AttemptNotes {
  readonly #notes = new Map<TestResult, AttemptNote>()
  #lastSeenMs: number | undefined

  constructor(private readonly clock: NoteClock) {}

  readonly read: NoteReader = (result) => this.#notes.get(result)

  begin(result: TestResult): void {
    const startedAtMs = this.#readStart(result)
    this.#notes.set(result, { startedAtMs, isOver: false, output: [], keptPaths: new Map() })
  }

  end(result: TestResult): AttemptNote {
    if (!this.#notes.has(result)) this.begin(result)
    const note = this.#notes.get(result) as AttemptNote
    note.isOver = true
    note.seenAtMs = this.clock.nowMs()
    note.endedAtMs = this.clock.isReplay
      ? note.startedAtMs + (readLength(result.duration) ?? 0)
      : note.seenAtMs
    if (!this.clock.isReplay) {
      note.startedAtMs = correctStart(note.startedAtMs, note.endedAtMs, result)
      if (note.startedAtMs !== readStart(result)) this.#moveBack(note.startedAtMs, result)
    }
    this.#lastSeenMs = note.endedAtMs
    return note
  }

  /** An attempt without a usable start begins when its message arrives, or earlier if it overlaps the worker's next attempt. */
  #moveBack(startedAtMs: number, { workerIndex }: TestResult): void {
    let nextMs = startedAtMs
    const ofWorker = [...this.#notes].filter(([result]) => result.workerIndex === workerIndex)
    for (const [result, note] of ofWorker.slice(0, -1).toReversed()) {
      const lateMs = (note.endedAtMs ?? nextMs) - nextMs
      if (lateMs <= 0 || note.startedAtMs === readStart(result)) return
      note.startedAtMs -= lateMs
      note.endedAtMs = nextMs
      nextMs = note.startedAtMs
    }
  }

  endAll(endedAtMs: number): void {
    for (const note of this.#notes.values()) note.endedAtMs ??= endedAtMs
  }

  /** Undefined if a test has mocked `Date`: the next test then seems to start in 1970. */
  #readStart(result: TestResult): number {
    const startMs = readStart(result) ?? NaN
    const nowMs = this.clock.nowMs()
    if (!this.clock.isReplay) return Math.abs(startMs - nowMs) <= MAX_CLOCK_GAP_MS ? startMs : nowMs
    return startMs <= nowMs ? startMs : (this.#lastSeenMs ?? nowMs)
  }
}

/** By our clock, a late message gives a late start: it is at least the duration before the end. */
function correctStart(startedAtMs: number, endedAtMs: number, result: TestResult): number {
  if (startedAtMs === readStart(result)) return startedAtMs
  const durationMs = readDuration(result, endedAtMs - startedAtMs) ?? 0
  return Math.min(startedAtMs, endedAtMs - durationMs)
}

/** Playwright's duration if it is plausible, else the observed one. */
export function measureAttempt(
  result: TestResult,
  note: AttemptNote | undefined,
): { startedAtMs: number; durationMs: number } {
  const startedAtMs = note?.startedAtMs ?? result.startTime.getTime()
  if (note?.endedAtMs === undefined) return { startedAtMs, durationMs: readLength(result.duration) ?? 0 }
  const observedMs = Math.max(0, note.endedAtMs - startedAtMs)
  return { startedAtMs, durationMs: readDuration(result, observedMs) ?? observedMs }
}

/**
 * -1 for an interrupted attempt, 0 for a dead worker; wrong if a test mocked `performance.now`. Messages arrive within a
 * second.
 */
function readDuration({ duration }: TestResult, observedMs: number): number | undefined {
  const durationMs = readLength(duration)
  if (durationMs === undefined || durationMs > observedMs + MAX_MESSAGE_LAG_MS) return undefined
  return durationMs === 0 && observedMs >= MAX_MESSAGE_LAG_MS ? undefined : durationMs
}
