import { foldIdentifier } from '@runledger/protocol'
import type { Query } from '../database/database'
import type { ProceduresTable } from '../database/schema/units'
import { HttpError } from '../errors'

/** The procedure with this identifier, without regard to case, or with this UUID. @throws HttpError NOT_FOUND */
export async function findKnownProcedure(query: Query, identifierOrId: string): Promise<ProceduresTable> {
  const folded = foldIdentifier(identifierOrId)
  const found = await query
    .selectFrom('procedures')
    .selectAll()
    .where((where) => where.or([where('identifier_folded', '=', folded), where('public_id', '=', folded)]))
    .execute()
  const procedure = found.find((row) => row.identifier_folded === folded) ?? found[0]
  if (procedure) return procedure
  throw new HttpError(
    'NOT_FOUND',
    `No procedure was found with the identifier "${identifierOrId}". Create it first (POST /v2/procedures), or correct it.`,
  )
}
