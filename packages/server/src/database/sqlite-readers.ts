import { HttpError } from '../errors'
import type { Query, ReadOptions } from './database'
import { createKysely } from './kysely'
import type { PeerMessage, PeerResult, SqlitePeer } from './sqlite-peer'

export interface ReaderOptions {
  /** How many quick reads are under way at once. */
  readers?: number
  /** How long a read may take, and how long one may wait for its turn. */
  readLimitMs?: number
}

/** A read that takes longer is slow: it leaves its place to another, and next time it takes a place of the slow ones. */
const SLOW_MS = 100
/** What starting a process may take. */
const START_MS = 1000
/** How many slow reads are under way at once, beside the quick ones; one more than these ends sooner. */
const MAX_SLOW = 2
const CROWDED_LIMIT_MS = 1000
const MAX_SLOW_NAMES = 1000

interface Waiting {
  isSlow: boolean
  start: () => void
  fail: (error: Error) => void
}

/**
 * Connections that read, each in a process of its own: a statement that takes too long, or whose client has gone, ends with
 * its process. Nothing else stops one: node:sqlite has no interrupt, and a thread that is terminated goes on until its
 * statement ends, or takes the whole service along. Slow reads have places of their own, so that they never take all.
 */
export class SqliteReaders {
  readonly query: Query
  cancelled = 0
  readonly #start: () => SqlitePeer
  readonly #maxQuick: number
  readonly #limitMs: number
  readonly #idle: SqlitePeer[] = []
  readonly #underWay = new Set<Lease>()
  readonly #waiting: Waiting[] = []
  readonly #slowNames = new Set<string>()
  readonly #ending = new Set<Promise<void>>()
  #isClosed = false

  constructor(start: () => SqlitePeer, { readers = 2, readLimitMs = 10_000 }: ReaderOptions = {}) {
    this.#start = start
    this.#maxQuick = readers
    this.#limitMs = readLimitMs
    this.#idle.push(start())
    this.query = createKysely(async (statement, rows) => {
      const lease = await this.#acquire(statement[0], undefined)
      return lease.ask({ do: 'run', statements: [statement], rows }).finally(() => lease.release())
    })
  }

  get underWay(): number {
    return this.#underWay.size
  }

  get queued(): number {
    return this.#waiting.length
  }

  /** Takes a connection with the first statement, for BEGIN and COMMIT cost no message of their own. */
  async read<Result>(work: (query: Query) => Promise<Result>, { signal }: ReadOptions = {}): Promise<Result> {
    let acquiring: Promise<Lease> | undefined
    const query = createKysely(async (statement, rows) => {
      const isFirst = !acquiring
      acquiring ??= this.#acquire(statement[0], signal)
      const lease = await acquiring
      const statements = isFirst ? [['BEGIN', []] as const, statement] : [statement]
      return lease.ask({ do: 'run', statements, rows })
    })
    try {
      return await work(query)
    } finally {
      await acquiring?.then(endSnapshot, () => undefined)
    }
  }

  /** Breaks off whatever is read. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { fail } of this.#waiting.splice(0)) fail(closing())
    for (const lease of this.#underWay) lease.stop(closing())
    for (const peer of this.#idle.splice(0)) this.#kill(peer)
    await Promise.all(this.#ending)
  }

  #acquire(name: string, signal: AbortSignal | undefined): Promise<Lease> {
    if (this.#isClosed) return Promise.reject(closing())
    if (signal?.aborted) return Promise.reject(clientHasGone())
    const request = { name, signal, isSlow: this.#slowNames.has(name) }
    if (this.#hasPlace(request)) return Promise.resolve(this.#begin(request))
    return this.#waitForPlace(request)
  }

  #hasPlace({ isSlow }: { isSlow: boolean }): boolean {
    const sameKind = [...this.#underWay].filter((lease) => lease.isSlow === isSlow)
    return sameKind.length < (isSlow ? MAX_SLOW : this.#maxQuick)
  }

  #waitForPlace(request: LeaseRequest): Promise<Lease> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        request.signal?.removeEventListener('abort', breakOff)
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      }
      const waiting: Waiting = {
        isSlow: request.isSlow,
        start: () => {
          leave()
          resolve(this.#begin(request))
        },
        fail: (error) => {
          leave()
          this.cancelled += 1
          reject(error)
        },
      }
      const breakOff = () => waiting.fail(clientHasGone())
      const timer = setTimeout(() => waiting.fail(tookTooLong(this.#limitMs)), this.#limitMs)
      request.signal?.addEventListener('abort', breakOff)
      this.#waiting.push(waiting)
    })
  }

  #startWaiting(): void {
    for (const waiting of this.#waiting.slice()) if (this.#hasPlace(waiting)) waiting.start()
  }

  #begin(request: LeaseRequest): Lease {
    const idle = this.#takeIdle()
    const slowAfterMs = idle ? SLOW_MS : SLOW_MS + START_MS
    const lease = new Lease(request, idle ?? this.#start(), {
      slowAfterMs,
      limitMs: this.#limitMs,
      isSlow: () => this.#makeRoom(lease),
      isOver: (isStopped) => this.#end(lease, isStopped),
    })
    this.#underWay.add(lease)
    return lease
  }

  #takeIdle(): SqlitePeer | undefined {
    let peer = this.#idle.pop()
    while (peer?.isOver) peer = this.#idle.pop()
    return peer
  }

  #makeRoom(lease: Lease): void {
    if (!this.#hasPlace({ isSlow: true })) return lease.limit(Math.min(CROWDED_LIMIT_MS, this.#limitMs))
    lease.isSlow = true
    this.#startWaiting()
  }

  #end(lease: Lease, isStopped: boolean): void {
    this.#underWay.delete(lease)
    this.#learn(lease, isStopped)
    if (isStopped) this.#replace(lease.peer)
    else if (this.#idle.length < this.#maxQuick && !this.#isClosed) this.#idle.push(lease.peer)
    else this.#kill(lease.peer)
    this.#startWaiting()
  }

  // By the time that SQLite was busy, where that is known: on a crowded machine everything takes long now and then.
  #learn(lease: Lease, isStopped: boolean): void {
    const tookMs = isStopped ? lease.ageMs : lease.busyMs
    if (tookMs < SLOW_MS) return void this.#slowNames.delete(lease.name)
    if (this.#slowNames.size >= MAX_SLOW_NAMES) this.#slowNames.clear()
    this.#slowNames.add(lease.name)
  }

  #replace(peer: SqlitePeer): void {
    this.cancelled += 1
    this.#kill(peer)
    if (!this.#isClosed && this.#idle.length === 0) this.#idle.push(this.#start())
  }

  #kill(peer: SqlitePeer): void {
    const ending = peer.kill().finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }
}

interface LeaseRequest {
  /** What is read, as its first statement. */
  name: string
  isSlow: boolean
  signal: AbortSignal | undefined
}

interface LeaseEvents {
  slowAfterMs: number
  limitMs: number
  isSlow: () => void
  isOver: (isStopped: boolean) => void
}

/** A connection that one read has to itself, until it releases it, its time is over or its client goes. */
class Lease {
  readonly name: string
  isSlow: boolean
  busyMs = 0
  readonly peer: SqlitePeer
  readonly #signal: AbortSignal | undefined
  readonly #isOver: (isStopped: boolean) => void
  readonly #breakOff = () => this.stop(clientHasGone())
  #timer: NodeJS.Timeout
  readonly #startedAt = performance.now()
  #isReleased = false

  constructor({ name, isSlow, signal }: LeaseRequest, peer: SqlitePeer, events: LeaseEvents) {
    this.name = name
    this.isSlow = isSlow
    this.peer = peer
    this.#signal = signal
    this.#isOver = events.isOver
    signal?.addEventListener('abort', this.#breakOff)
    this.#timer = setTimeout(
      () => {
        this.limit(events.limitMs)
        events.isSlow()
      },
      Math.min(events.slowAfterMs, events.limitMs),
    )
  }

  /** Stops it so long after it began. */
  limit(limitMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.stop(tookTooLong(limitMs)), limitMs - this.ageMs)
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt
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

function endSnapshot(lease: Lease): void {
  lease.peer.post({ do: 'run', statements: [['COMMIT', []]], rows: false })
  lease.release()
}

function tookTooLong(limitMs: number): HttpError {
  const message = `Reading this took longer than ${limitMs / 1000} s, so it was stopped. Ask for less, or again when the service has less to do.`
  return new HttpError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 10 })
}

/** Nobody receives it. */
function clientHasGone(): HttpError {
  return new HttpError('BAD_REQUEST', 'The request broke off before its end.')
}

function closing(): HttpError {
  return new HttpError('SERVICE_UNAVAILABLE', 'The service is shutting down.', { retryAfterSeconds: 5 })
}
