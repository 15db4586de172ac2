import { readingFrom } from '../../storage/database/database'
import type { Context } from './context'

/** All that the work reads is as it was at one moment, and is read no further once its client has gone. */
export function readSnapshot<Result>(
  context: Context,
  signal: AbortSignal,
  work: (reading: Context) => Promise<Result>,
): Promise<Result> {
  const { database } = context
  return database.read((query) => work({ ...context, database: readingFrom(database, query) }), { signal })
}
