import type { Context } from '../context'
import { HttpError } from '../errors'
import { deleteSessionsOfKey } from '../sessions/session-store'
import { findKey, hasOtherActiveUserKey, revokeKey } from './key-store'
import { unknownKey } from './unknown-key'

/**
 * `DELETE /v2/keys/{id}`: revokes the key, ends sessions that were opened with it, and keeps its record. The last user
 * key that works is refused: nobody could make another. @throws HttpError NOT_FOUND, BAD_REQUEST
 */
export async function deleteKey({ database, clock }: Context, publicId: string): Promise<{ id: string }> {
  return database.write(async ({ query }) => {
    const nowUs = clock()
    const key = await findKey(query, publicId)
    if (!key || key.revoked_at_us !== null) throw unknownKey(publicId)
    if (key.kind === 'user' && !(await hasOtherActiveUserKey(query, key.id, nowUs))) {
      throw new HttpError(
        'BAD_REQUEST',
        `Key ${publicId} is the last user key that works. Create another first (POST /v2/keys), or regenerate this one.`,
      )
    }
    await revokeKey(query, key.id, nowUs)
    await deleteSessionsOfKey(query, key.id)
    return { id: key.public_id }
  })
}
