import {
  CreateRunRequestSchema,
  type CreateRunResponse,
  CreateRunResponseSchema,
  CredentialsSchema,
  OPERATIONS,
  type RunDetail,
  RunDetailSchema,
} from '@runledger/protocol'
import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveServerConfig, type ServerConfig, type ServerFlags } from '../base/config/server-config'
import type { Context } from '../operations/call/context'
import { type CheckedProcedure, type CheckedWrite, createCheckedWrite } from '../operations/call/subjects'
import type { Principal } from '../record/access/keys/principal'
import { createRun } from '../operations/runs/create-run'
import { mapV1Run } from '../record/results/runs/map-v1-run'
import { createServer, type RunningServer, type ServerParts } from '../server'
import { createTestDatabase, dropTestDatabase, findTestStorage } from './test-database'

export interface TestServer {
  url: string
  dataDir: string
  /** Address of its PostgreSQL database, if it has one. */
  database: string | undefined
  apiKey: string
  procedureId: string
  running: RunningServer
  /** Moves the server's clock forward. */
  advance(seconds: number): void
  /** What the server logged as its own failure. */
  logged: string[]
  /** Sends a request with the key; a body that is no string is sent as JSON. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  createRun(change?: Record<string, unknown>, headers?: Record<string, string>): Promise<CreateRunResponse>
  getRun(id: string | undefined): Promise<RunDetail>
  /** Initialises, with the key or another authorization, uploads and returns the attachment's id. */
  upload(name: string, bytes: string | Uint8Array, headers?: Record<string, string>): Promise<string>
  stop(): Promise<void>
}

/** What tests replace, and settings that no flag sets. */
interface TestServerParts extends ServerParts {
  config?: Partial<ServerConfig>
  /** Variables that the settings are read from. */
  env?: NodeJS.ProcessEnv
}

/** A real server on a free port with its data in a fresh folder, or in one that a former test server used. */
export async function startTestServer(
  flags: ServerFlags = {},
  { config: change, env: given, ...parts }: TestServerParts = {},
): Promise<TestServer> {
  const dataDir = flags.data ?? (await mkdtemp(join(tmpdir(), 'runledger-server-')))
  const database = flags.database ?? (await createTestDatabase(dataDir))
  const env = given ?? (flags.database === undefined ? findTestStorage(dataDir) : {})
  const logged: string[] = []
  let offsetUs = 0
  const config = {
    ...resolveServerConfig({ port: 0, projectDir: dataDir, ...flags, data: dataDir, database }, env),
    ...change,
  }
  const running = await createServer(config, {
    clock: () => Date.now() * 1000 + offsetUs,
    log: {
      error: (message, cause) => void logged.push(`${message} ${String(cause)}`),
      warn: (message) => void logged.push(message),
      info: () => undefined,
    },
    ...parts,
  }).start()
  const credentials = CredentialsSchema.parse(
    JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')),
  )
  const address = flags.publicUrl === undefined ? running.url : `http://127.0.0.1:${flags.port}`
  const client = createClient(address, credentials.api_key, credentials.procedure_id ?? '')
  return {
    ...client,
    url: address,
    dataDir,
    database,
    apiKey: credentials.api_key,
    procedureId: credentials.procedure_id ?? '',
    running,
    logged,
    advance: (seconds) => void (offsetUs += seconds * 1_000_000),
    stop: async () => {
      await running.close()
      if (flags.data !== undefined) return
      await rm(dataDir, { recursive: true, force: true })
      await dropTestDatabase(dataDir)
    },
  }
}

function createClient(url: string, apiKey: string, procedureId: string) {
  const send: TestServer['send'] = (method, path, ...[body, headers = {}]) =>
    fetch(path.startsWith('http') ? path : `${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  return {
    send,
    createRun: async (change: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
      const response = await send(
        'POST',
        '/v1/runs/create',
        { ...minimalRun(procedureId), ...change },
        headers,
      )
      if (response.status !== 200)
        throw new Error(`run creation answered ${response.status}: ${await response.text()}`)
      return CreateRunResponseSchema.parse(await response.json())
    },
    getRun: async (id: string | undefined) =>
      RunDetailSchema.parse(await (await send('GET', `/v2/runs/${id}`)).json()),
    upload: async (name: string, bytes: string | Uint8Array, sent: Record<string, string> = {}) => {
      const { authorization = `Bearer ${apiKey}`, ...headers } = sent
      const made = await send('POST', '/v2/attachments', { name }, { authorization })
      const initialized = (await made.json()) as { id: string; upload_url: string }
      const put = await fetch(initialized.upload_url, {
        method: 'PUT',
        body: new Blob([bytes as Uint8Array<ArrayBuffer>]),
        headers,
      })
      if (put.status !== 200) throw new Error(`upload answered ${put.status}: ${await put.text()}`)
      return initialized.id
    },
  }
}

/** The least that the strict path takes. */
export function minimalRun(procedureId: string): Record<string, unknown> {
  return {
    procedure_id: procedureId,
    unit_under_test: { serial_number: 'UNIT-1', part_number: 'PART-1', revision: 'A' },
    run_passed: true,
    duration: 'PT1.5S',
  }
}

/** Status and JSON of a response. */
interface Asked<Body = unknown> {
  status: number
  body: Body
}

/** Asks a test server and reads its JSON, whatever the status. */
export function createAsk(server: () => TestServer) {
  return async <Body = unknown>(method: string, path: string, body?: unknown): Promise<Asked<Body>> => {
    const response = await server().send(method, path, body)
    return { status: response.status, body: (await response.json()) as Body }
  }
}

/** Asks a test server for what it must answer with 200. @throws Error for another status */
export function createResponse(server: () => TestServer) {
  return async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const response = await server().send(method, path, body)
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    return (await response.json()) as Body
  }
}

/** Creates a run without HTTP, as the strict path does. */
export async function createRunIn(
  context: Context,
  principal: Principal,
  sent: z.input<typeof CreateRunRequestSchema>,
) {
  const body = CreateRunRequestSchema.parse(sent)
  const request = { context, principal, params: {}, body }
  const write = createCheckedWrite(OPERATIONS.createV1Run, request) as CheckedWrite<CheckedProcedure>
  return createRun(context, await mapV1Run(body, context.clock()), { principal, write, strict: true })
}

interface RegisteredRoute {
  method: string
  /** With `{}` for a parameter, whatever its name. */
  path: string
}

const LINE = /^((?:│ {3}| {4})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/

// Routes that name one parameter differently are printed together.
const PARAMETER = /:\w+(?:\|:\w+)*/g

/** Every route that the router really has, read from the tree that it prints. */
export function listRoutes(app: FastifyInstance): RegisteredRoute[] {
  const above: string[] = []
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent, part, methods] = LINE.exec(line) ?? []
      if (indent === undefined || part === undefined) return []
      const depth = indent.length / 4
      const path = (above[depth - 1] ?? '') + part
      above[depth] = path
      const written = path.replaceAll(PARAMETER, '{}')
      return (methods?.split(', ') ?? []).map((method) => ({ method, path: written }))
    })
}
