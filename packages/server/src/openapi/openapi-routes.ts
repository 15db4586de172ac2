import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import type { Context } from '../context'
import { buildDescription } from './build-description'
import { OPENAPI_PATH } from './other-paths'

/** The description's bytes, made when they are first asked for. */
export class DescriptionCache {
  readonly #context: Context
  #made: { publicUrl: string; bytes: Buffer; etag: string } | undefined

  constructor(context: Context) {
    this.#context = context
  }

  get(): { bytes: Buffer; etag: string } {
    const { publicUrl } = this.#context
    if (this.#made?.publicUrl !== publicUrl) {
      const bytes = Buffer.from(JSON.stringify(buildDescription({ publicUrl })))
      const digest = createHash('sha256').update(bytes).digest('base64url')
      this.#made = { publicUrl, bytes, etag: `"${digest}"` }
    }
    return this.#made
  }
}

/** `GET /openapi.json`: the description of the interface. No key is needed. */
export function registerOpenApiRoutes(app: FastifyInstance, description: DescriptionCache): void {
  app.get(OPENAPI_PATH, { exposeHeadRoute: false }, (request, reply) => {
    const { bytes, etag } = description.get()
    reply.headers({ 'content-type': 'application/json', etag, 'cache-control': 'no-cache' })
    reply.header('x-content-type-options', 'nosniff')
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.send(bytes)
  })
  app.head(OPENAPI_PATH, (_request, reply) =>
    reply.code(200).header('content-type', 'application/json').send(),
  )
}
