import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { CommitUnknownError } from './database'
import { type DescribeFailure, isPoolFull } from './postgres-connection'
import { ProcessLocks } from './process-locks'
import { isCrowded } from './refusals'

/** Whoever waits longer for others of this process is refused at its turn: who hangs would hold up all of them, one by one. */
const WAIT_LIMIT_MS = 15_000

/**
 * Locks that all processes of a database share. Whoever has some holds a connection: PostgreSQL gives them up with it, also when
 * the process is killed.
 */
export class PostgresLocks {
  readonly #pool: Pool
  readonly #describeFailure: DescribeFailure
  // Those of this process that want the same wait here, without a connection each.
  readonly #own = new ProcessLocks()

  constructor(pool: Pool, describeFailure: DescribeFailure) {
    this.#pool = pool
    this.#describeFailure = describeFailure
  }

  /** @throws CommitUnknownError where the locks were lost meanwhile: others may have undone what `work` did */
  withLocks<Result>(names: readonly string[], work: () => Promise<Result>): Promise<Result> {
    const askedAt = performance.now()
    return this.#own.withLocks(names, async () => {
      if (performance.now() - askedAt > WAIT_LIMIT_MS) throw isCrowded()
      const client = await this.#take(names).catch((error: unknown) => {
        throw isPoolFull(error) ? isCrowded() : this.#describeFailure(error)
      })
      const [end] = await Promise.allSettled([work()])
      const isHeld = await giveBack(client)
      if (end.status === 'rejected') throw end.reason
      if (!isHeld) throw new CommitUnknownError(new Error('The connection with the locks broke.'))
      return end.value
    })
  }

  /** In the order of their numbers, so that two who need the same never wait for each other. */
  async #take(names: readonly string[]): Promise<PoolClient> {
    const client = await this.#pool.connect()
    try {
      const sorted = [...new Set(names.map(numberOf))].toSorted((a, b) => (a < b ? -1 : 1))
      for (const number of sorted) await client.query('SELECT pg_advisory_lock($1)', [String(number)])
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  close(): Promise<void> {
    return this.#pool.end()
  }
}

/** False where the connection is gone, and the locks with it. */
async function giveBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('SELECT pg_advisory_unlock_all()')
    client.release()
    return true
  } catch {
    client.release(true)
    return false
  }
}

/** Locks have numbers of 64 bits; two names that share one wait for each other without need. */
function numberOf(name: string): bigint {
  return createHash('sha256').update(name).digest().readBigInt64BE()
}
