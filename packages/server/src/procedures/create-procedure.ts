import { type CreateProcedureRequest, foldIdentifier } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import type { Context } from '../context'
import { HttpError } from '../errors'
import type { UserPrincipal } from '../keys/principal'
import { findProcedure, insertProcedure } from './procedure-store'

/** Creates a procedure; its identifier, when it has one, is unique without regard to case, else 409. */
export async function createProcedure(
  { database, nextKey, clock }: Pick<Context, 'database' | 'nextKey' | 'clock'>,
  principal: UserPrincipal,
  { name, identifier }: CreateProcedureRequest,
): Promise<{ id: string }> {
  const publicId = randomUUID()
  await database.write(async (transaction) => {
    // An identifier may not be another procedure's UUID either: both name a procedure.
    const known = identifier === undefined ? undefined : await findProcedure(transaction, identifier)
    const isNew =
      !known &&
      (await insertProcedure(transaction.query, {
        id: nextKey(),
        public_id: publicId,
        identifier: identifier ?? null,
        identifier_folded: identifier === undefined ? null : foldIdentifier(identifier),
        name,
        name_folded: foldIdentifier(name),
        repository_settings: null,
        created_at_us: clock(),
        created_by_user_id: principal.userId,
      }))
    if (isNew) return
    throw new HttpError(
      'CONFLICT',
      `A procedure with the identifier "${identifier}" already exists. Use that one, or another identifier.`,
    )
  })
  return { id: publicId }
}
