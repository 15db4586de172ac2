import { HttpError } from '../errors'

const WINDOW_MS = 60_000
const MAX_FAILURES = 10
const MAX_ADDRESSES = 10_000

/** Counts failed sign-ins by client address: more than ten within a minute are answered 429 until the minute is over. */
export class SignInThrottle {
  readonly #failures = new Map<string, { count: number; endsAtMs: number }>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs
  }

  /** Throws TOO_MANY_REQUESTS when this address has failed too often. */
  check(address: string): void {
    const entry = this.#current(address)
    if (!entry || entry.count < MAX_FAILURES) return
    const retryAfterSeconds = Math.max(1, Math.ceil((entry.endsAtMs - this.#nowMs()) / 1000))
    throw new HttpError(
      'TOO_MANY_REQUESTS',
      `Too many failed sign-ins. Try again in ${retryAfterSeconds} s.`,
      {
        retryAfterSeconds,
      },
    )
  }

  recordFailure(address: string): void {
    const entry = this.#current(address)
    if (entry) {
      entry.count += 1
      return
    }
    if (this.#failures.size >= MAX_ADDRESSES) this.#failures.clear()
    this.#failures.set(address, { count: 1, endsAtMs: this.#nowMs() + WINDOW_MS })
  }

  #current(address: string): { count: number; endsAtMs: number } | undefined {
    const entry = this.#failures.get(address)
    if (entry && entry.endsAtMs <= this.#nowMs()) {
      this.#failures.delete(address)
      return undefined
    }
    return entry
  }
}
