import { type CreateProcedureRequest, cutWell, foldIdentifier } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import type { Context } from '../context'
import type { Transaction } from '../database/database'
import type { ProceduresTable } from '../database/schema/units'
import { HttpError } from '../errors'
import type { UserPrincipal } from '../keys/principal'
import { findProcedure, insertProcedure } from './store'

interface NewProcedure {
  principal: UserPrincipal
  procedure: CreateProcedureRequest
}

/**
 * Creates a procedure; without an identifier it has one that is made from its name. An identifier is unique without regard
 * to case, and may not be another procedure's UUID either: both name a procedure. @throws HttpError CONFLICT
 */
export async function createProcedureWithin(
  { nextKey, clock }: Pick<Context, 'nextKey' | 'clock'>,
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

/** `Final test` is `Final-test`; where there is one, it ends in a part of the UUID. */
async function makeIdentifier(transaction: Transaction, name: string, publicId: string): Promise<string> {
  const made = cutWell(name.replaceAll(/[\s/\\]+/g, '-'), MAX_MADE_LENGTH)
  return (await findProcedure(transaction, made)) ? `${made}-${publicId.slice(0, 8)}` : made
}
