import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

// How long a client that was refused may go on sending before it is cut off.
const REFUSED_BODY_MS = 10_000

/**
 * Lets a client that is answered in the middle of its body hear the response. Some look for it only after they have
 * sent everything, and a connection that is closed under them loses it: so it stays open, for a while, and what comes
 * is read and forgotten.
 */
export function readRefusedBodies(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply) => keepOpen(request, reply))
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.complete) return
    raw.resume()
    setTimeout(() => {
      if (!raw.complete) raw.destroy()
    }, REFUSED_BODY_MS).unref()
  })
}

function keepOpen({ raw }: FastifyRequest, reply: FastifyReply): void {
  const hasBody = 'transfer-encoding' in raw.headers || Number(raw.headers['content-length'] ?? 0) > 0
  if (hasBody && !raw.complete) reply.header('connection', 'keep-alive')
}
