import { OPERATION_ROUTES } from '@runledger/protocol'
import type { FastifyInstance } from 'fastify'
import { notFound } from '../../base/errors'
import type { Context } from '../../operations/call/context'
import { createGuardedApp, type SharedLimits } from '../transport/guarded-app'
import { registerFileRoutes } from '../routes/byte-routes'
import { registerTraceViewer } from './viewer'

/** Attachments of unknown origin open here. There is no key, cookie or operation that their scripts could reach. */
export async function createFilesApp(context: Context, limits: SharedLimits): Promise<FastifyInstance> {
  const { app } = await createGuardedApp(context, limits)
  app.addHook('onRequest', async ({ is404, method, url }) => {
    if (is404) throw notFound(`route ${method} ${url.split('?')[0]}`)
  })
  // The page of a run checks from its own origin that this one can be reached.
  app.get(OPERATION_ROUTES.getHealth.path, (_request, reply) =>
    reply
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('cache-control', 'no-store')
      .send('ok'),
  )
  registerFileRoutes(app, context)
  await app.register(registerTraceViewer)
  return app
}
