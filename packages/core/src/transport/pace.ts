import pLimit, { type LimitFunction } from 'p-limit'
import type { Transport, TransportResponse } from './transport'

/** Connections to begin with, where as many are allowed. */
const FIRST_WIDTH = 8

/** An answer is quick that takes no longer than twice the quickest so far, and so many milliseconds. */
const QUICK_MARGIN_MS = 20

/**
 * Bounds how many requests are under way at once: few to begin with, one more for each quick answer, half as many when the
 * service has too much to do (429, 503), and then more again, one for each round of answers.
 */
export class Pace {
  readonly limit: LimitFunction
  #width: number
  #quickestMs = Infinity
  #wasTooMuch = false
  #narrowedAtMs = -Infinity

  constructor(private readonly most: number) {
    this.#width = Math.min(FIRST_WIDTH, most)
    this.limit = pLimit(this.#width)
  }

  /** A transport whose answers set the pace. */
  watch(inner: Transport): Transport {
    return {
      send: async (request) => {
        const beganAtMs = performance.now()
        const response = await inner.send(request)
        this.#note(response, beganAtMs)
        return response
      },
      close: () => inner.close(),
    }
  }

  #note(response: TransportResponse, beganAtMs: number): void {
    if (response.kind !== 'response') return
    const { statusCode } = response
    if (statusCode === 429 || statusCode === 503) return this.#narrow(beganAtMs)
    const tookMs = performance.now() - beganAtMs
    this.#quickestMs = Math.min(this.#quickestMs, tookMs)
    if (tookMs > 2 * this.#quickestMs + QUICK_MARGIN_MS) return
    this.#setWidth(this.#width + (this.#wasTooMuch ? 1 / this.#width : 1))
  }

  /** Once for all requests that were under way together. */
  #narrow(beganAtMs: number): void {
    if (beganAtMs <= this.#narrowedAtMs) return
    this.#narrowedAtMs = performance.now()
    this.#wasTooMuch = true
    this.#setWidth(this.#width / 2)
  }

  #setWidth(width: number): void {
    this.#width = Math.min(this.most, Math.max(1, width))
    const whole = Math.floor(this.#width)
    if (whole !== this.limit.concurrency) this.limit.concurrency = whole
  }
}
