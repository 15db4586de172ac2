import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpError } from '../../base/errors'
import type { Context } from '../../operations/call/context'
import { MARKDOWN_PAGES } from '../../operations/markdown-pages'
import { authorizeReading } from '../transport/authenticate'
import { type Exchange, mapError } from '../transport/error-record'

/** Pages of the dashboard as Markdown, with the same access as the records. */
export function registerMarkdownRoutes(app: FastifyInstance, context: Context): void {
  for (const { path, operation, write } of MARKDOWN_PAGES) {
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
    app.route({
      method: 'GET',
      url,
      exposeHeadRoute: false,
      config: { operation },
      onRequest: async (request) => authorizeReading(context, request),
      handler: async (request, reply) => sendMarkdown(reply, 200, await write(context, request)),
      errorHandler: (thrown, request, reply) => {
        refuseInText(context, thrown, { request, reply })
      },
    })
    app.head(url, (_request, reply) => reply.code(200).type(MARKDOWN_TYPE).send())
  }
}

const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'

function sendMarkdown(reply: FastifyReply, statusCode: number, text: string): FastifyReply {
  return reply
    .code(statusCode)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .type(MARKDOWN_TYPE)
    .send(text)
}

function refuseInText(context: Context, thrown: unknown, { request, reply }: Exchange): void {
  const error = mapError(thrown, request, context.log)
  context.metrics.countRefusal(error.code)
  if (error.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer')
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds))
  sendMarkdown(reply, error.statusCode, formatRefusal(context, request, error))
}

function formatRefusal({ publicUrl }: Context, { originalUrl }: FastifyRequest, error: HttpError): string {
  const { statusCode, message, issues } = error
  const lines = [`${statusCode}: ${message}`, ...issues.map((issue) => `- ${issue.message}`)]
  if (error.code === 'UNAUTHORIZED') {
    const address = JSON.stringify(publicUrl + originalUrl).replaceAll(/[`$]/g, '\\$&')
    lines.push(
      '',
      'The key of this machine is the api_key in .runledger/credentials.json, if the service runs here. With it:',
      '',
      `    curl -H "Authorization: Bearer $RUNLEDGER_API_KEY" ${address}`,
    )
  }
  return `${lines.join('\n')}\n`
}
