import type { IssuedKey } from '@runledger/protocol'
import type { Context } from '../context'
import { HttpError } from '../errors'
import { readCredentials, writeCredentials } from '../first-start/credentials-file'
import { deleteSessionsOfKey } from '../sessions/session-store'
import { createKeySecret } from './issue-key'
import { findKey, replaceSecret } from './key-store'
import { mapKey } from './map-key'
import { hashSecret } from './secret'
import { unknownKey } from './unknown-key'

/**
 * `POST /v2/keys/{id}/regenerate`: the old secret is invalid at once, sessions that were opened with it end, and the
 * local credentials file takes the new one if it had the old. @throws HttpError NOT_FOUND, also for a revoked key;
 * BAD_REQUEST for an expired one
 */
export async function regenerateKey(context: Context, publicId: string): Promise<IssuedKey> {
  const { key, secret } = await context.database.write(async ({ query }) => {
    const found = await findKey(query, publicId)
    if (!found || found.revoked_at_us !== null) throw unknownKey(publicId)
    if (found.expires_at_us !== null && found.expires_at_us <= context.clock()) throw expiredKey(publicId)
    const fresh = createKeySecret(found.kind)
    await replaceSecret(query, found.id, fresh.stored)
    await deleteSessionsOfKey(query, found.id)
    return { key: { ...found, hint: fresh.stored.hint }, secret: fresh.secret }
  })
  await replaceInCredentials(context, key.hash, secret)
  return { ...mapKey(key), key: secret }
}

// The new secret is shown once: whatever happens to the file, it must be answered.
async function replaceInCredentials(
  { config, log }: Context,
  oldHash: string,
  secret: string,
): Promise<void> {
  try {
    const credentials = await readCredentials(config.dataDir)
    if (credentials && hashSecret(credentials.api_key) === oldHash)
      await writeCredentials(config.dataDir, { ...credentials, api_key: secret })
  } catch (error) {
    log.error('The credentials file could not take its regenerated key: start the service again', error)
  }
}

function expiredKey(publicId: string): HttpError {
  return new HttpError(
    'BAD_REQUEST',
    `Key ${publicId} is expired, and so would be its new secret. Create a new key (POST /v2/keys).`,
  )
}
