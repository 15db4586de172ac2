import type { Query } from '../../storage/database/database'
import { findUser } from '../../record/access/users/store'

/** The sessions of a user in the audit log. */
export async function describeSession(query: Query, userId: number) {
  const user = await findUser(query, userId)
  return { kind: 'session', id: user?.public_id ?? '', name: user?.name ?? user?.email ?? '' } as const
}
