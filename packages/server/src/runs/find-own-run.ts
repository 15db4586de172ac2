import type { Query } from '../database/database'
import { HttpError, notFound } from '../errors'
import type { Principal } from '../keys/principal'
import { isLinked } from '../stations/store'

/**
 * A run that this principal may change: a user any, a station those of procedures linked to it (contract decisions,
 * Access). @throws HttpError NOT_FOUND, FORBIDDEN
 */
export async function findOwnRun(
  query: Query,
  principal: Principal,
  publicId: string,
): Promise<{ id: number; public_id: string }> {
  const run = await query
    .selectFrom('live_runs as runs')
    .select(['id', 'public_id', 'procedure_id'])
    .where('public_id', '=', publicId.toLowerCase())
    .executeTakeFirst()
  if (!run) throw unknownRun(publicId)
  if (principal.kind === 'user' || (await isLinked(query, principal.stationId, run.procedure_id))) return run
  throw new HttpError(
    'FORBIDDEN',
    'This station is not authorized to change runs of this procedure. Link the procedure to the station first.',
  )
}

export function unknownRun(id: string): HttpError {
  return notFound(`run with the id "${id}"`)
}
