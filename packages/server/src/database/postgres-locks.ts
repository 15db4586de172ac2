import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import type { DescribeFailure } from './postgres-connection'

/**
 * Locks that all processes of a database share. Whoever has some holds a connection: PostgreSQL gives them up with it, also when
 * the process is killed.
 */
export class PostgresLocks {
  readonly #pool: Pool
  readonly #describeFailure: DescribeFailure

  constructor(pool: Pool, describeFailure: DescribeFailure) {
    this.#pool = pool
    this.#describeFailure = describeFailure
  }

  async withLocks<Result>(names: readonly string[], work: () => Promise<Result>): Promise<Result> {
    const client = await this.#take(names).catch((error: unknown) => {
      throw this.#describeFailure(error)
    })
    try {
      return await work()
    } finally {
      await giveBack(client)
    }
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

/** A connection that cannot be asked any more is closed, and its locks end with it. */
async function giveBack(client: PoolClient): Promise<void> {
  const isUsable = await client.query('SELECT pg_advisory_unlock_all()').then(
    () => true,
    () => false,
  )
  client.release(!isUsable)
}

/** Locks have numbers of 64 bits; two names that share one wait for each other without need. */
function numberOf(name: string): bigint {
  return createHash('sha256').update(name).digest().readBigInt64BE()
}
