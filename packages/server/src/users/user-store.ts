import type { Query } from '../database/database'
import type { UsersTable } from '../database/schema/access'

export async function insertUser(query: Query, user: UsersTable): Promise<void> {
  await query.insertInto('users').values(user).execute()
}

/** The first user that was created: the owner of a local service. */
export async function findFirstUser(query: Query): Promise<UsersTable | undefined> {
  return query.selectFrom('users').selectAll().orderBy('id').limit(1).executeTakeFirst()
}

export async function findUser(query: Query, id: number): Promise<UsersTable | undefined> {
  return query.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}
