import { SESSION_PATH, SignInRequestSchema } from '@runledger/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context'
import { HttpError } from '../errors'
import { hashSecret } from '../keys/secret'
import { signIn } from '../sessions/handlers'
import type { SignInThrottle } from '../sessions/sign-in-throttle'
import { deleteSession } from '../sessions/store'
import { ignoreBodies } from './bodies'
import { sendJson } from './error-record'
import { parseInput } from './input'
import { clearSessionCookie, readSessionCookie, setSessionCookie } from './session-cookie'

/** Signing in to the dashboard and out of it; the session is a cookie that scripts cannot read. */
export function registerSessionRoutes(
  app: FastifyInstance,
  context: Context,
  throttle: SignInThrottle,
): void {
  app.post(SESSION_PATH, async (request, reply) => {
    throttle.check(request.ip)
    const credentials = parseInput(SignInRequestSchema, request.body)
    const secret = await signIn(context, credentials).catch((error: unknown) => {
      if (error instanceof HttpError && error.code === 'UNAUTHORIZED') throttle.recordFailure(request.ip)
      throw error
    })
    setSessionCookie(context, reply, secret)
    return sendJson(reply.header('cache-control', 'no-store'), 200, { message: 'Signed in' })
  })
  app.register(async (scope) => {
    ignoreBodies(scope)
    scope.delete(SESSION_PATH, async (request, reply) => {
      const secret = readSessionCookie(context, request)
      if (secret !== undefined) {
        await context.database.write(({ query }) => deleteSession(query, hashSecret(secret)))
      }
      clearSessionCookie(context, reply)
      return sendJson(reply, 200, { message: 'Signed out' })
    })
  })
  app.head(SESSION_PATH, (_request, reply) => reply.code(200).send())
}
