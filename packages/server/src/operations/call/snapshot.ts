import { readingFrom } from '../../storage/database/database'
import type { Context } from './context'

/** Runs reads on one snapshot of the database, and stops them when the client goes away. */
export function readSnapshot<Result>(
  context: Context,
  signal: AbortSignal,
  work: (reading: Context) => Promise<Result>,
): Promise<Result> {
  const { database } = context
  return database.read((query) => work({ ...context, database: readingFrom(database, query) }), { signal })
}
