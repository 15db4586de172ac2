import { KEY_PREFIX, SESSION_TOKEN_HEADER } from '@runledger/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isIP } from 'node:net'
import type { Context } from '../../operations/call/context'
import { findSessionUser, type SentSession } from '../../operations/sessions/confirm-session'
import { HttpError } from '../../base/errors'
import {
  isOpenToAnyone,
  type Principal,
  READING,
  refuseRight,
  type Rule,
} from '../../record/access/keys/principal'
import { findActiveKey, hashSecret, isSecret } from '../../record/access/keys/store'
import { isSessionToken } from '../../record/access/sessions/token'
import { readSessionCookie } from './session-cookie'

const BEARER = /^Bearer +(\S+) *$/i

/** Rights are checked later, with the input. @throws HttpError UNAUTHORIZED, FORBIDDEN for a foreign host name */
export async function authorize(context: Context, request: FastifyRequest, rule: Rule): Promise<void> {
  if (rule.access === 'none') return
  request.principal = await authenticate(context, request, rule)
}

/** For pages and bytes that are no operations. @throws HttpError UNAUTHORIZED, FORBIDDEN */
export async function authorizeReading(context: Context, request: FastifyRequest): Promise<void> {
  const principal = await authenticate(context, request, READING)
  const refusal = refuseRight(READING, principal)
  if (refusal) throw refusal
  request.principal = principal
}

/** Every bad key gets the same 401 (docs/interface.md#access). */
async function authenticate(context: Context, request: FastifyRequest, rule: Rule): Promise<Principal> {
  const { query } = context.database
  const nowUs = context.clock()
  const key = BEARER.exec(request.headers.authorization ?? '')?.[1]
  const session = request.headers.authorization ? undefined : readUsableSession(context, request)
  // A malformed key costs no read: thousands of bogus keys would delay all other requests.
  const active = isKey(key) ? await findActiveKey(query, hashSecret(key), nowUs) : undefined
  if (active) context.keyUses.note(active.id, nowUs)
  const principal =
    active?.principal ?? (session === undefined ? undefined : await findSessionUser(context, session))
  if (principal) return principal
  if (isOpenToAnyone(rule) && isAnonymous(context, request)) {
    expectOwnHost(context, request)
    return { kind: 'anonymous' }
  }
  throw new HttpError('UNAUTHORIZED', explainRefusal(context, request))
}

/**
 * The session, if the request may use it. Browsers send its cookie with requests of other sites and other ports too, so
 * a change also needs the token, which only the page has that signed in (docs/interface.md#sessions).
 */
function readUsableSession(context: Context, request: FastifyRequest): SentSession | undefined {
  const secret = readSessionCookie(context, request)
  if (secret === undefined) return undefined
  const hash = hashSecret(secret)
  const token = request.headers[SESSION_TOKEN_HEADER]
  return request.method === 'GET' || isSessionToken(context.sessionKey, hash, token)
    ? { secret, hash }
    : undefined
}

function explainRefusal(context: Context, request: FastifyRequest): string {
  const isSession = !request.headers.authorization && readSessionCookie(context, request) !== undefined
  if (isSession && request.method !== 'GET')
    return 'The session has ended, or its token for changes is missing or wrong. Sign in again.'
  return 'Invalid API key. Send the header "Authorization: Bearer <API key>".'
}

function isAnonymous({ config }: Context, { method, headers }: FastifyRequest): boolean {
  return config.anonymousViewing && !headers.authorization && ['GET', 'HEAD'].includes(method)
}

const MAX_HOST_LENGTH = 100

/**
 * Another site can point a name of its own at this address, and its scripts would read everything through the browser of a visitor
 * (DNS rebinding). @throws HttpError FORBIDDEN
 */
function expectOwnHost({ publicUrl }: Context, { headers: { host = '' } }: FastifyRequest): void {
  const address = `http://${host}`
  const name = URL.canParse(address) ? new URL(address).hostname : ''
  const own = new URL(publicUrl).hostname
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
  if (isAddress || name === 'localhost' || name === own) return
  const sent = JSON.stringify(host.slice(0, MAX_HOST_LENGTH))
  throw new HttpError(
    'FORBIDDEN',
    `Viewing without a key works at "${own}" (--public-url), localhost and IP addresses, and the request is for ${sent}. Set --public-url, and let a proxy pass the Host header on.`,
  )
}

function isKey(sent: string | undefined): sent is string {
  return Object.values(KEY_PREFIX).some((prefix) => isSecret(sent, prefix))
}

export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest<FastifyRequest['principal']>('principal', undefined)
  app.decorateRequest<FastifyRequest['address']>('address', undefined)
}

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
    /** IP address of the client; undefined when a proxy reports no valid one. */
    address: string | undefined
  }
}
