import type { Query } from '../database/database'
import { HttpError } from '../errors'
import type { Principal } from '../keys/principal'
import { isLinked } from './store'

/** A procedure as the client named it, with its key when there is such a procedure. */
export interface NamedProcedure {
  key: number | undefined
  identifier: string
}

/**
 * Refuses a station that creates runs of a procedure which is not linked to it, and just the same of one that does not
 * exist (contract decisions, Access). A user may create runs of any. @throws HttpError FORBIDDEN
 */
export async function checkStationMayCreate(
  query: Query,
  principal: Principal,
  { key, identifier }: NamedProcedure,
): Promise<void> {
  if (principal.kind === 'user') return
  if (key !== undefined && (await isLinked(query, principal.stationId, key))) return
  throw new HttpError(
    'FORBIDDEN',
    `This station is not authorized to create runs of the procedure "${identifier}". Link the procedure to the station first.`,
  )
}
