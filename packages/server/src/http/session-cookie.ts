import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context'
import { SESSION_LIFE_SECONDS } from '../sessions/handlers'

/** The session's secret in the request's cookies. */
export function readSessionCookie(context: Context, { headers }: FastifyRequest): string | undefined {
  const name = sessionCookieName(context)
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.split('=', 2)
    if (key?.trim() === name && value) return value.trim()
  }
  return undefined
}

export function setSessionCookie(context: Context, reply: FastifyReply, secret: string): void {
  reply.header('set-cookie', formatCookie(context, secret, SESSION_LIFE_SECONDS))
}

export function clearSessionCookie(context: Context, reply: FastifyReply): void {
  reply.header('set-cookie', formatCookie(context, '', 0))
}

function formatCookie(context: Context, value: string, maxAgeSeconds: number): string {
  const secure = context.publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${sessionCookieName(context)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`
}

// Browsers share cookies between ports of one host: two services on one machine must not sign each other out.
export function sessionCookieName({ publicUrl }: Pick<Context, 'publicUrl'>): string {
  const { port } = new URL(publicUrl)
  return port ? `runledger_session_${port}` : 'runledger_session'
}
