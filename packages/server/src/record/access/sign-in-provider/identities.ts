import type { Query } from '../../../storage/database/database'
import type { IdentitiesTable, UsersTable } from '../../../storage/database/schema/index'

export async function findUserOfIdentity(
  query: Query,
  { issuer, subject }: Pick<IdentitiesTable, 'issuer' | 'subject'>,
): Promise<UsersTable | undefined> {
  return query
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .selectAll('users')
    .where('identities.issuer', '=', issuer)
    .where('identities.subject', '=', subject)
    .executeTakeFirst()
}

export async function insertIdentity(query: Query, identity: IdentitiesTable): Promise<void> {
  await query.insertInto('identities').values(identity).execute()
}
