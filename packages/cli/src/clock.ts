import { setTimeout as sleep } from 'node:timers/promises'

export interface Clock {
  nowMs(): number
  sleep(ms: number): Promise<void>
}

/** The end of a wait, by its clock. */
export interface Deadline {
  clock: Clock
  endMs: number
}

export const SYSTEM_CLOCK: Clock = { nowMs: () => performance.now(), sleep: (ms) => sleep(ms) }
