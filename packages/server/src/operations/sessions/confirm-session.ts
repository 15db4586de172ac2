import type { Role } from '@runledger/protocol'
import { US_PER_SECOND } from '../../base/clock'
import type { Transaction } from '../../storage/database/database'
import type { UserPrincipal } from '../../record/access/keys/principal'
import { openTokens, sealTokens } from '../../record/access/sign-in-provider/provider-tokens'
import {
  claimCheck,
  deleteSession,
  type ProvidedSession,
  type StoredSession,
  updateProvided,
} from '../../record/access/sessions/store'
import type { Context } from '../call/context'
import { describeSession } from './describe-session'
import {
  type Granted,
  ProviderRefusalError,
  ProviderUnreachableError,
} from '../../record/access/sign-in-provider/sign-in-provider'

const CHECK_AFTER_US = 4 * 60 * US_PER_SECOND
const LONGEST_OUTAGE_US = 60 * 60 * US_PER_SECOND

/**
 * Who the session is, for a request that has its secret. The provider is asked again after 4 minutes: without the account, or a role,
 * the session ends. While the provider does not answer it goes on for up to an hour. Undefined when it has ended.
 */
export async function confirmSession(
  context: Context,
  { id, principal, provided }: StoredSession,
  secret: string,
): Promise<UserPrincipal | undefined> {
  const { database, clock } = context
  const nowUs = clock()
  if (provided === undefined || nowUs - provided.checkedAtUs < CHECK_AFTER_US) return principal
  const isFirst = await database.write(({ query }) =>
    claimCheck(query, { id, checkedAtUs: provided.checkedAtUs }, nowUs),
  )
  if (!isFirst) return principal
  const granted = await askProvider(context, provided, secret)
  if (granted === 'unreachable')
    return nowUs - provided.confirmedAtUs < LONGEST_OUTAGE_US ? principal : end(context, principal)
  const role = granted?.account.role
  if (granted === undefined || role === undefined) return end(context, principal)
  const isOpen = await database.write(async (transaction) => {
    const sealedTokens = sealTokens(secret, granted.tokens)
    await recordRole(context, transaction, { principal, before: provided.role, after: role })
    return updateProvided(transaction.query, id, { role, sealedTokens, confirmedAtUs: nowUs })
  })
  return isOpen ? { ...principal, role } : undefined
}

/** Undefined when the provider refuses. */
async function askProvider(
  { signInProvider, log }: Context,
  { sealedTokens }: ProvidedSession,
  secret: string,
): Promise<Granted | 'unreachable' | undefined> {
  try {
    return await signInProvider?.confirm(openTokens(secret, sealedTokens))
  } catch (error) {
    if (error instanceof ProviderRefusalError) return undefined
    if (!(error instanceof ProviderUnreachableError)) throw error
    log.warn(`A session could not be confirmed. ${error.message}`)
    return 'unreachable'
  }
}

async function end(context: Context, principal: UserPrincipal): Promise<undefined> {
  await context.database.write(async (transaction) => {
    await deleteSession(transaction.query, principal.sessionHash ?? '')
    const session = await describeSession(transaction.query, principal.userId)
    await context.recordChange(transaction, { ...session, before: { sessions: 1 } })
  })
}

interface RoleChange {
  principal: UserPrincipal
  before: Role
  after: Role
}

async function recordRole(
  { recordChange }: Context,
  transaction: Transaction,
  { principal, before, after }: RoleChange,
): Promise<void> {
  const session = await describeSession(transaction.query, principal.userId)
  await recordChange(transaction, { ...session, before: { role: before }, after: { role: after } })
}
