import { KeyClashError, type Query, type SqlValue, type Statement, type Transaction } from '../database'
import { createKysely } from '../kysely'
import { shutdownError, writeTimeoutError, endedTransactionError } from '../database-errors'
import { SQLITE } from './sqlite-engine'
import type { PeerResult, SqlitePeer } from './sqlite-peer'

/** Of the writes that wait, so many share a transaction, and none joins one that was begun longer ago. */
const MAX_GROUP_SIZE = 64
const MAX_GROUP_MS = 40

const MAX_KEY_ATTEMPTS = 5

/** Statements are sent when they have so many values together, so that the writer begins while others are made. */
const MAX_BUFFERED_VALUES = 4096

export interface WriterOptions {
  /** How long one write may take; what takes longer is undone. */
  writeLimitMs?: number
  /** How long the writes that wait are given when the database closes. */
  closeLimitMs?: number
}

interface Job {
  attempt: number
  work: (transaction: Transaction) => Promise<unknown>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/** A job whose work is done, and what it came to, its group's commit apart. */
interface Ended {
  job: Job
  outcome: Promise<Settled>
}

/** Runs writes one after another on the one connection that writes, those that wait for it in one transaction. */
export class SqliteWriter {
  readonly #peer: SqlitePeer
  readonly #limitMs: number
  readonly #closeLimitMs: number
  readonly #queue: Job[] = []
  #draining: Promise<void> | undefined
  readonly counts = { writes: 0, commits: 0 }

  constructor(peer: SqlitePeer, { writeLimitMs = 30_000, closeLimitMs = 10_000 }: WriterOptions = {}) {
    this.#peer = peer
    this.#limitMs = writeLimitMs
    this.#closeLimitMs = closeLimitMs
  }

  get queued(): number {
    return this.#queue.length
  }

  write<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ attempt: 1, work, resolve: resolve as Job['resolve'], reject })
      this.#draining ??= this.#drain()
    })
  }

  /** After the writes that were asked for, or those of them that get their turn in time. */
  async close(): Promise<void> {
    const timer = setTimeout(() => {
      for (const { reject } of this.#queue.splice(0)) reject(shutdownError())
    }, this.#closeLimitMs)
    await this.#draining
    clearTimeout(timer)
    await this.#peer.ask({ do: 'optimize' }).catch(() => undefined)
    await this.#peer.ask({ do: 'close' })
    await this.#peer.kill()
  }

  optimize(): Promise<unknown> {
    return this.#peer.ask({ do: 'optimize' })
  }

  async #drain(): Promise<void> {
    let last: Promise<void> = Promise.resolve()
    while (this.#queue.length > 0) {
      const committing = this.#commit(await this.#runGroup())
      // While one group is being committed the next one is made, and no more than one.
      await last
      last = committing
      if (this.#queue.length === 0) await last
    }
    this.#draining = undefined
  }

  async #runGroup(): Promise<Ended[]> {
    const endsAt = performance.now() + MAX_GROUP_MS
    const group: Ended[] = []
    this.#peer.post({ do: 'begin' })
    for (let job = this.#queue.shift(); job; job = this.#queue.shift()) {
      group.push(await this.#runJob(job))
      if (group.length === MAX_GROUP_SIZE || performance.now() > endsAt) break
    }
    return group
  }

  async #runJob(job: Job): Promise<Ended> {
    const transaction = new PostedTransaction(this.#peer)
    this.#peer.post({ do: 'beginWrite' })
    const worked = await settle(this.#limit(transaction, job.work))
    transaction.end()
    const ended = settle(this.#peer.ask({ do: 'endWrite', keep: 'result' in worked }))
    // A statement that failed comes first: it may be why the work failed, or the work may not have waited for it.
    return { job, outcome: ended.then((end) => ('error' in end ? end : worked)) }
  }

  /** Work that never ends would hold up all that come after it. */
  async #limit(transaction: Transaction, work: Job['work']): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(writeTimeoutError(this.#limitMs)), this.#limitMs)
    })
    try {
      return await Promise.race([work(transaction), tooLate])
    } finally {
      clearTimeout(timer)
    }
  }

  async #commit(group: readonly Ended[]): Promise<void> {
    const committing = settle(this.#peer.ask({ do: 'commit' }))
    const outcomes = await Promise.all(group.map(({ outcome }) => outcome))
    const committed = await committing
    if ('result' in committed) this.counts.commits += 1
    for (const [index, { job }] of group.entries()) {
      const outcome = outcomes[index]
      if (outcome && 'error' in outcome) this.#fail(job, outcome.error)
      else if ('error' in committed) job.reject(committed.error)
      else this.#succeed(job, outcome?.result)
    }
  }

  #succeed(job: Job, result: unknown): void {
    this.counts.writes += 1
    job.resolve(result)
  }

  // Keys come from the clock, so a clock set back can make one that exists: work is then done again with fresh ones.
  #fail(job: Job, error: unknown): void {
    if (!(error instanceof KeyClashError) || job.attempt === MAX_KEY_ATTEMPTS) return job.reject(error)
    this.#queue.unshift({ ...job, attempt: job.attempt + 1 })
  }
}

type Settled = { result: unknown } | { error: unknown }

function settle(promise: Promise<unknown>): Promise<Settled> {
  return promise.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  )
}

/** What one write does, as messages: statements whose result nobody waits for go along with the next one that has one. */
class PostedTransaction implements Transaction {
  readonly #peer: SqlitePeer
  #query: Query | undefined
  #buffer: Statement[] = []
  #bufferedValues = 0
  #sent: Promise<unknown> = Promise.resolve()
  #isOver = false

  constructor(peer: SqlitePeer) {
    this.#peer = peer
  }

  get query(): Query {
    return (this.#query ??= createKysely(SQLITE, (statement, rows) => this.#ask(statement, rows)))
  }

  // Functions of their own, since callers take them out of the transaction.
  readonly all = async <Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]> => {
    const { rows } = await this.#ask([sql, values], true)
    return rows as Row[]
  }

  readonly run = async (sql: string, values: readonly SqlValue[]): Promise<void> => {
    if (this.#isOver) throw endedTransactionError()
    this.#buffer.push([sql, values])
    this.#bufferedValues += values.length
    if (this.#bufferedValues <= MAX_BUFFERED_VALUES) return
    const before = this.#sent
    this.#sent = settle(this.#ask(this.#buffer.pop() as Statement, false))
    // No more is made than the writer keeps up with: a large run would fill the memory, and keep everybody else waiting.
    await before
  }

  /** Sends what is left; nothing can be done in it from then on. */
  end(): void {
    this.#flush()
    this.#isOver = true
  }

  #flush(): void {
    const statements = this.#takeBuffer()
    if (statements.length > 0) this.#peer.post({ do: 'runInWrite', statements, rows: false })
  }

  #ask(statement: Statement, rows: boolean): Promise<PeerResult> {
    if (this.#isOver) return Promise.reject(endedTransactionError())
    return this.#peer.ask({ do: 'runInWrite', statements: [...this.#takeBuffer(), statement], rows })
  }

  #takeBuffer(): Statement[] {
    const statements = this.#buffer
    this.#buffer = []
    this.#bufferedValues = 0
    return statements
  }
}
