import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { CommitUnknownError } from './database'
import { type DescribeFailure, isPoolFull } from './postgres-connection'
import { ProcessLocks } from './process-locks'
import { isCrowded } from './refusals'

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
    return this.#own.withLocks(names, async () => {
      const client = await this.#take(names).catch((error: unknown) => {
        throw isPoolFull(error) ? isCrowded() : this.#describeFailure(error)
      })
      let isHeld = false
      try {
        const result = await work()
        isHeld = await giveBack(client)
        if (isHeld) return result
      } finally {
        if (!isHeld) client.release(true)
      }
      throw new CommitUnknownError(new Error('The connection with the locks broke.'))
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
    return false
  }
}

/** Locks have numbers of 64 bits; two names that share one wait for each other without need. */
function numberOf(name: string): bigint {
  return createHash('sha256').update(name).digest().readBigInt64BE()
}
