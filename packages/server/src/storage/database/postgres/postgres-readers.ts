import type { Pool, PoolClient } from 'pg'
import type { Query, ReadOptions, Statement, StatementResult } from '../database'
import { createKysely } from '../kysely'
import {
  codeOf,
  createStatement,
  type DescribeFailure,
  isDeadlock,
  isGone,
  QUERY_CANCELED,
} from './postgres-connection'
import { POSTGRES } from './postgres-engine'
import {
  clientGoneError,
  shutdownError,
  overloadedError,
  readTimeoutError,
  endedTransactionError,
} from '../database-errors'

/** More reads would wait in vain. */
const MAX_WAITING = 1000

interface ReaderOptions {
  limitMs: number
  describeFailure: DescribeFailure
}

export interface ReaderPools {
  reading: Pool
  stopping: Pool
}

interface ReadingOptions extends ReadOptions {
  /** All statements share one snapshot. */
  isSnapshot: boolean
}

/** Each read has a connection of its own. */
export class PostgresReaders {
  readonly query: Query
  cancelled = 0
  readonly #pools: ReaderPools
  readonly #options: ReaderOptions
  readonly #underWay = new Set<Reading>()
  #isClosed = false

  constructor(pools: ReaderPools, options: ReaderOptions) {
    this.#pools = pools
    this.#options = options
    this.query = createKysely(POSTGRES, (statement) =>
      this.#again(async () => {
        const reading = this.#begin({ isSnapshot: false })
        return reading.ask(statement).finally(() => reading.end())
      }),
    )
  }

  get underWay(): number {
    return this.#underWay.size - this.queued
  }

  get queued(): number {
    return this.#pools.reading.waitingCount
  }

  read<Result>(work: (query: Query) => Promise<Result>, options: ReadOptions = {}): Promise<Result> {
    return this.#again(() => this.#read(work, options))
  }

  /** Takes a connection at the first statement. */
  async #read<Result>(work: (query: Query) => Promise<Result>, options: ReadOptions): Promise<Result> {
    let reading: Reading | undefined
    const query = createKysely(POSTGRES, async (statement) => {
      reading ??= this.#begin({ ...options, isSnapshot: true })
      return reading.ask(statement)
    })
    try {
      return await work(query)
    } finally {
      reading?.end()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#underWay].map((reading) => reading.stop(shutdownError())))
    await Promise.all([this.#pools.reading.end(), this.#pools.stopping.end()])
  }

  /** Retries once after a broken connection, or a deadlock with a release that changes the tables. */
  async #again<Result>(read: () => Promise<Result>): Promise<Result> {
    try {
      return await read()
    } catch (error) {
      if (!isGone(error) && !isDeadlock(error)) throw error
      return read().catch((second: unknown) => {
        throw this.#options.describeFailure(second)
      })
    }
  }

  #begin(options: ReadingOptions): Reading {
    if (this.#isClosed) throw shutdownError()
    if (options.signal?.aborted) throw clientGoneError()
    if (this.queued >= MAX_WAITING) throw overloadedError()
    const reading = new Reading(this.#pools, {
      ...options,
      limitMs: this.#options.limitMs,
      isOver: (isStopped) => {
        this.#underWay.delete(reading)
        if (isStopped) this.cancelled += 1
      },
    })
    this.#underWay.add(reading)
    return reading
  }
}

interface ReadingEvents extends ReadingOptions {
  limitMs: number
  isOver: (isStopped: boolean) => void
}

const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** Ends when the read ends, reaches its time limit or loses its client. */
class Reading {
  readonly #pools: ReaderPools
  readonly #events: ReadingEvents
  readonly #connecting: Promise<PoolClient>
  readonly #stopped: Promise<never>
  readonly #timer: NodeJS.Timeout
  readonly #breakOff = () => void this.stop(clientGoneError())
  #failStopped: (error: Error) => void = () => undefined
  #failure: Error | undefined

  constructor(pools: ReaderPools, events: ReadingEvents) {
    this.#pools = pools
    this.#events = events
    this.#stopped = new Promise((_resolve, reject) => (this.#failStopped = reject))
    this.#stopped.catch(() => undefined)
    this.#timer = setTimeout(() => void this.stop(readTimeoutError(events.limitMs)), events.limitMs)
    events.signal?.addEventListener('abort', this.#breakOff)
    this.#connecting = this.#connect()
    this.#connecting.catch(() => undefined)
  }

  async ask([text, values]: Statement): Promise<StatementResult> {
    const client = await Promise.race([this.#connecting, this.#stopped])
    if (this.#failure) throw this.#failure
    const asking = client.query<object>(createStatement(text, values))
    asking.catch(() => undefined)
    const { rows, rowCount } = await Promise.race([asking, this.#stopped]).catch((error: unknown) => {
      throw codeOf(error) === QUERY_CANCELED ? readTimeoutError(this.#events.limitMs) : error
    })
    return { rows, changes: rowCount ?? 0 }
  }

  end(): void {
    if (this.#leave(endedTransactionError(), false)) void this.#giveBack()
  }

  async #giveBack(): Promise<void> {
    const client = await this.#connected()
    // Statements sent later on this connection run after it.
    if (this.#events.isSnapshot) client?.query('COMMIT').catch(() => undefined)
    client?.release()
  }

  /** Resolves when the database has been asked to stop. */
  async stop(reason: Error): Promise<void> {
    if (!this.#leave(reason, true)) return
    this.#failStopped(reason)
    const client = await this.#connected()
    if (!client) return
    const { processID } = client as PoolClient & { processID: number }
    await this.#pools.stopping.query('SELECT pg_cancel_backend($1)', [processID]).catch(() => undefined)
    // Do not reuse it: a late cancellation could stop the next read.
    client.release(true)
  }

  #connected(): Promise<PoolClient | undefined> {
    return this.#connecting.catch(() => undefined)
  }

  async #connect(): Promise<PoolClient> {
    const client = await this.#pools.reading.connect()
    if (this.#events.isSnapshot && !this.#failure) client.query(BEGIN).catch(() => undefined)
    return client
  }

  /** False if it had ended already. */
  #leave(failure: Error, isStopped: boolean): boolean {
    if (this.#failure) return false
    this.#failure = failure
    clearTimeout(this.#timer)
    this.#events.signal?.removeEventListener('abort', this.#breakOff)
    this.#events.isOver(isStopped)
    return true
  }
}
