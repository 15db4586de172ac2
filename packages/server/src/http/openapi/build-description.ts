import {
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiPath,
  OPERATION_ROUTES,
  type OperationName,
} from '@runledger/protocol'
import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import { version } from '../../base/version'
import type { Context } from '../../operations/call/context'
import { describeOperation, describeSecuritySchemes } from './describe-operation'
import { createJsonSchemas } from './json-schemas'
import { describeOtherPaths, OPENAPI_PATH } from './other-paths'

const DESCRIPTION = `Every operation is served at \`/\` and again under \`/api\`. Every success answers 200.

**Requests.** Bodies are JSON, labelled \`application/json\`. Unknown keys are ignored; \`null\` for an optional field means that it is absent. A list in a query repeats its key: \`ids=a&ids=b\`. Times are ISO 8601 with \`Z\` or an offset, durations ISO 8601 (\`PT27M15S\`). Serial numbers, part numbers, revisions and batch numbers are trimmed and matched without regard to case.

**Lists within an answer.** What a record has by itself is the first 1,000 of it (units of a batch or revision, children, attachments and metadata of a unit, revisions of a part, procedures of a station, stations of a procedure), in a list of records the first 100 of each; \`GET /v2/users\` answers the first 1,000. Phases, measurements and attachments of a run are whole.

**Errors.** Below \`/v1\` they are the record \`V1Error\`, elsewhere \`V2Error\`. A request that is no HTTP, or whose headers are too large or too slow, is answered 400, 431 or 408 with \`V1Error\`; an unknown path or method 404.

**HEAD** on every path answers 200 without a body.

**Versions.** Paths of v1 begin with \`/v1\`, of v2 with \`/v2\`; v2 is a preview.`

export function buildDescription(context: Pick<Context, 'publicUrl'>): OpenApiDocument {
  const schemas = createJsonSchemas()
  const paths: Record<string, OpenApiPath> = {}
  for (const name of Object.keys(OPERATION_ROUTES) as OperationName[]) {
    const { method, path } = OPERATION_ROUTES[name]
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(name, schemas) }
  }
  for (const [path, item] of Object.entries(describeOtherPaths(schemas))) {
    paths[path] = { ...paths[path], ...item }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Runledger',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: context.publicUrl, description: 'The service' },
      { url: `${context.publicUrl}/api`, description: 'The same below /api' },
    ],
    tags: listTags(paths),
    paths,
    components: {
      schemas: schemas.listComponents(),
      securitySchemes: describeSecuritySchemes(context),
    },
  }
}

function listTags(paths: Record<string, OpenApiPath>): { name: string }[] {
  const operations = Object.values(paths).flatMap((path) => Object.values(path) as OpenApiOperation[])
  return [...new Set(operations.flatMap(({ tags }) => tags))].map((name) => ({ name }))
}

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
