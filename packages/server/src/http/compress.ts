import compress from '@fastify/compress'
import type { FastifyInstance, RouteOptions } from 'fastify'

const OPTIONS: NonNullable<RouteOptions['compress']> = {
  // What is shorter fits into a few packets either way.
  threshold: 4 * 1024,
  encodings: ['gzip'],
  zlibOptions: { level: 4 },
}

/**
 * Compresses what operations that read answer, where the client takes it: a run of 5,000 steps is a tenth of its size.
 * Not attachments: most are compressed already, and ranges count their own bytes. What is compressed has no secret that
 * somebody else's text beside it could give away by the length (BREACH): keys are never read back, the session is a
 * header, and who may write into a run may read its signed addresses too. Bodies of requests are never decompressed.
 */
export async function compressAnswers(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    const { operation } = route.config ?? {}
    if (route.method === 'GET' && operation !== undefined && operation !== 'downloadBytes')
      route.compress = OPTIONS
  })
  await app.register(compress, { global: false, globalDecompression: false })
}
