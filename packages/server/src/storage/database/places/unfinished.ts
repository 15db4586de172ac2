import { StartError } from '../../../base/errors'
import type { Query } from '../database'

/** A setting of the target of a move: the first user of the moved record. */
export const UNFINISHED = 'internal.migrating_from'

/** Until the move is complete, a service would change records, and delete bytes whose rows have not come. @throws StartError */
export async function refuseUnfinishedMove(query: Query): Promise<void> {
  const mark = await query
    .selectFrom('settings')
    .select('name')
    .where('name', '=', UNFINISHED)
    .executeTakeFirst()
  if (mark !== undefined) throw unfinishedMoveError()
}

export function unfinishedMoveError(): StartError {
  return new StartError(
    'The move of a record to this place is not complete. Run "runledger migrate-storage" again with the same settings: it continues where it stopped. Or empty this database and the place of its files.',
  )
}
