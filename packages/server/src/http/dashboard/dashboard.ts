import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findMarkdownAddress } from './markdown-address'
import type { Context } from '../../operations/call/context'
import { HEADERS } from '../transport/headers'

/** The page decides by itself what to show. */
export const CLIENT_ROUTES = [
  '/',
  '/builds',
  '/builds/*',
  '/tests',
  '/tests/*',
  '/errors',
  '/errors/*',
  '/compare',
  '/quarantine',
  '/manage',
  '/manage/*',
  '/line',
  '/line/*',
  '/runs',
  '/runs/*',
  '/units/*',
  '/parts/*',
  '/batches/*',
  '/stations/*',
  '/station',
  '/interface',
  '/sign-in',
]

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Runledger</title>
<h1>Runledger is running</h1><p>This copy was built without its dashboard. Build it with <code>npm run build</code>,
then start the service again. The API works: see <a href="/v2/runs">/v2/runs</a>.</p></html>`

/** Hashed files are cached for ever; every route answers the one page. */
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
        handler: async (request, reply) => {
          reply.header('vary', 'accept')
          const text = findMarkdown(request)
          return text === undefined ? this.sendPage(reply, 200) : reply.redirect(text, 302)
        },
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
      },
    })
  }

  /** A browser navigates, rather than a program that asks for data. */
  isNavigation({ method, headers }: FastifyRequest): boolean {
    return (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html')
  }

  #fill(page: string, nonce: string): string {
    const { config, signInProvider } = this.#context
    const anonymous = config.anonymousViewing ? ' data-anonymous-viewing' : ''
    const provider = signInProvider ? ` data-sign-in-provider="${escapeQuoted(signInProvider.name)}"` : ''
    return page
      .replaceAll('<script ', `<script nonce="${nonce}" `)
      .replace('<html', () => `<html${anonymous}${provider}`)
  }

  async sendPage(reply: FastifyReply, statusCode: number): Promise<FastifyReply> {
    const page =
      this.#folder === undefined ? NOT_BUILT : await readFile(join(this.#folder, 'index.html'), 'utf8')
    const nonce = randomBytes(16).toString('base64')
    await Promise.resolve(
      reply.helmet({ ...HEADERS, contentSecurityPolicy: pagePolicy(this.#context, nonce) }),
    )
    return reply
      .code(statusCode)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(this.#fill(page, nonce))
  }
}

function escapeQuoted(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

function findMarkdown({ url, headers }: FastifyRequest): string | undefined {
  return headers.accept?.includes('text/markdown') ? findMarkdownAddress(url) : undefined
}

/**
 * Allows only the script that the page names and what that loads: no attachments, although they share this origin. Images may
 * also come from the public address; the page may ask the origin of files whether it is there.
 */
function pagePolicy({ publicUrl, filesUrl }: Context, nonce: string) {
  const { origin } = new URL(publicUrl)
  return {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: [`'nonce-${nonce}'`, "'strict-dynamic'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:', 'blob:', origin],
      mediaSrc: ["'self'", 'blob:', origin],
      connectSrc: ["'self'", origin, ...findFilesSource(publicUrl, filesUrl)],
      fontSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  }
}

/** A port of the service's own host is allowed under every name of that host. */
function findFilesSource(publicUrl: string, filesUrl: string): string[] {
  if (filesUrl === '') return []
  const { protocol, hostname, port } = new URL(filesUrl)
  return [hostname === new URL(publicUrl).hostname && port !== '' ? `${protocol}//*:${port}` : filesUrl]
}

// The built package has it beside the bundle; the sources use the last build.
function findDashboardFolder(configured: string | undefined): string | undefined {
  const here = fileURLToPath(new URL('.', import.meta.url))
  const candidates = configured
    ? [configured]
    : [join(here, 'dashboard'), join(here, '..', '..', '..', 'dist', 'dashboard')]
  return candidates.find((folder) => existsSync(join(folder, 'index.html')))
}
