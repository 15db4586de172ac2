import { SESSION_PATH, type SignedIn, type SignedOut, SignInRequestSchema } from '@runledger/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../operations/call/context'
import { HttpError } from '../../base/errors'
import { findEndAddress } from '../../operations/sessions/sign-in-at-provider'
import { type OpenedSession, signIn, signOut } from '../../operations/sessions/handlers'
import { ignoreBodies } from '../transport/bodies'
import { sendJson } from '../transport/error-record'
import { parseInput } from '../../operations/call/input'
import { readSessionCookie, sessionCookieName } from '../transport/session-cookie'

/** Per client address; further failures get 429. */
export const SIGN_IN_LIMIT = {
  max: 10,
  timeWindow: 60_000,
  // A client that has gone has no address.
  keyGenerator: ({ ip }: FastifyRequest) => String(ip),
}
export type SignInLimit = ReturnType<FastifyInstance['createRateLimit']>

/** Scripts cannot read the session's cookie. */
export function registerSessionRoutes(
  app: FastifyInstance,
  context: Context,
  countFailure: SignInLimit,
): void {
  app.post(SESSION_PATH, async (request, reply) => {
    const credentials = parseInput(SignInRequestSchema, request.body)
    const browser = { address: request.address, userAgent: request.headers['user-agent'] }
    const session = await signIn(context, credentials, browser).catch(async (error: unknown) => {
      if (error instanceof HttpError && error.code === 'UNAUTHORIZED') await slowDown(request, countFailure)
      throw error
    })
    setSessionCookie(context, reply, session)
    const answer: SignedIn = { message: 'Signed in', token: session.token }
    return sendJson(reply.header('cache-control', 'no-store'), 200, answer)
  })
  app.register(async (scope) => {
    ignoreBodies(scope)
    scope.delete(SESSION_PATH, async (request, reply) => {
      const secret = readSessionCookie(context, request)
      const continueAt = secret === undefined ? undefined : await leave(context, secret, request.address)
      setSessionCookie(context, reply, { secret: '', lifeSeconds: 0 })
      const answer: SignedOut = {
        message: 'Signed out',
        ...(continueAt === undefined ? {} : { continue_at: continueAt }),
      }
      return sendJson(reply, 200, answer)
    })
  })
  app.head(SESSION_PATH, (_request, reply) => reply.code(200).send())
}

/** Returns where the browser ends its session at the sign-in provider. */
async function leave(
  context: Context,
  secret: string,
  address: string | undefined,
): Promise<string | undefined> {
  const tokens = await signOut(context, secret, address)
  return tokens && findEndAddress(context, tokens)
}

/**
 * Limits only failed sign-ins: behind a proxy all clients share one address, so the right key must always work. No one guesses
 * 256 bits; the limit protects the log and the database.
 */
export async function slowDown(request: FastifyRequest, countFailure: SignInLimit): Promise<void> {
  const limit = await countFailure(request)
  if (limit.isAllowed || !limit.isExceeded) return
  const retryAfterSeconds = Math.max(1, limit.ttlInSeconds)
  throw new HttpError('TOO_MANY_REQUESTS', `Too many failed sign-ins. Try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  })
}

/** For as long as the session lasts; 0 removes it. */
function setSessionCookie(
  context: Context,
  reply: FastifyReply,
  { secret, lifeSeconds }: Omit<OpenedSession, 'token'>,
): void {
  reply.setCookie(sessionCookieName(context), secret, {
    path: '/',
    maxAge: lifeSeconds,
    httpOnly: true,
    sameSite: 'strict',
    secure: context.publicUrl.startsWith('https:'),
  })
}
