import type { OutputEntry } from '@runledger/core'
import type { TestResult } from '@playwright/test/reporter'

/** What the reporter itself saw of an attempt while it ran. */
export interface AttemptNote {
  startedAtMs: number
  /** Absent while the attempt runs. */
  endedAtMs?: number
  /** The framework has told its end; an attempt of which it never does was cut off. */
  isOver: boolean
  output: OutputEntry[]
  /** Where files that would not have lasted are kept instead, by their path. */
  keptPaths: Map<string, string>
}

/** Reads the notes of an attempt; undefined for one that this reporter never saw begin. */
export type NoteReader = (result: TestResult) => AttemptNote | undefined

const FIRST_PLAUSIBLE_MS = Date.UTC(2000, 0, 1)
const MAX_CLOCK_GAP_MS = 10_000
const MAX_MESSAGE_LAG_MS = 1_000

export interface NoteClock {
  nowMs: () => number
  /** Merged reports are told long after the fact: the reporter's own clock says nothing about them. */
  isReplay: boolean
}

/** Keeps a note of every attempt, on a clock that tests cannot mock. */
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
    note.endedAtMs = this.clock.isReplay
      ? note.startedAtMs + Math.max(0, result.duration)
      : this.clock.nowMs()
    if (!this.clock.isReplay) {
      note.startedAtMs = correctStart(note.startedAtMs, note.endedAtMs, result)
      if (note.startedAtMs !== result.startTime.getTime()) this.#makeRoom(note.startedAtMs, result)
    }
    this.#lastSeenMs = note.endedAtMs
    return note
  }

  /**
   * A worker runs one attempt after another: one whose times are those of messages, which came late, had ended when the
   * next began.
   */
  #makeRoom(startedAtMs: number, { workerIndex }: TestResult): void {
    let nextMs = startedAtMs
    const ofWorker = [...this.#notes].filter(([result]) => result.workerIndex === workerIndex)
    for (const [result, note] of ofWorker.slice(0, -1).toReversed()) {
      const lateMs = (note.endedAtMs ?? nextMs) - nextMs
      if (lateMs <= 0 || note.startedAtMs === result.startTime.getTime()) return
      note.startedAtMs -= lateMs
      note.endedAtMs = nextMs
      nextMs = note.startedAtMs
    }
  }

  /** Marks the end of the execution for the attempts that it cut off. */
  cutOff(endedAtMs: number): void {
    for (const note of this.#notes.values()) note.endedAtMs ??= endedAtMs
  }

  /**
   * The framework's own start, unless a test has mocked `Date`: the next one then seems to start in 1970
   * (framework facts, 4.2).
   */
  #readStart({ startTime }: TestResult): number {
    const startMs = startTime.getTime()
    const nowMs = this.clock.nowMs()
    if (!this.clock.isReplay) return Math.abs(startMs - nowMs) <= MAX_CLOCK_GAP_MS ? startMs : nowMs
    return startMs >= FIRST_PLAUSIBLE_MS && startMs <= nowMs ? startMs : (this.#lastSeenMs ?? nowMs)
  }
}

/** A start on our own clock is that of a message, which came late: the attempt began its length before its end at most. */
function correctStart(startedAtMs: number, endedAtMs: number, { startTime, duration }: TestResult): number {
  if (startedAtMs === startTime.getTime() || !isPlausible(duration, endedAtMs - startedAtMs))
    return startedAtMs
  return Math.min(startedAtMs, endedAtMs - duration)
}

/** Start and length of an attempt: Playwright's own length where it can be true, else the one that was seen. */
export function measureAttempt(
  result: TestResult,
  note: AttemptNote | undefined,
): { startedAtMs: number; durationMs: number } {
  const startedAtMs = note?.startedAtMs ?? result.startTime.getTime()
  if (note?.endedAtMs === undefined) return { startedAtMs, durationMs: Math.max(0, result.duration) }
  const seenMs = Math.max(0, note.endedAtMs - startedAtMs)
  return { startedAtMs, durationMs: isPlausible(result.duration, seenMs) ? result.duration : seenMs }
}

/**
 * Playwright leaves -1 as the length of an attempt that was cut off and 0 where the worker died; else it measures with
 * `performance.now` in the worker, which a test may have mocked. Its messages arrive well within a second.
 */
function isPlausible(durationMs: number, seenMs: number): boolean {
  if (durationMs === 0) return seenMs < MAX_MESSAGE_LAG_MS
  return durationMs > 0 && durationMs <= seenMs + MAX_MESSAGE_LAG_MS
}
