import pLimit, { type LimitFunction } from 'p-limit'
import type { Transport, TransportResponse } from './transport'

const FIRST_WIDTH = 8

/** A quick response takes at most twice as long as the quickest, plus this margin. */
const QUICK_MARGIN_MS = 20

/**
 * Limits concurrent requests by additive increase and multiplicative decrease: a quick response allows one more, 429 or
 * 503 halves the limit. Afterwards it grows by one in each round.
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

  /** Halves the limit once for all requests that were in flight together. */
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
