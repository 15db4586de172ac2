import { foldIdentifier } from '@runledger/protocol'
import type { Query } from '../database/database'
import { MOST_SHOWN } from '../database/rows'
import type { UsersTable } from '../database/schema/index'

/** False when another user has the e-mail address, without regard to case. */
export async function insertUser(query: Query, user: UsersTable): Promise<boolean> {
  const inserted = await query
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email_folded').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** The first user that was created: the owner of a local service. */
export async function findFirstUser(query: Query): Promise<UsersTable | undefined> {
  return query.selectFrom('users').selectAll().orderBy('id').limit(1).executeTakeFirst()
}

export async function findUser(query: Query, id: number): Promise<UsersTable | undefined> {
  return query.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findUserByPublicId(query: Query, publicId: string): Promise<UsersTable | undefined> {
  return query
    .selectFrom('users')
    .selectAll()
    .where('public_id', '=', publicId.toLowerCase())
    .executeTakeFirst()
}

/** The user with this e-mail address, without regard to case. */
export async function findUserByEmail(query: Query, email: string): Promise<UsersTable | undefined> {
  return query
    .selectFrom('users')
    .selectAll()
    .where('email_folded', '=', foldIdentifier(email))
    .executeTakeFirst()
}

/** The first users that were created. */
export async function listUsers(query: Query): Promise<UsersTable[]> {
  return query.selectFrom('users').selectAll().orderBy('id').limit(MOST_SHOWN).execute()
}

export async function updateUser(
  query: Query,
  id: number,
  change: Partial<Pick<UsersTable, 'name' | 'email' | 'email_folded'>>,
): Promise<void> {
  await query.updateTable('users').set(change).where('id', '=', id).execute()
}
