import type { EventData } from './node-events'

/** An event of a test's execution: its place among all such events, and when Node handed it over, which may be late. */
interface Moment {
  order: number
  toldAtMs: number
}

/** The execution of one test. */
export interface Turn {
  began: Moment
  ended?: Moment
  durationMs: number
  /** Its number among the tests around it, counted in the process that ran it. */
  number?: number | undefined
}

/** Follows which tests begin and end, in the order of execution, until Node reports them in the order of declaration. */
export class Turns {
  readonly #unreported = new Map<string, Turn[]>()
  #count = 0

  begin(data: EventData, toldAtMs: number): void {
    this.#listOf(data).push({ began: this.#note(toldAtMs), durationMs: 0 })
  }

  end(data: EventData, toldAtMs: number): void {
    const turn = this.#listOf(data).find(({ ended }) => ended === undefined)
    if (turn === undefined) return
    turn.ended = this.#note(toldAtMs)
    turn.durationMs = data.details?.duration_ms ?? 0
    turn.number = data.testNumber
  }

  /** The turn of a test that is reported, by its number among those of equal names at one place; undefined if it had none. */
  take(data: EventData, number: number): Turn | undefined {
    const turns = this.#listOf(data)
    const index = turns.findIndex((turn) => turn.number === number)
    return turns.splice(Math.max(0, index), 1)[0]
  }

  #note(toldAtMs: number): Moment {
    this.#count += 1
    return { order: this.#count, toldAtMs }
  }

  #listOf({ entryFile, file, testId, nesting, line, column, name }: EventData): Turn[] {
    const key = JSON.stringify([entryFile ?? file, testId ?? [nesting, line, column, name]])
    const turns = this.#unreported.get(key) ?? []
    this.#unreported.set(key, turns)
    return turns
  }
}

/**
 * When the turns of one file began, in milliseconds since the Unix epoch: as late as the order of their events, their
 * durations, the arrival of each event and the file's end allow. Turns that are told late so stand one after another, or
 * side by side where they ran so.
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
