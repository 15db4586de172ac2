import { US_PER_SECOND } from '../clock'
import type { Context } from '../context'
import { StartError } from '../errors'
import { createSecret, hashSecret } from '../keys/secret'
import { findFirstUser } from '../users/user-store'
import { insertSignInCode } from './session-store'

const CODE_LIFE_US = 15 * 60 * US_PER_SECOND

/** Makes a code for the owner that signs in once, within 15 minutes. */
export async function createSignInCode({ database, nextKey, clock }: Context): Promise<string> {
  const code = createSecret('')
  await database.write(async ({ query }) => {
    const user = await findFirstUser(query)
    if (!user) throw new StartError('There is no user yet to sign in.')
    const expiresAtUs = clock() + CODE_LIFE_US
    await insertSignInCode(query, {
      id: nextKey(),
      hash: hashSecret(code),
      user_id: user.id,
      expires_at_us: expiresAtUs,
    })
  })
  return code
}
