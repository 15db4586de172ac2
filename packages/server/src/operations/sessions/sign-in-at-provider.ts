import { foldIdentifier, PROVIDER_CALLBACK_PATH, type SignInFailure } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { US_PER_SECOND } from '../../base/clock'
import type { Transaction } from '../../storage/database/database'
import type { UsersTable } from '../../storage/database/schema/index'
import { createRecordChange } from '../../record/access/audit/record-change'
import { createSecret, hashSecret } from '../../record/access/keys/store'
import { type ProviderTokens, sealTokens } from '../../record/access/sign-in-provider/provider-tokens'
import { insertSignInCode } from '../../record/access/sessions/store'
import { findUserOfIdentity, insertIdentity } from '../../record/access/sign-in-provider/identities'
import { findUserByEmail, insertUser } from '../../record/access/users/store'
import type { Context } from '../call/context'
import type { Account } from '../../record/access/sign-in-provider/account'
import {
  type Flow,
  ProviderRefusalError,
  ProviderUnreachableError,
  type SignInProvider,
} from '../../record/access/sign-in-provider/sign-in-provider'

/** @throws ProviderUnreachableError */
export async function startAtProvider(
  { publicUrl }: Pick<Context, 'publicUrl'>,
  provider: SignInProvider,
): Promise<{ address: string; flow: Flow }> {
  return provider.start(publicUrl + PROVIDER_CALLBACK_PATH)
}

interface Callback {
  /** The query of the request. */
  search: string
  /** Undefined when the browser did not come from here, or too late. */
  flow: Flow | undefined
  address: string | undefined
}

/** A code that opens a session once, or why there is none. */
export type SignInResult = { code: string } | { failure: SignInFailure }

export async function finishAtProvider(
  context: Context,
  provider: SignInProvider,
  { search, flow, address }: Callback,
): Promise<SignInResult> {
  if (flow === undefined) return { failure: 'expired' }
  try {
    const callback = new URL(context.publicUrl + PROVIDER_CALLBACK_PATH + search)
    const { account, tokens } = await provider.finish(callback, flow)
    const { role } = account
    if (role === undefined) return { failure: 'no-role' }
    const code = createSecret('')
    await context.database.write(async (transaction) => {
      const user = await findOrCreateUser(context, transaction, { account, address })
      await insertSignInCode(transaction.query, {
        id: context.nextKey(),
        hash: hashSecret(code),
        user_id: user.id,
        api_key_id: null,
        expires_at_us: context.clock() + CODE_LIFE_US,
        role,
        sealed_tokens: sealTokens(code, tokens),
      })
    })
    return { code }
  } catch (error) {
    if (error instanceof ProviderRefusalError && error.isCancelled) return { failure: 'cancelled' }
    if (!(error instanceof ProviderRefusalError || error instanceof ProviderUnreachableError)) throw error
    context.log.warn(`A sign-in failed. ${error.message}`)
    return { failure: 'failed' }
  }
}

/** Undefined also while the provider does not answer: the session here has ended. */
export async function findEndAddress(
  { signInProvider, publicUrl, log }: Context,
  tokens: ProviderTokens,
): Promise<string | undefined> {
  try {
    return await signInProvider?.findEndAddress(tokens, `${publicUrl}/sign-in`)
  } catch (error) {
    log.warn(`The session at the sign-in provider goes on. ${(error as Error).message}`)
    return undefined
  }
}

// The page that the browser is sent to uses it up at once.
const CODE_LIFE_US = 60 * US_PER_SECOND

interface Arrival {
  account: Account
  address: string | undefined
}

/** The user of the account; at its first sign-in the one with its e-mail address, else a new one. */
async function findOrCreateUser(
  context: Context,
  transaction: Transaction,
  { account: { issuer, subject, email, name }, address }: Arrival,
): Promise<UsersTable> {
  const { query } = transaction
  const known = await findUserOfIdentity(query, { issuer, subject })
  if (known) return known
  const recordChange = createRecordChange(context, { operation: 'signIn', address })
  const createdAtUs = context.clock()
  const existing = email === undefined ? undefined : await findUserByEmail(query, email)
  const user = existing ?? {
    id: context.nextKey(),
    public_id: randomUUID(),
    name: name ?? email ?? subject,
    email: email ?? null,
    email_folded: email === undefined ? null : foldIdentifier(email),
    created_at_us: createdAtUs,
  }
  if (!existing) await insertUser(query, user)
  await insertIdentity(query, { issuer, subject, user_id: user.id, created_at_us: createdAtUs })
  await recordChange(transaction, {
    kind: 'user',
    id: user.public_id,
    name: user.name ?? user.email ?? '',
    ...(existing ? { before: {} } : {}),
    after: { ...(existing ? {} : { name: user.name, email: user.email }), issuer, subject },
  })
  return user
}
