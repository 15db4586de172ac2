import { type CreateUserRequest, foldIdentifier, type User } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import type { Context } from '../context'
import { mapUser } from './map-user'
import { takenEmail } from './taken-email'
import { insertUser } from './user-store'

/** `POST /v2/users`: somebody whom runs can name in `operated_by`. @throws HttpError CONFLICT for a known e-mail address */
export async function createUser(
  { database, nextKey, clock }: Context,
  { email, name }: CreateUserRequest,
): Promise<User> {
  return database.write(async ({ query }) => {
    const user = {
      id: nextKey(),
      public_id: randomUUID(),
      name: name ?? null,
      email,
      email_folded: foldIdentifier(email),
      created_at_us: clock(),
    }
    if (!(await insertUser(query, user))) throw takenEmail(email)
    return mapUser(user)
  })
}
