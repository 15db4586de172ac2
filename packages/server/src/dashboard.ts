import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Context } from './context'

/** Addresses that the one page answers; what it shows at each, it decides itself. */
export const CLIENT_ROUTES = ['/', '/runs', '/runs/*', '/interface', '/sign-in']

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Runledger</title>
<h1>Runledger is running</h1><p>This copy was built without its dashboard. Build it with <code>npm run build</code>,
then start the service again. The interface works: see <a href="/v2/runs">/v2/runs</a>.</p></html>`

/** The dashboard's pages: its hashed files for ever, its one page for every route of its own. */
export class Dashboard {
  readonly #context: Context
  readonly #folder: string | undefined

  constructor(context: Context) {
    this.#context = context
    this.#folder = findDashboardFolder(context.config.dashboardDir)
  }

  async register(app: FastifyInstance): Promise<void> {
    for (const url of CLIENT_ROUTES) {
      app.route({
        method: ['GET', 'HEAD'],
        url,
        exposeHeadRoute: false,
        handler: (_request, reply) => this.sendPage(reply, 200),
      })
    }
    if (this.#folder === undefined) return
    await app.register(fastifyStatic, {
      root: this.#folder,
      index: false,
      wildcard: false,
      serveDotFiles: false,
      preCompressed: true,
      cacheControl: false,
      globIgnore: ['**/index.html*', '**/*.{br,gz}'],
      setHeaders(reply, path) {
        const hashed = path.includes(`${sep}assets${sep}`)
        reply.setHeader(
          'cache-control',
          hashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
        )
        reply.setHeader('x-content-type-options', 'nosniff')
      },
    })
  }

  /** A browser that goes to an address, not a program that asks for data. */
  isNavigation({ method, headers }: FastifyRequest): boolean {
    return (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html')
  }

  async sendPage(reply: FastifyReply, statusCode: number): Promise<FastifyReply> {
    const page =
      this.#folder === undefined ? NOT_BUILT : await readFile(join(this.#folder, 'index.html'), 'utf8')
    return reply
      .code(statusCode)
      .headers(pageHeaders(this.#context.publicUrl))
      .type('text/html; charset=utf-8')
      .send(page)
  }
}

/** No script but the dashboard's own, no frame around it, and pictures also by the address that is handed out. */
function pageHeaders(publicUrl: string): Record<string, string> {
  const { origin } = new URL(publicUrl)
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      `img-src 'self' data: blob: ${origin}`,
      `media-src 'self' blob: ${origin}`,
      `connect-src 'self' ${origin}`,
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-cache',
  }
}

// The built package has it beside its one file; the sources, one folder up, beside what was built last.
function findDashboardFolder(configured: string | undefined): string | undefined {
  const here = fileURLToPath(new URL('.', import.meta.url))
  const candidates = configured
    ? [configured]
    : [join(here, 'dashboard'), join(here, '..', 'dist', 'dashboard')]
  return candidates.find((folder) => existsSync(join(folder, 'index.html')))
}
