import { formatTimestampUs, type Role, type SignInLink, type SignInRequest } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { US_PER_SECOND } from '../../base/clock'
import type { Context } from '../call/context'
import type { Query, Transaction } from '../../storage/database/database'
import type { SessionsTable } from '../../storage/database/schema/index'
import { HttpError } from '../../base/errors'
import type { Handlers } from '../call/handler'
import { createRecordChange } from '../../record/access/audit/record-change'
import type { UserPrincipal } from '../../record/access/keys/principal'
import { deleteSession, listSessions } from './list-sessions'
import { createSecret, findActiveKey, findKeyExpiry, hashSecret } from '../../record/access/keys/store'
import {
  deleteSession as deleteRow,
  deleteSessionsOfUser,
  findSession,
  hasSignInCode,
  insertSession,
  insertSignInCode,
  takeSignInCode,
} from '../../record/access/sessions/store'
import {
  openTokens,
  type ProviderTokens,
  sealTokens,
} from '../../record/access/sign-in-provider/provider-tokens'
import { createSessionToken } from '../../record/access/sessions/token'
import { describeSession } from './describe-session'

type SessionOperation = 'createSignInLink' | 'listSessions' | 'deleteSession' | 'deleteSessions'

export const SESSION_HANDLERS: Handlers<SessionOperation> = {
  createSignInLink: ({ context, principal }) => {
    // A session would last for ever if it could open the next one.
    if (principal.keyHash === undefined)
      throw new HttpError('FORBIDDEN', 'A session makes no sign-in links: send an API key.')
    return createSignInLink(context, principal)
  },
  listSessions: ({ context, principal }) => listSessions(context, principal),
  deleteSession: ({ context, principal, params }) => deleteSession(context, principal, params.id),
  deleteSessions: async ({ context, principal }) => {
    const count = await context.database.write(async (transaction) => {
      const ended = await deleteSessionsOfUser(transaction.query, principal.userId)
      const session = await describeSession(transaction.query, principal.userId)
      if (ended > 0) await context.recordChange(transaction, { ...session, before: { sessions: ended } })
      return ended
    })
    return { count }
  },
}

const CODE_LIFE_US = 15 * 60 * US_PER_SECOND

/** The link works once, within 15 minutes. */
export async function createSignInLink(
  context: Context,
  principal: Pick<UserPrincipal, 'userId' | 'keyId'>,
): Promise<SignInLink> {
  const { database, nextKey, clock, publicUrl, recordChange } = context
  const code = createSecret('')
  const expiresAtUs = clock() + CODE_LIFE_US
  await database.write(async (transaction) => {
    await insertSignInCode(transaction.query, {
      id: nextKey(),
      hash: hashSecret(code),
      user_id: principal.userId,
      api_key_id: principal.keyId,
      expires_at_us: expiresAtUs,
      role: null,
      sealed_tokens: null,
    })
    const session = await describeSession(transaction.query, principal.userId)
    await recordChange(transaction, { ...session, after: { link_until: formatTimestampUs(expiresAtUs) } })
  })
  return { url: `${publicUrl}/sign-in?code=${code}`, expires_at: formatTimestampUs(expiresAtUs) }
}

const DAY_SECONDS = 24 * 60 * 60
const SESSION_LIFE_SECONDS = 30 * DAY_SECONDS

// For a session without a key: whoever started the service saw its link.
const LINK_SESSION_LIFE_SECONDS = 7 * DAY_SECONDS

export interface OpenedSession {
  secret: string
  lifeSeconds: number
  /** Allows changes. */
  token: string
}

interface SessionBrowser {
  /** Undefined when a proxy reports no valid one. */
  address: string | undefined
  userAgent: string | undefined
}

const MAX_USER_AGENT_LENGTH = 255

/** By a key or a one-time code. @throws HttpError UNAUTHORIZED */
export async function signIn(
  context: Context,
  request: SignInRequest,
  browser: Partial<SessionBrowser> = {},
): Promise<OpenedSession> {
  const { database, nextKey, clock, keyUses, sessionKey } = context
  const secret = createSecret('')
  const hash = hashSecret(secret)
  const nowUs = clock()
  // A read refuses a wrong code; only a right one needs a write.
  if (!(await isKnown(database.query, request, nowUs))) throw new HttpError('UNAUTHORIZED', refusal(request))
  // A code is used up even if it is too old, so the refusal must not roll back.
  const signer = await database.write(async (transaction) => {
    const found = await findSigner(transaction, request, nowUs)
    if (!found) return undefined
    const expiresAtUs = Math.min(nowUs + lifeOf(found) * US_PER_SECOND, found.expiresAtUs ?? Infinity)
    await insertSession(transaction.query, {
      id: nextKey(),
      public_id: randomUUID(),
      hash,
      address: browser.address ?? null,
      user_agent: browser.userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
      user_id: found.userId,
      api_key_id: found.keyId,
      created_at_us: nowUs,
      expires_at_us: expiresAtUs,
      ...provideSession(found, secret, nowUs),
    })
    const principal = { kind: 'user', userId: found.userId, keyId: found.keyId, role: 'viewer' } as const
    const recordChange = createRecordChange(context, {
      operation: 'signIn',
      principal,
      address: browser.address,
    })
    const session = await describeSession(transaction.query, found.userId)
    const until = formatTimestampUs(expiresAtUs)
    await recordChange(transaction, { ...session, after: { until, role: found.provided?.role } })
    return { ...found, expiresAtUs }
  })
  if (!signer) throw new HttpError('UNAUTHORIZED', refusal(request))
  if (signer.keyId !== null) keyUses.note(signer.keyId, nowUs)
  const lifeSeconds = Math.ceil((signer.expiresAtUs - nowUs) / US_PER_SECOND)
  return { secret, lifeSeconds, token: createSessionToken(sessionKey, hash) }
}

type ProvidedColumns = Pick<SessionsTable, 'role' | 'sealed_tokens' | 'checked_at_us' | 'confirmed_at_us'>

function provideSession({ provided }: Signer, secret: string, nowUs: number): ProvidedColumns {
  if (!provided) return { role: null, sealed_tokens: null, checked_at_us: null, confirmed_at_us: null }
  const { role, tokens } = provided
  return { role, sealed_tokens: sealTokens(secret, tokens), checked_at_us: nowUs, confirmed_at_us: nowUs }
}

/**
 * A session that has ended already is no error. Returns the tokens of a session that a sign-in provider opened.
 */
export async function signOut(
  context: Context,
  secret: string,
  address?: string,
): Promise<ProviderTokens | undefined> {
  const hash = hashSecret(secret)
  return context.database.write(async (transaction) => {
    const { query } = transaction
    const found = await findSession(query, hash, context.clock())
    await deleteRow(query, hash)
    if (!found) return undefined
    const { principal, provided } = found
    const recordChange = createRecordChange(context, { operation: 'signOut', principal, address })
    const session = await describeSession(query, principal.userId)
    await recordChange(transaction, { ...session, before: { sessions: 1 } })
    return provided && openTokens(secret, provided.sealedTokens)
  })
}

async function isKnown(query: Query, request: SignInRequest, nowUs: number): Promise<boolean> {
  if ('code' in request) return hasSignInCode(query, hashSecret(request.code))
  return (await findActiveKey(query, hashSecret(request.key.trim()), nowUs)) !== undefined
}

function lifeOf({ keyId, provided }: Signer): number {
  return keyId === null && !provided ? LINK_SESSION_LIFE_SECONDS : SESSION_LIFE_SECONDS
}

// Stations have no dashboard, so their keys cannot sign in.
async function findSigner(
  { query }: Transaction,
  request: SignInRequest,
  nowUs: number,
): Promise<Signer | undefined> {
  if ('code' in request) {
    const code = await takeSignInCode(query, hashSecret(request.code), nowUs)
    if (!code) return undefined
    const { user_id: userId, api_key_id: keyId, role, sealed_tokens: sealed } = code
    const expiresAtUs = keyId === null ? null : await findKeyExpiry(query, keyId, nowUs)
    if (expiresAtUs === undefined) return undefined
    const provided = role !== null && sealed !== null && { role, tokens: openTokens(request.code, sealed) }
    return { userId, keyId, expiresAtUs, ...(provided ? { provided } : {}) }
  }
  const key = await findActiveKey(query, hashSecret(request.key.trim()), nowUs)
  if (key?.principal.kind !== 'user') return undefined
  return { userId: key.principal.userId, keyId: key.id, expiresAtUs: key.expiresAtUs }
}

/** The session ends with the key, also one that requested the code. */
interface Signer {
  userId: number
  keyId: number | null
  expiresAtUs: number | null
  /** After a sign-in at a provider. */
  provided?: { role: Role; tokens: ProviderTokens }
}

function refusal(request: SignInRequest): string {
  return 'key' in request
    ? 'Invalid API key. Check that it is a user key, whole, and was not regenerated.'
    : 'This sign-in link was used already or is older than 15 minutes. Get a new one: npx runledger sign-in.'
}
