import { afterAll, beforeAll, describe } from 'vitest'
import { findPostgres, type Postgres, startPostgres } from '../support/postgres'

/** Tests with a PostgreSQL; left out where there is none, but never in a CI. */
export function describeWithPostgres(name: string, tests: (postgres: () => Postgres) => void): void {
  const isLeftOut = findPostgres() === undefined && process.env.CI === undefined
  describe.skipIf(isLeftOut)(name, () => {
    let postgres: Postgres

    beforeAll(async () => {
      postgres = await startPostgres()
    })

    afterAll(() => postgres.stop())

    tests(() => postgres)
  })
}

/** Does work while the server is gone, which is back for the next test whatever comes of it. */
export async function whileGone(postgres: Postgres, work: () => Promise<void>): Promise<void> {
  await postgres.kill()
  await work().finally(() => postgres.start())
}
