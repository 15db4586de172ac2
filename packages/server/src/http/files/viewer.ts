import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TRACE_VIEWER_PATH } from '../../record/files/attachments/addresses'

/** Files of this origin, traces among them, and what the service worker makes of a trace. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self' data: blob:",
  "worker-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ')

/** The build copies the viewer from playwright-core. */
export async function registerTraceViewer(app: FastifyInstance): Promise<void> {
  const folder = findViewerFolder()
  if (folder === undefined) return
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({ 'content-security-policy': POLICY, 'x-frame-options': 'SAMEORIGIN' })
  })
  await app.register(fastifyStatic, {
    root: folder,
    prefix: TRACE_VIEWER_PATH,
    index: false,
    wildcard: false,
    serveDotFiles: false,
    preCompressed: true,
    cacheControl: false,
    globIgnore: ['**/*.{br,gz}'],
    setHeaders(reply, path) {
      const hashed = path.includes(`${sep}assets${sep}`)
      reply.setHeader('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
}

// The built package has it beside the bundle; the sources use the last build.
function findViewerFolder(): string | undefined {
  const here = fileURLToPath(new URL('.', import.meta.url))
  return [join(here, 'trace-viewer'), join(here, '..', '..', '..', 'dist', 'trace-viewer')].find((folder) =>
    existsSync(join(folder, 'index.html')),
  )
}
