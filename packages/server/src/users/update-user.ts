import { foldIdentifier, type UpdateUserRequest, type User } from '@runledger/protocol'
import type { Context } from '../context'
import { HttpError } from '../errors'
import { mapUser } from './map-user'
import { takenEmail } from './taken-email'
import { findUserByEmail, findUserByPublicId, updateUser as updateRow } from './user-store'

/** `PATCH /v2/users/{id}`. @throws HttpError NOT_FOUND, CONFLICT for an e-mail address of another user */
export async function updateUser(
  { database }: Context,
  publicId: string,
  { email, name }: UpdateUserRequest,
): Promise<User> {
  return database.write(async ({ query }) => {
    const user = await findUserByPublicId(query, publicId)
    if (!user) throw new HttpError('NOT_FOUND', `No user was found with the id "${publicId}".`)
    const owner = email === undefined ? undefined : await findUserByEmail(query, email)
    if (email !== undefined && owner && owner.id !== user.id) throw takenEmail(email)
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(email === undefined ? {} : { email, email_folded: foldIdentifier(email) }),
    }
    if (Object.keys(change).length > 0) await updateRow(query, user.id, change)
    return mapUser({ ...user, ...change })
  })
}
