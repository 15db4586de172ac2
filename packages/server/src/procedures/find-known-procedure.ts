import { foldIdentifier } from '@runledger/protocol'
import type { Query } from '../database/database'
import type { ProceduresTable } from '../database/schema/units'
import { HttpError } from '../errors'

/** The procedure with this identifier, without regard to case, or with this UUID. @throws HttpError NOT_FOUND */
export async function findKnownProcedure(query: Query, identifierOrId: string): Promise<ProceduresTable> {
  const procedure = await findNamed(query, identifierOrId)
  if (procedure) return procedure
  throw unknownProcedure(identifierOrId)
}

async function findNamed(query: Query, identifierOrId: string): Promise<ProceduresTable | undefined> {
  const folded = foldIdentifier(identifierOrId)
  const found = await query
    .selectFrom('live_procedures as procedures')
    .selectAll()
    .where((where) => where.or([where('identifier_folded', '=', folded), where('public_id', '=', folded)]))
    .execute()
  return found.find((row) => row.identifier_folded === folded) ?? found[0]
}

/** The same, where v2 refuses a malformed id. @throws HttpError NOT_FOUND, BAD_REQUEST */
export async function findWellNamedProcedure(query: Query, identifierOrId: string): Promise<ProceduresTable> {
  const procedure = await findNamed(query, identifierOrId)
  if (procedure) return procedure
  refuseMalformedId(identifierOrId)
  throw unknownProcedure(identifierOrId)
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** BAD_REQUEST for what v2 takes a procedure by, and is neither a UUID nor the identifier of one that exists. */
export function refuseMalformedId(identifierOrId: string): void {
  if (UUID.test(identifierOrId.trim())) return
  const message = `must be a UUID, or the identifier of a procedure that exists; received "${identifierOrId}"`
  throw new HttpError('BAD_REQUEST', `The procedure_id ${message}.`, {
    issues: [{ path: ['procedure_id'], message }],
  })
}

export function unknownProcedure(identifierOrId: string): HttpError {
  return new HttpError(
    'NOT_FOUND',
    `No procedure was found with the identifier "${identifierOrId}": it does not exist and must be created first in the application (POST /v2/procedures), or correct procedure_id.`,
  )
}
