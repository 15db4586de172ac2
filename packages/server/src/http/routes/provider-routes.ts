import { PROVIDER_CALLBACK_PATH, PROVIDER_SIGN_IN_PATH } from '@runledger/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Context } from '../../operations/call/context'
import { notFound } from '../../base/errors'
import { finishAtProvider, startAtProvider } from '../../operations/sessions/sign-in-at-provider'
import {
  ProviderUnreachableError,
  type SignInProvider,
} from '../../record/access/sign-in-provider/sign-in-provider'
import { sessionCookieName } from '../transport/session-cookie'
import { slowDown, type SignInLimit } from './session-routes'

/** A browser goes from the first to the sign-in provider, which sends it to the second, which sends it to the page of sign-in. */
export function registerProviderRoutes(
  app: FastifyInstance,
  context: Context,
  countFailure: SignInLimit,
): void {
  app.get(PROVIDER_SIGN_IN_PATH, async (request, reply) => {
    const { next } = NextSchema.parse(request.query)
    try {
      const { address, flow } = await startAtProvider(context, expectProvider(context))
      keepFlow(context, reply, { ...flow, next })
      return sendOn(reply, address)
    } catch (error) {
      if (!(error instanceof ProviderUnreachableError)) throw error
      context.log.warn(error.message)
      return sendToPage(reply, { failed: 'failed', next })
    }
  })
  app.get(PROVIDER_CALLBACK_PATH, async (request, reply) => {
    const provider = expectProvider(context)
    const flow = readFlow(context, request)
    const { search } = new URL(request.url, context.publicUrl)
    reply.clearCookie(flowCookieName(context), { path: '/' })
    const result = await finishAtProvider(context, provider, { search, flow, address: request.address })
    const next = flow?.next ?? ''
    if ('code' in result) return sendToPage(reply, { code: result.code, next })
    await slowDown(request, countFailure)
    return sendToPage(reply, { failed: result.failure, next })
  })
  for (const path of [PROVIDER_SIGN_IN_PATH, PROVIDER_CALLBACK_PATH])
    app.head(path, (_request, reply) => reply.code(200).send())
}

// For who has to find a password or a second factor first.
const FLOW_LIFE_SECONDS = 15 * 60

/** The page continues there only if it is an address of its own. */
const NextSchema = z.object({ next: z.string().max(2_000).default('').catch('') })

const FlowSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  next: z.string(),
})

type KeptFlow = z.output<typeof FlowSchema>

function keepFlow(context: Context, reply: FastifyReply, flow: KeptFlow): void {
  reply.setCookie(flowCookieName(context), Buffer.from(JSON.stringify(flow)).toString('base64url'), {
    path: '/',
    maxAge: FLOW_LIFE_SECONDS,
    httpOnly: true,
    // The provider, another site, sends the browser back.
    sameSite: 'lax',
    secure: context.publicUrl.startsWith('https:'),
  })
}

function readFlow(context: Context, { cookies }: FastifyRequest): KeptFlow | undefined {
  const kept = Buffer.from(cookies[flowCookieName(context)] ?? '', 'base64url').toString('utf8')
  try {
    return FlowSchema.parse(JSON.parse(kept))
  } catch {
    return undefined
  }
}

function flowCookieName(context: Context): string {
  return `${sessionCookieName(context)}_flow`
}

function expectProvider({ signInProvider }: Context): SignInProvider {
  if (!signInProvider) throw notFound('sign-in provider', 'Set --oidc-issuer.')
  return signInProvider
}

function sendToPage(reply: FastifyReply, parts: Readonly<Record<string, string>>): FastifyReply {
  const query = new URLSearchParams(Object.entries(parts).filter(([, value]) => value !== ''))
  return sendOn(reply, `/sign-in?${query}`)
}

function sendOn(reply: FastifyReply, address: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(address, 303)
}
