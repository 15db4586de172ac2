import { KeyClashError, type Query, type SqlValue, type Statement, type Transaction } from '../database'
import { createKysely } from '../kysely'
import { shutdownError, writeTimeoutError, endedTransactionError } from '../database-errors'
import { SQLITE } from './sqlite-engine'
import type { PeerResult, SqlitePeer } from './sqlite-peer'

/** Most writes in a transaction, and the age above which none joins it. */
const MAX_GROUP_SIZE = 64
const MAX_GROUP_MS = 40

const MAX_KEY_ATTEMPTS = 5

/** Statements with this many values are sent at once, so that the writer starts while others are made. */
const MAX_BUFFERED_VALUES = 4096

export interface WriterOptions {
  /** Longer writes are rolled back. */
  writeLimitMs?: number
  closeLimitMs?: number
}

interface Job {
  attempt: number
  work: (transaction: Transaction) => Promise<unknown>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/** Its work is done; this is its outcome before the group's commit. */
interface Ended {
  job: Job
  outcome: Promise<Settled>
}

/** Queued writes share a transaction (group commit). */
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

  /** Queued writes still run, if they get their turn in time. */
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
      // The next group runs during a commit, but no further one.
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
    // A failed statement wins: it may have caused the failure of work that did not wait for it.
    return { job, outcome: ended.then((end) => ('error' in end ? end : worked)) }
  }

  /** Work that never ends would block all later writes. */
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

  // A clock set back may repeat a key: do the work again with new keys.
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

/** Statements without a result go along with the next one that has one. */
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

  // Bound, because callers destructure them.
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
    // The writer cannot keep up: wait, or a large run would fill the memory and delay others.
    await before
  }

  /** Sends the rest; do not use the transaction afterwards. */
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
