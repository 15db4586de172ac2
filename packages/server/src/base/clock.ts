import type { Pace } from '@runledger/protocol'
import { setImmediate } from 'node:timers/promises'

/** Microseconds since the Unix epoch: the unit of every time in the database. */
export type Clock = () => number

/** In whole microseconds since the Unix epoch, to the millisecond. */
export const systemClock: Clock = () => Date.now() * 1000

export const US_PER_MS = 1000
export const US_PER_SECOND = 1_000_000
export const US_PER_DAY = 86_400 * US_PER_SECOND

const TURN_MS = 5

let lastTurn: Promise<unknown> = Promise.resolve()

/** Yields every few milliseconds; one of several waiting tasks continues in each turn of the event loop. */
export class SteadyPace implements Pace {
  #beganAt = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#beganAt > TURN_MS
  }

  async rest(): Promise<void> {
    lastTurn = lastTurn.then(() => setImmediate())
    await lastTurn
    this.#beganAt = performance.now()
  }
}

export async function mapInTurns<Item, Result>(
  list: readonly Item[],
  map: (item: Item, index: number) => Result | Promise<Result>,
): Promise<Result[]> {
  const pace = new SteadyPace()
  const results: Result[] = []
  for (const [index, item] of list.entries()) {
    const result = map(item, index)
    results.push(result instanceof Promise ? await result : result)
    if (pace.isOver) await pace.rest()
  }
  return results
}
