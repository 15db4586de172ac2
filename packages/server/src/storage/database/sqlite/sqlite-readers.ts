import type { Query, ReadOptions } from '../database'
import { createKysely } from '../kysely'
import { SQLITE } from './sqlite-engine'
import { clientGoneError, shutdownError, overloadedError, readTimeoutError } from '../database-errors'
import { Lease, type LeaseRequest, type ReadKind } from './sqlite-lease'
import { ReaderEndedError, type SqlitePeer } from './sqlite-peer'

export interface ReaderOptions {
  /** Concurrent quick reads. */
  readers?: number
  /** For a read, and for waiting for its turn. */
  readLimitMs?: number
}

/** CPU time; longer reads run on a slow reader next time. */
const SLOW_MS = 100
/**
 * A longer quick read gives up its place when others wait. Not sooner: a busy machine is slow now and then, and the next read may
 * need a new process.
 */
const LEAVE_MS = 200
/** Concurrent slow reads; a further one gets a shorter limit. */
const MAX_SLOW = 2
const CROWDED_LIMIT_MS = 1000
const MAX_SLOW_NAMES = 1000
/** More reads would wait in vain. */
const MAX_WAITING = 1000

const KINDS = ['quick', 'slow'] as const

interface Waiting {
  start: (peer: SqlitePeer) => void
  fail: (error: Error) => void
}

/**
 * A statement that takes too long, or lost its client, is killed with its process. Nothing else stops it: node:sqlite has no
 * interrupt, and a terminated thread finishes its statement, or crashes the service. Slow reads cannot take the processes of
 * quick ones.
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
  readonly #peers = new Set<SqlitePeer>()
  #isClosed = false

  constructor(start: () => SqlitePeer, { readers = 2, readLimitMs = 10_000 }: ReaderOptions = {}) {
    this.#start = start
    this.#places = { quick: readers, slow: MAX_SLOW }
    this.#limitMs = readLimitMs
    this.#startOne('quick')
    this.query = createKysely(SQLITE, (statement, rows) =>
      retryOnce(async () => {
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
    return retryOnce(() => this.#read(work, options))
  }

  /** Takes a connection at the first statement, so that BEGIN and COMMIT need no messages of their own. */
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

  /** Counts starting processes, or every queued read would start another. */
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

  /** The read begins when its process is ready, which takes seconds on a busy machine. */
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
      // Timers may fire a little early.
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

  // By SQLite's busy time, if known.
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

/** Reads are idempotent, and another read may have used up the memory of the dead process. */
async function retryOnce<Result>(read: () => Promise<Result>): Promise<Result> {
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
