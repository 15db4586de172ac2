import { clientGoneError, readTimeoutError } from '../database-errors'
import type { PeerMessage, PeerResult, SqlitePeer } from './sqlite-peer'

/** Slow reads have their own readers, with low priority. */
export type ReadKind = 'quick' | 'slow'

export interface LeaseRequest {
  /** The first statement, which identifies the read. */
  name: string
  kind: ReadKind
  signal: AbortSignal | undefined
}

interface LeaseEvents {
  leaveAfterMs: number
  limitMs: number
  mayLeave: () => void
  isOver: (isStopped: boolean) => void
}

/** One read has the connection until it releases it, its time is over or its client goes. */
export class Lease {
  readonly name: string
  kind: ReadKind
  busyMs = 0
  readonly peer: SqlitePeer
  readonly #signal: AbortSignal | undefined
  readonly #isOver: (isStopped: boolean) => void
  readonly #breakOff = () => this.stop(clientGoneError())
  readonly #startedAt = performance.now()
  #timer: NodeJS.Timeout
  #isReleased = false

  constructor({ name, kind, signal }: LeaseRequest, peer: SqlitePeer, events: LeaseEvents) {
    this.name = name
    this.kind = kind
    this.peer = peer
    this.#signal = signal
    this.#isOver = events.isOver
    signal?.addEventListener('abort', this.#breakOff)
    this.#timer = setTimeout(
      () => {
        this.limit(events.limitMs)
        events.mayLeave()
      },
      Math.min(events.leaveAfterMs, events.limitMs),
    )
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt
  }

  limit(limitMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.stop(readTimeoutError(limitMs)), limitMs - this.ageMs)
  }

  async ask(message: PeerMessage): Promise<PeerResult> {
    const result = await this.peer.ask(message)
    this.busyMs += result.busyMs ?? 0
    return result
  }

  release(): void {
    if (this.#leave()) this.#isOver(this.peer.isOver)
  }

  stop(error: Error): void {
    if (!this.#leave()) return
    this.peer.fail(error)
    this.#isOver(true)
  }

  #leave(): boolean {
    if (this.#isReleased) return false
    this.#isReleased = true
    clearTimeout(this.#timer)
    this.#signal?.removeEventListener('abort', this.#breakOff)
    return true
  }
}
