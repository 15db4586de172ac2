/** Microseconds since the Unix epoch: the unit of every time in the database. */
export type Clock = () => number

/** The real clock, in whole microseconds since the Unix epoch (to the millisecond). */
export const systemClock: Clock = () => Date.now() * 1000

export const US_PER_MS = 1000
export const US_PER_SECOND = 1_000_000
