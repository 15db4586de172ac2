import { foldIdentifier } from '@runledger/protocol'
import { HttpError } from '../errors'
import type { NamedSubject, SubjectScope } from '../http/subject-scope'
import { isLinked } from '../stations/store'
import { createProcedureWithin } from './create-procedure'
import { refuseMalformedId, unknownProcedure } from './find-known-procedure'
import { findProcedure, findProcedureByName, type NamedProcedure } from './store'

/** A procedure that who asks may create runs of. */
export interface CheckedProcedure {
  id: number
  /** The name that was sent beside the id, where it is not the procedure's. */
  otherName: string | undefined
}

/**
 * The procedure that a request names. A user may create runs of any, and creates one that is named by its name alone; a
 * station of those that are linked to it, and one that does not exist is just the same to it (contract decisions, Access).
 * @throws HttpError FORBIDDEN, NOT_FOUND, BAD_REQUEST
 */
export async function findLinkedProcedure(
  scope: SubjectScope,
  { procedure_id: identifier, procedure_name: name }: NamedSubject,
): Promise<CheckedProcedure> {
  const { transaction, principal, isMalformedRefused } = scope
  const named = identifier ?? name ?? ''
  const found =
    identifier === undefined
      ? await findProcedureByName(transaction, named)
      : await findProcedure(transaction, named)
  if (!found && isMalformedRefused) refuseMalformedId(named)
  if (principal.kind === 'station') {
    const isOwn = found && (await isLinked(transaction.query, principal.stationId, found.id))
    if (!isOwn) throw notLinked(named)
  }
  if (found) return { id: found.id, otherName: isOtherName(found, name) ? name : undefined }
  if (identifier !== undefined || principal.kind === 'station') throw unknownProcedure(named)
  const created = await createProcedureWithin(scope.context, transaction, {
    principal,
    procedure: { name: named, identifier: undefined },
  })
  return { id: created.id, otherName: undefined }
}

function isOtherName({ name_folded }: NamedProcedure, name: string | undefined): boolean {
  return name !== undefined && foldIdentifier(name) !== name_folded
}

function notLinked(identifier: string): HttpError {
  return new HttpError(
    'FORBIDDEN',
    `This station is not authorized to create runs of the procedure "${identifier}". Link the procedure to the station first.`,
  )
}
