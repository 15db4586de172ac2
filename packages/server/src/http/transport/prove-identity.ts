import { CHALLENGE_HEADER, OPERATION_ROUTES, PROOF_HEADER, proofText } from '@runledger/protocol'
import type { FastifyInstance } from 'fastify'
import { createHmac } from 'node:crypto'
import type { Context } from '../../operations/call/context'

const CHALLENGE = /^[\w-]{32,128}$/

/** Readers of the local credentials need proof: another user's program may listen on the port. */
export function proveIdentity(app: FastifyInstance, context: Context): void {
  app.addHook('onRequest', async ({ headers, routeOptions }, reply) => {
    const challenge = headers[CHALLENGE_HEADER]
    const isHealth = routeOptions.url?.endsWith(OPERATION_ROUTES.getHealth.path)
    if (!isHealth || typeof challenge !== 'string' || !CHALLENGE.test(challenge)) return
    const text = proofText(challenge, context.publicUrl)
    reply.header(PROOF_HEADER, createHmac('sha256', context.serviceSecret).update(text).digest('hex'))
  })
}
