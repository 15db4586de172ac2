import type { FastifyRequest } from 'fastify'
import type { Context } from '../../operations/call/context'
import { isSecret } from '../../record/access/keys/store'

/** A malformed secret costs the database nothing. */
export function readSessionCookie(context: Context, { cookies }: FastifyRequest): string | undefined {
  const sent = cookies[sessionCookieName(context)]
  return isSecret(sent, '') ? sent : undefined
}

// Browsers share cookies between ports: two services on one host must not sign each other out.
export function sessionCookieName({ publicUrl }: Pick<Context, 'publicUrl'>): string {
  const { port } = new URL(publicUrl)
  return port ? `runledger_session_${port}` : 'runledger_session'
}
