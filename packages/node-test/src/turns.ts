import type { EventData } from './node-events'

/** An event's position, and when Node handed it over, which may be late. */
interface Moment {
  order: number
  toldAtMs: number
}

export interface Turn {
  began: Moment
  ended?: Moment
  durationMs: number
  /** Among its siblings, counted in the process that ran it. */
  number?: number | undefined
}

/** Follows tests in the order of execution, until Node reports them in the order of declaration. */
export class Turns {
  readonly #unreported = new Map<string, Turn[]>()
  /** Names of enqueued tests that have not completed. */
  readonly #waiting = new Map<string, string[]>()
  #count = 0

  /** Tests that never completed: their process ended before. */
  get lost(): string[] {
    return [...this.#waiting.values()].flat()
  }

  enqueue(data: EventData): void {
    const key = keyOf(data)
    this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), data.name ?? ''])
  }

  begin(data: EventData, toldAtMs: number): void {
    this.#listOf(data).push({ began: this.#note(toldAtMs), durationMs: 0 })
  }

  end(data: EventData, toldAtMs: number): void {
    this.#waiting.get(keyOf(data))?.pop()
    const turn = this.#listOf(data).find(({ ended }) => ended === undefined)
    if (turn === undefined) return
    turn.ended = this.#note(toldAtMs)
    turn.durationMs = data.details?.duration_ms ?? 0
    turn.number = data.testNumber
  }

  /** By its number among tests with equal names at one place; undefined without one. */
  take(data: EventData, number: number): Turn | undefined {
    const turns = this.#listOf(data)
    const index = turns.findIndex((turn) => turn.number === number)
    return turns.splice(Math.max(0, index), 1)[0]
  }

  #note(toldAtMs: number): Moment {
    this.#count += 1
    return { order: this.#count, toldAtMs }
  }

  #listOf(data: EventData): Turn[] {
    const key = keyOf(data)
    const turns = this.#unreported.get(key) ?? []
    this.#unreported.set(key, turns)
    return turns
  }
}

function keyOf({ entryFile, file, testId, nesting, line, column, name }: EventData): string {
  return JSON.stringify([entryFile ?? file, testId ?? [nesting, line, column, name]])
}

/**
 * When the turns of a file began: as late as the order of events, durations, arrivals and the file's end allow. Late
 * turns stand one after another, or side by side if they ran so.
 */
export function placeTurns(turns: readonly Turn[], fileEndedAtMs: number): Map<Turn, number> {
  const starts = new Map<Turn, number>()
  const ends = new Map<Turn, number>()
  const moments = turns.flatMap((turn) => [
    { ...turn.began, turn, isEnd: false },
    ...(turn.ended ? [{ ...turn.ended, turn, isEnd: true }] : []),
  ])
  let latestMs = fileEndedAtMs
  for (const { turn, toldAtMs, isEnd } of moments.sort((a, b) => b.order - a.order)) {
    latestMs = Math.min(latestMs, toldAtMs)
    if (isEnd) ends.set(turn, latestMs)
    else {
      latestMs = Math.min(latestMs, (ends.get(turn) ?? Infinity) - turn.durationMs)
      starts.set(turn, latestMs)
    }
  }
  return starts
}
