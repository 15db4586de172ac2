import type { ListUsersQuery, User } from '@runledger/protocol'
import type { Context } from '../context'
import type { Principal } from '../keys/principal'
import { mapUser } from './map-user'
import { findUser, listUsers as listRows } from './user-store'

/** `GET /v2/users`: everybody, or with `current` who asks, which a station is not. */
export async function listUsers(
  { database }: Context,
  principal: Principal,
  { current }: ListUsersQuery,
): Promise<User[]> {
  if (!current) return (await listRows(database.query)).map(mapUser)
  const user = principal.kind === 'user' ? await findUser(database.query, principal.userId) : undefined
  return user ? [mapUser(user)] : []
}
