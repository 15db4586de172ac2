import { readingFrom } from '../../storage/database/database'
import type { Context } from './context'

/** All reads use one snapshot, and stop when the client goes away. */
export function readSnapshot<Result>(
  context: Context,
  signal: AbortSignal,
  work: (reading: Context) => Promise<Result>,
): Promise<Result> {
  const { database } = context
  return database.read((query) => work({ ...context, database: readingFrom(database, query) }), { signal })
}
