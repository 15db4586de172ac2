import { type CreateProcedureRequest, cutWell, foldIdentifier, IdSchema } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import type { StorageContext } from '../../../storage/context'
import type { Query, Transaction } from '../../../storage/database/database'
import type { ProceduresTable } from '../../../storage/database/schema/units'
import { HttpError } from '../../../base/errors'
import type { UserPrincipal } from '../../access/keys/principal'
import { findProcedure, insertProcedure } from './store'

/** Ignores case. @throws HttpError NOT_FOUND */
export async function findKnownProcedure(query: Query, identifierOrId: string): Promise<ProceduresTable> {
  const procedure = await findNamed(query, identifierOrId)
  if (procedure) return procedure
  throw procedureNotFound(identifierOrId)
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

/**
 * @throws HttpError BAD_REQUEST where a v2 request has a `procedure_id` that is neither a UUID nor a known identifier
 * (docs/interface.md#messages-and-limits)
 */
export async function refuseMalformedProcedure(
  { database }: Pick<StorageContext, 'database'>,
  { params, body }: { params: unknown; body: unknown },
): Promise<void> {
  const sent = { ...(params as object), ...(body as object) } as { procedure_id?: string }
  const { procedure_id: procedureId } = sent
  if (procedureId === undefined || IdSchema.safeParse(procedureId.trim()).success) return
  if (await findNamed(database.query, procedureId)) return
  const message = `must be a UUID, or the identifier of a procedure that exists; received "${procedureId}"`
  throw new HttpError('BAD_REQUEST', `The procedure_id ${message}.`, {
    issues: [{ path: ['procedure_id'], message }],
  })
}

export function procedureNotFound(identifierOrId: string): HttpError {
  return new HttpError(
    'NOT_FOUND',
    `No procedure was found with the identifier "${identifierOrId}": it does not exist and must be created first in the application (POST /v2/procedures), or correct procedure_id.`,
  )
}

interface NewProcedure {
  principal: UserPrincipal
  procedure: CreateProcedureRequest
}

/**
 * Makes an identifier from the name if there is none. It is unique without regard to case, and no other procedure's UUID: both
 * name a procedure. @throws HttpError CONFLICT
 */
export async function createProcedureWithin(
  { nextKey, clock }: Pick<StorageContext, 'nextKey' | 'clock'>,
  transaction: Transaction,
  { principal, procedure: { name, identifier: given } }: NewProcedure,
): Promise<Pick<ProceduresTable, 'id' | 'public_id'>> {
  const id = nextKey()
  const publicId = randomUUID()
  const identifier = given ?? (await makeIdentifier(transaction, name, publicId))
  const isNew =
    !(await findProcedure(transaction, identifier)) &&
    (await insertProcedure(transaction.query, {
      id,
      public_id: publicId,
      identifier,
      identifier_folded: foldIdentifier(identifier),
      name,
      name_folded: foldIdentifier(name),
      repository_settings: null,
      created_at_us: clock(),
      created_by_user_id: principal.userId,
    }))
  if (isNew) return { id, public_id: publicId }
  throw new HttpError(
    'CONFLICT',
    `A procedure with the identifier "${identifier}" already exists. Use that one, or another identifier.`,
  )
}

const MAX_MADE_LENGTH = 240

/** `Final test` becomes `Final-test`, with a part of the UUID if that is taken. */
async function makeIdentifier(transaction: Transaction, name: string, publicId: string): Promise<string> {
  const made = cutWell(name.replaceAll(/[\s/\\]+/g, '-'), MAX_MADE_LENGTH)
  return (await findProcedure(transaction, made)) ? `${made}-${publicId.slice(0, 8)}` : made
}
