import { HttpError } from '../errors'
import type { NamedSubject, SubjectScope } from '../http/subject-scope'
import { isLinked } from '../stations/store'
import { refuseMalformedId, unknownProcedure } from './find-known-procedure'
import { findProcedure } from './store'

/** A procedure that who asks may create runs of. */
export interface CheckedProcedure {
  id: number
}

/**
 * The procedure that a request names. A user may create runs of any; a station of those that are linked to it, and one
 * that does not exist is just the same to it (contract decisions, Access). @throws HttpError FORBIDDEN, NOT_FOUND, BAD_REQUEST
 */
export async function findLinkedProcedure(
  { transaction, principal, isMalformedRefused }: SubjectScope,
  { procedure_id: identifier = '' }: NamedSubject,
): Promise<CheckedProcedure> {
  const procedure = await findProcedure(transaction, identifier)
  if (!procedure && isMalformedRefused) refuseMalformedId(identifier)
  if (principal.kind === 'station') {
    const { stationId } = principal
    const isOwn = procedure !== undefined && (await isLinked(transaction.query, stationId, procedure.id))
    if (!isOwn) throw notLinked(identifier)
  }
  if (procedure) return procedure
  throw unknownProcedure(identifier)
}

function notLinked(identifier: string): HttpError {
  return new HttpError(
    'FORBIDDEN',
    `This station is not authorized to create runs of the procedure "${identifier}". Link the procedure to the station first.`,
  )
}
