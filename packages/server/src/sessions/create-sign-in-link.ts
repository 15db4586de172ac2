import { formatTimestampUs, type SignInLink } from '@runledger/protocol'
import { US_PER_SECOND } from '../clock'
import type { Context } from '../context'
import type { UserPrincipal } from '../keys/principal'
import { createSecret, hashSecret } from '../keys/secret'
import { insertSignInCode } from './session-store'

const CODE_LIFE_US = 15 * 60 * US_PER_SECOND

/** `POST /v2/sign-in-links`: a link that signs the user in once, within 15 minutes. */
export async function createSignInLink(
  { database, nextKey, clock, publicUrl }: Context,
  { userId, keyId }: Pick<UserPrincipal, 'userId' | 'keyId'>,
): Promise<SignInLink> {
  const code = createSecret('')
  const expiresAtUs = clock() + CODE_LIFE_US
  await database.write(({ query }) =>
    insertSignInCode(query, {
      id: nextKey(),
      hash: hashSecret(code),
      user_id: userId,
      api_key_id: keyId,
      expires_at_us: expiresAtUs,
    }),
  )
  return { url: `${publicUrl}/sign-in?code=${code}`, expires_at: formatTimestampUs(expiresAtUs) }
}
