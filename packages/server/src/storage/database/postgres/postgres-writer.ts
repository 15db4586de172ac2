import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommitUnknownError, type Query, type SqlValue, type Transaction } from '../database'
import { createKysely } from '../kysely'
import { createStatement, type DescribeFailure, isClash, isGone, isSilent } from './postgres-connection'
import { POSTGRES } from './postgres-engine'
import { shutdownError, writeTimeoutError, endedTransactionError } from '../database-errors'

/** In a small database, services that create runs at once clash half of the time. */
const MAX_ATTEMPTS = 10
/** Longest pause before the second attempt; it grows. */
const PAUSE_MS = 20
/** Longer than a statement goes on after its time limit. */
const ROLLBACK_LIMIT_MS = 5_000

/** Most statements sent ahead of responses: waiting for each takes longer than most of them. */
const MOST_UNDER_WAY = 8

interface WriterOptions extends WriterLimits {
  describeFailure: DescribeFailure
}

export interface WriterLimits {
  /** Longer writes are rolled back. */
  writeLimitMs: number
  closeLimitMs: number
}

interface Job {
  work: (transaction: Transaction) => Promise<unknown>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/** Writes of this process run one by one. PostgreSQL detects conflicts with others (SERIALIZABLE); the work is then repeated. */
export class PostgresWriter {
  readonly counts = { writes: 0, commits: 0 }
  readonly #pool: Pool
  readonly #options: WriterOptions
  readonly #queue: Job[] = []
  #draining: Promise<void> | undefined
  #isClosed = false

  constructor(pool: Pool, options: WriterOptions) {
    this.#pool = pool
    this.#options = options
  }

  get queued(): number {
    return this.#queue.length
  }

  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) return Promise.reject(shutdownError())
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as Job['resolve'], reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Queued writes still run, if they get their turn in time. */
  async close(): Promise<void> {
    this.#isClosed = true
    const timer = setTimeout(() => {
      for (const { reject } of this.#queue.splice(0)) reject(shutdownError())
    }, this.#options.closeLimitMs)
    await this.#draining
    clearTimeout(timer)
    await this.#pool.end()
  }

  async #drain(): Promise<void> {
    for (let job = this.#queue.shift(); job; job = this.#queue.shift())
      await this.#run(job.work).then(job.resolve, job.reject)
    this.#draining = undefined
  }

  async #run(work: Job['work']): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const result = await this.#attempt(work)
        this.counts.writes += 1
        this.counts.commits += 1
        return result
      } catch (error) {
        // An idle connection may have broken long ago.
        const mayHelp = isClash(error) || (isGone(error) && !isSilent(error) && attempt === 1)
        if (!mayHelp || attempt === MAX_ATTEMPTS) throw this.#giveUp(error)
        await sleep(Math.random() * PAUSE_MS * attempt)
      }
    }
  }

  /** Rejects the whole queue: otherwise each write would wait for its own failure. */
  #giveUp(error: unknown): unknown {
    const failure = this.#options.describeFailure(error)
    if (isGone(error)) for (const { reject } of this.#queue.splice(0)) reject(failure)
    return failure
  }

  async #attempt(work: Job['work']): Promise<unknown> {
    const client = await this.#pool.connect()
    const transaction = new PostgresTransaction(client)
    try {
      const result = await this.#limit(transaction, work)
      await transaction.prepareCommit()
      await this.#commit(transaction)
      client.release()
      return result
    } catch (error) {
      const isUsable = await transaction.rollBack()
      client.release(!isUsable)
      // The first failure, which caused the others.
      throw transaction.failure ?? error
    }
  }

  /** If the connection breaks here, the outcome is unknown: do not repeat the work. */
  async #commit(transaction: PostgresTransaction): Promise<void> {
    await transaction.commit().catch((error: unknown) => {
      throw isGone(error) ? new CommitUnknownError(this.#options.describeFailure(error)) : error
    })
  }

  /** Work that never ends would block all later writes. */
  async #limit(transaction: PostgresTransaction, work: Job['work']): Promise<unknown> {
    const { writeLimitMs } = this.#options
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise((_resolve, reject) => {
      timer = setTimeout(() => {
        const error = writeTimeoutError(writeLimitMs)
        transaction.failure = error
        reject(error)
      }, writeLimitMs)
    })
    try {
      return await Promise.race([work(transaction), tooLate])
    } finally {
      clearTimeout(timer)
    }
  }
}

class PostgresTransaction implements Transaction {
  /** The first statement's failure, after which PostgreSQL refuses all others; or the time limit. */
  failure: unknown
  readonly #client: PoolClient
  #query: Query | undefined
  /** Sent without waiting, in this order. */
  readonly #underWay: Promise<unknown>[] = []
  #isOver = false

  constructor(client: PoolClient) {
    this.#client = client
    this.#sendAhead({ text: 'BEGIN ISOLATION LEVEL SERIALIZABLE' })
  }

  get query(): Query {
    return (this.#query ??= createKysely(POSTGRES, async ([text, values]) => {
      const { rows, rowCount } = await this.#ask(createStatement(text, values))
      return { rows, changes: rowCount ?? 0 }
    }))
  }

  // Bound, because callers destructure them.
  readonly all = async <Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]> => {
    const { rows } = await this.#ask(prepare(sql, values))
    return rows as Row[]
  }

  readonly run = async (sql: string, values: readonly SqlValue[]): Promise<void> => {
    if (this.#isOver) throw endedTransactionError()
    this.#sendAhead(prepare(sql, values))
    // The database cannot keep up: wait.
    if (this.#underWay.length > MOST_UNDER_WAY) await this.#underWay.shift()
  }

  /** @throws the failure of a sent statement */
  async prepareCommit(): Promise<void> {
    this.#isOver = true
    await this.#underWay.at(-1)
    if (this.failure !== undefined) throw this.failure
  }

  async commit(): Promise<void> {
    const { command } = await this.#client.query('COMMIT')
    if (command !== 'COMMIT') throw this.failure ?? new Error('The transaction was rolled back.')
  }

  /** False if the connection is broken. */
  async rollBack(): Promise<boolean> {
    this.#isOver = true
    return this.#client.query({ text: 'ROLLBACK', query_timeout: ROLLBACK_LIMIT_MS } as QueryConfig).then(
      () => true,
      () => false,
    )
  }

  #sendAhead(config: QueryConfig): void {
    this.#underWay.push(this.#send(config).catch(() => undefined))
  }

  #ask(config: QueryConfig): Promise<QueryResult<object>> {
    return this.#isOver ? Promise.reject(endedTransactionError()) : this.#send(config)
  }

  async #send(config: QueryConfig): Promise<QueryResult<object>> {
    if (this.failure !== undefined) throw this.failure
    try {
      return await this.#client.query(config)
    } catch (error) {
      this.failure ??= error
      throw this.failure
    }
  }
}

/** As many as the code has. Each connection keeps them prepared. */
const texts = new Map<string, { name: string; text: string }>()

function prepare(sql: string, values: readonly SqlValue[]): QueryConfig {
  const known = texts.get(sql) ?? { name: `s${texts.size}`, text: numberPlaceholders(sql) }
  texts.set(sql, known)
  return { ...createStatement(known.text, values), name: known.name }
}

const QUOTED_OR_PLACEHOLDER = /'(?:[^']|'')*'|\?/g

/** `?` becomes `$1`, `$2`, … */
export function numberPlaceholders(sql: string): string {
  let count = 0
  return sql.replaceAll(QUOTED_OR_PLACEHOLDER, (found) => (found === '?' ? `$${(count += 1)}` : found))
}
