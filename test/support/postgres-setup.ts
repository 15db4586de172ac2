import { startPostgres } from './postgres'

/** Starts a PostgreSQL before the tests of a vitest, on which each of their services has a database of its own. */
export async function setup(): Promise<() => Promise<void>> {
  const postgres = await startPostgres()
  process.env.RUNLEDGER_TEST_POSTGRES = postgres.urlOf('postgres')
  return () => postgres.stop()
}
