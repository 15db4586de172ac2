import type { RunsTable } from '../database/schema/runs'
import { HttpError, notFound } from '../errors'
import type { NamedSubject, SubjectScope } from '../http/subject-scope'
import { isLinked } from '../stations/store'

/** A run that who asks may change. */
export type CheckedRun = Pick<RunsTable, 'id' | 'public_id' | 'procedure_id'>

/**
 * The run that a request names: a user may change any, a station those of procedures linked to it (contract decisions,
 * Access). @throws HttpError NOT_FOUND, FORBIDDEN
 */
export async function findLinkedRun(
  { transaction: { query }, principal }: Pick<SubjectScope, 'transaction' | 'principal'>,
  { id, run_id: publicId = id ?? '' }: NamedSubject,
): Promise<CheckedRun> {
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
