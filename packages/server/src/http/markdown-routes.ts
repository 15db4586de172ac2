import { RunListPageQuerySchema } from '@runledger/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Context } from '../context'
import { readingFrom } from '../database/database'
import type { HttpError } from '../errors'
import { RUN_LIST_MARKDOWN_PATH, RUN_MARKDOWN_PATH } from '../openapi/other-paths'
import { writeRun, writeRunList } from '../runs/markdown'
import { letIn } from './authenticate'
import { type Exchange, mapError } from './error-record'
import { parseInput, readQuery } from './input'

const ParamsSchema = z.object({ id: z.string() })

/** The pages of a run and of the list as Markdown, for a shell or an assistant: whoever may read the records may read them. */
export function registerMarkdownRoutes(app: FastifyInstance, context: Context): void {
  const register = (path: string, operation: string, write: WriteMarkdown) => {
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
    app.route({
      method: 'GET',
      url,
      exposeHeadRoute: false,
      config: { operation },
      onRequest: async (request) => letIn(context, request, 'any-key'),
      handler: async (request, reply) => {
        const { database } = context
        // All of it as it was at one moment, and read no further once its client has gone.
        const text = await database.read(
          (query) => write({ ...context, database: readingFrom(database, query) }, request),
          { signal: request.signal },
        )
        return sendMarkdown(reply, 200, text)
      },
      errorHandler: (thrown, request, reply) => {
        refuseInText(context, thrown, { request, reply })
      },
    })
    app.head(url, (_request, reply) => reply.code(200).type(MARKDOWN_TYPE).send())
  }
  register(RUN_MARKDOWN_PATH, 'getRunMarkdown', (reading, { params }) =>
    writeRun(reading, parseInput(ParamsSchema, params).id),
  )
  register(RUN_LIST_MARKDOWN_PATH, 'listRunsMarkdown', (reading, { query }) =>
    writeRunList(reading, parseInput(RunListPageQuerySchema, readQuery(query))),
  )
}

type WriteMarkdown = (context: Context, request: FastifyRequest) => Promise<string>

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

/** What was wrong, and what to do about it, to read in a terminal. */
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
