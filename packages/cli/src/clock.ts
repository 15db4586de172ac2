import { setTimeout as sleep } from 'node:timers/promises'

export interface Clock {
  nowMs(): number
  sleep(ms: number): Promise<void>
}

export const SYSTEM_CLOCK: Clock = { nowMs: () => performance.now(), sleep: (ms) => sleep(ms) }
