import type { Role } from '@runledger/protocol'
import { US_PER_SECOND } from '../../base/clock'
import type { Transaction } from '../../storage/database/database'
import type { UserPrincipal } from '../../record/access/keys/principal'
import { hashSecret } from '../../record/access/keys/store'
import { openTokens, sealTokens } from '../../record/access/sign-in-provider/provider-tokens'
import {
  claimCheck,
  deleteSession,
  findSession,
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

/** What the cookie of a request has. */
export interface SentSession {
  secret: string
  hash: string
}

/**
 * Whose session it is; undefined when it has ended. A sign-in provider that opened it is asked again after 4 minutes: without the
 * account, or a role, the session ends. While the provider does not answer, the session goes on for up to an hour.
 */
export async function findSessionUser(
  context: Context,
  { secret, hash }: SentSession,
): Promise<UserPrincipal | undefined> {
  const nowUs = context.clock()
  // Before the read, because an answer that comes meanwhile changes what was read.
  const session = underWay.has(hash) ? undefined : await findSession(context.database.query, hash, nowUs)
  const confirming = underWay.get(hash)
  if (confirming) return confirming
  if (!session?.provided || nowUs - session.provided.checkedAtUs < CHECK_AFTER_US) return session?.principal
  const { id, principal, provided } = session
  const confirmed = confirm(context, { id, principal, provided }, secret).finally(() => underWay.delete(hash))
  underWay.set(hash, confirmed)
  return confirmed
}

/** The requests of a page come at once, and share one answer of the provider. */
const underWay = new Map<string, Promise<UserPrincipal | undefined>>()

async function confirm(
  context: Context,
  { id, principal, provided }: StoredSession & { provided: ProvidedSession },
  secret: string,
): Promise<UserPrincipal | undefined> {
  const { database, clock } = context
  const nowUs = clock()
  const isFirst = await database.write(({ query }) =>
    claimCheck(query, { id, checkedAtUs: provided.checkedAtUs }, nowUs),
  )
  // Another request has asked since this one read the session, perhaps in another process.
  if (!isFirst) return (await findSession(database.query, hashSecret(secret), nowUs))?.principal
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
