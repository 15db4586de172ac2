import type { Query, ReadOptions } from '../database'
import { createKysely } from '../kysely'
import { SQLITE } from './sqlite-engine'
import { clientGoneError, shutdownError, overloadedError, readTimeoutError } from '../database-errors'
import { Lease, type LeaseRequest, type ReadKind } from './sqlite-lease'
import { ReaderEndedError, type SqlitePeer } from './sqlite-peer'

export interface ReaderOptions {
  /** How many quick reads are under way at once. */
  readers?: number
  /** How long a read may take, and how long one may wait for its turn. */
  readLimitMs?: number
}

/** A read that takes more of the processor is slow: next time it takes a place of the slow ones. */
const SLOW_MS = 100
/**
 * A quick read that takes longer leaves its place when others wait for one. Not sooner: on a crowded machine everything
 * takes long now and then, and whoever gets the place may need a new process.
 */
const LEAVE_MS = 200
/** How many slow reads are under way at once, beside the quick ones; one more than these ends sooner. */
const MAX_SLOW = 2
const CROWDED_LIMIT_MS = 1000
const MAX_SLOW_NAMES = 1000
/** One more than these is refused: it would only be in vain that it waits. */
const MAX_WAITING = 1000

const KINDS = ['quick', 'slow'] as const

interface Waiting {
  start: (peer: SqlitePeer) => void
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
  readonly #places: Readonly<Record<ReadKind, number>>
  readonly #limitMs: number
  readonly #idle: Readonly<Record<ReadKind, SqlitePeer[]>> = { quick: [], slow: [] }
  readonly #starting: Record<ReadKind, number> = { quick: 0, slow: 0 }
  readonly #underWay = new Set<Lease>()
  readonly #waiting: Readonly<Record<ReadKind, Set<Waiting>>> = { quick: new Set(), slow: new Set() }
  readonly #slowNames = new Set<string>()
  /** All of them, also those that are being ended. */
  readonly #peers = new Set<SqlitePeer>()
  #isClosed = false

  constructor(start: () => SqlitePeer, { readers = 2, readLimitMs = 10_000 }: ReaderOptions = {}) {
    this.#start = start
    this.#places = { quick: readers, slow: MAX_SLOW }
    this.#limitMs = readLimitMs
    this.#startOne('quick')
    this.query = createKysely(SQLITE, (statement, rows) =>
      again(async () => {
        const lease = await this.#acquire(statement[0], undefined)
        return lease.ask({ do: 'run', statements: [statement], rows }).finally(() => lease.release())
      }),
    )
  }

  get underWay(): number {
    return this.#underWay.size
  }

  get queued(): number {
    return this.#waiting.quick.size + this.#waiting.slow.size
  }

  read<Result>(work: (query: Query) => Promise<Result>, options?: ReadOptions): Promise<Result> {
    return again(() => this.#read(work, options))
  }

  /** Takes a connection with the first statement, for BEGIN and COMMIT cost no message of their own. */
  async #read<Result>(
    work: (query: Query) => Promise<Result>,
    { signal }: ReadOptions = {},
  ): Promise<Result> {
    let acquiring: Promise<Lease> | undefined
    const query = createKysely(SQLITE, async (statement, rows) => {
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
    for (const kind of KINDS) this.#failWaiting(kind, shutdownError())
    for (const lease of this.#underWay) lease.stop(shutdownError())
    await Promise.all([...this.#peers].map((peer) => this.#kill(peer)))
  }

  #acquire(name: string, signal: AbortSignal | undefined): Promise<Lease> {
    if (this.#isClosed) return Promise.reject(shutdownError())
    if (signal?.aborted) return Promise.reject(clientGoneError())
    const request = { name, signal, kind: this.#kindOf(name) }
    const peer = this.#takePeer(request.kind)
    if (peer) return Promise.resolve(this.#begin(request, peer))
    return this.queued < MAX_WAITING ? this.#wait(request) : Promise.reject(overloadedError())
  }

  #kindOf(name: string): ReadKind {
    const isSlow =
      this.#slowNames.has(name) ||
      [...this.#underWay].some((lease) => lease.kind === 'slow' && lease.name === name)
    return isSlow ? 'slow' : 'quick'
  }

  #hasPlace(kind: ReadKind): boolean {
    return this.#countUnderWay(kind) < this.#places[kind]
  }

  /** Processes that are starting have their places already: each that waits would start one otherwise. */
  #hasPlaceForNew(kind: ReadKind): boolean {
    return this.#countUnderWay(kind) + this.#starting[kind] < this.#places[kind]
  }

  #countUnderWay(kind: ReadKind): number {
    return [...this.#underWay].filter((lease) => lease.kind === kind).length
  }

  #takePeer(kind: ReadKind): SqlitePeer | undefined {
    if (!this.#hasPlace(kind)) return undefined
    let peer = this.#idle[kind].pop()
    while (peer?.isOver) peer = this.#idle[kind].pop()
    return peer
  }

  #wait(request: LeaseRequest): Promise<Lease> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        request.signal?.removeEventListener('abort', breakOff)
        this.#waiting[request.kind].delete(waiting)
      }
      const waiting: Waiting = {
        start: (peer) => {
          leave()
          resolve(this.#begin(request, peer))
        },
        fail: (error) => {
          leave()
          this.cancelled += 1
          reject(error)
        },
      }
      const breakOff = () => waiting.fail(clientGoneError())
      const timer = setTimeout(() => waiting.fail(readTimeoutError(this.#limitMs)), this.#limitMs)
      request.signal?.addEventListener('abort', breakOff)
      this.#waiting[request.kind].add(waiting)
      this.#serveWaiting()
    })
  }

  #serveWaiting(): void {
    for (const kind of KINDS) {
      for (const waiting of this.#waiting[kind]) {
        const peer = this.#takePeer(kind)
        if (!peer) break
        waiting.start(peer)
      }
      if (kind === 'quick' && this.#waiting.quick.size > 0) this.#makeRoom()
      const waiting = this.#waiting[kind].size
      if (waiting > this.#starting[kind] && this.#hasPlaceForNew(kind)) this.#startOne(kind)
    }
  }

  /** No read begins before its process has: starting one takes long on a crowded machine. */
  #startOne(kind: ReadKind): void {
    const peer = this.#start()
    this.#peers.add(peer)
    this.#starting[kind] += 1
    const started = peer.ask({ do: 'run', statements: [], rows: false })
    void started
      .then(
        () => this.#keepIdle(kind, peer),
        (error: Error) => this.#failWaiting(kind, error),
      )
      .finally(() => {
        this.#starting[kind] -= 1
        this.#serveWaiting()
      })
  }

  #failWaiting(kind: ReadKind, error: Error): void {
    for (const waiting of this.#waiting[kind]) waiting.fail(error)
  }

  #keepIdle(kind: ReadKind, peer: SqlitePeer): void {
    if (kind === 'slow') peer.lowerPriority()
    if (this.#isClosed || this.#idle[kind].length >= this.#places[kind]) void this.#kill(peer)
    else this.#idle[kind].push(peer)
  }

  #begin(request: LeaseRequest, peer: SqlitePeer): Lease {
    const lease = new Lease(request, peer, {
      // Timers come a little early now and then.
      leaveAfterMs: LEAVE_MS + 5,
      limitMs: this.#limitMs,
      mayLeave: () => this.#serveWaiting(),
      isOver: (isStopped) => this.#end(lease, isStopped),
    })
    this.#underWay.add(lease)
    return lease
  }

  #makeRoom(): void {
    for (const lease of this.#underWay) {
      if (lease.kind === 'slow' || lease.ageMs < LEAVE_MS || this.#hasPlace('quick')) continue
      if (!this.#hasPlace('slow')) {
        lease.limit(Math.min(CROWDED_LIMIT_MS, this.#limitMs))
        continue
      }
      lease.kind = 'slow'
      lease.peer.lowerPriority()
    }
  }

  #end(lease: Lease, isStopped: boolean): void {
    this.#underWay.delete(lease)
    this.#learn(lease, isStopped)
    if (isStopped) this.#replace(lease)
    else this.#keepIdle(lease.kind, lease.peer)
    this.#serveWaiting()
  }

  // By the time that SQLite was busy, where that is known.
  #learn(lease: Lease, isStopped: boolean): void {
    const tookMs = isStopped ? lease.ageMs : lease.busyMs
    if (tookMs < SLOW_MS) return void this.#slowNames.delete(lease.name)
    if (this.#slowNames.size >= MAX_SLOW_NAMES) this.#slowNames.clear()
    this.#slowNames.add(lease.name)
  }

  #replace({ kind, peer }: Lease): void {
    this.cancelled += 1
    void this.#kill(peer)
    if (this.#idle[kind].length + this.#starting[kind] === 0 && !this.#isClosed) this.#startOne(kind)
  }

  async #kill(peer: SqlitePeer): Promise<void> {
    await peer.kill()
    this.#peers.delete(peer)
  }
}

/** Reads once more where the process has ended: reading changes nothing, and it may be another's memory that was short. */
async function again<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ReaderEndedError) return read()
    throw error
  }
}

function endSnapshot(lease: Lease): void {
  lease.peer.post({ do: 'run', statements: [['COMMIT', []]], rows: false })
  lease.release()
}
