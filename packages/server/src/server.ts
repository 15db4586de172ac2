import { OPERATION_ROUTES } from '@runledger/protocol'
import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer as createNetServer } from 'node:net'
import type { ServerConfig } from './base/config/server-config'
import type { Context } from './operations/call/context'
import { type ContextParts, createContext, describeOpenError } from './open-context'
import { StartError } from './base/errors'
import { ensureCredentials } from './operations/first-start/ensure-credentials'
import { createApp } from './http/app'
import { createFilesApp } from './http/files/files-app'
import { createSharedLimits } from './http/transport/guarded-app'
import { listenForFiles, listeningUrl, toHost } from './listen-for-files'
import { startFillingHistory } from './upkeep/roll-ups/fill-history'
import { startMergingRenames } from './upkeep/renames/merge-renames'
import { startRecordingKeyUses } from './record/access/keys/key-uses'
import { createSignInLink } from './operations/sessions/handlers'
import { startSweeping } from './upkeep/sweep'
import { startWebhooks, type WebhookIntervals } from './upkeep/webhooks/run-webhooks'

export interface RunningServer {
  /** Base URL of all addresses that the service returns. */
  url: string
  /** A link that signs the owner in, once, within 15 minutes. */
  createSignInLink(): Promise<string>
  /**
   * Resolves when the service can store nothing any more: end the process, since only a restart helps. Acknowledged data is on
   * disk.
   */
  failed: Promise<Error>
  /** Waits for requests in flight (10 s at most), then for the transaction; then closes the database. */
  close(): Promise<void>
}

export interface Server {
  /** Opens the data folder and listens. @throws StartError that names the fix */
  start(): Promise<RunningServer>
}

/** What tests replace. */
export interface ServerParts extends ContextParts {
  webhookIntervals?: WebhookIntervals
}

/** The service: HTTP interface, database, object store and dashboard in one process, data in one folder. */
export function createServer(config: ServerConfig, parts: ServerParts = {}): Server {
  return { start: () => start(config, parts) }
}

async function start(config: ServerConfig, parts: ServerParts): Promise<RunningServer> {
  if (!existsSync(config.dataDir)) await checkAddress(config)
  const context = await createContext(config, parts)
  const { app, filesApp } = await createApps(context).catch(async (error: unknown) => {
    await context.close()
    throw error
  })
  try {
    await app.listen({ host: config.host, port: config.port })
    context.publicUrl = config.publicUrl ?? listeningUrl(config.host, app.server)
    context.filesUrl = await listenForFiles(filesApp, config)
    const userId = await ensureCredentials(context)
    const stopSweeping = startSweeping(context)
    const stopRecording = startRecordingKeyUses(context)
    const stopMerging = startMergingRenames(context)
    const stopFilling = startFillingHistory(context)
    const stopWebhooks = startWebhooks(context, parts.webhookIntervals)
    return {
      url: context.publicUrl,
      failed: context.failed,
      createSignInLink: async () => (await createSignInLink(context, { userId, keyId: null })).url,
      close: createClose(async () => {
        const swept = stopSweeping()
        await Promise.all([app.close(), filesApp.close()])
        await swept
        await stopMerging()
        await stopWebhooks()
        await stopFilling()
        await stopRecording()
        await context.close()
      }),
    }
  } catch (error) {
    await Promise.all([app.close(), filesApp.close()])
    await context.close()
    throw await describeStartError(error, config)
  }
}

async function createApps(context: Context): Promise<Record<'app' | 'filesApp', FastifyInstance>> {
  const limits = createSharedLimits(context)
  return { app: await createApp(context, limits), filesApp: await createFilesApp(context, limits) }
}

/** Checks the address before a first start creates its data folder, so that a failed one leaves nothing behind. */
async function checkAddress(config: ServerConfig): Promise<void> {
  const { host, port } = config
  const probe = createNetServer().listen(port, host)
  await once(probe, 'listening').catch(async (error: unknown) => {
    throw await describeStartError(error, config)
  })
  await new Promise((resolve) => probe.close(resolve))
}

/** Closes once, however often it is called. */
function createClose(closeAll: () => Promise<void>): () => Promise<void> {
  let closed: Promise<void> | undefined
  return () => (closed ??= closeAll())
}

async function describeStartError(error: unknown, config: ServerConfig): Promise<unknown> {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  const isAboutAddress = syscall === 'listen' || syscall === 'getaddrinfo'
  if (!isAboutAddress) return describeOpenError(error, config)
  const address = `http://${toHost(config.host)}:${config.port}`
  const isOurs = code === 'EADDRINUSE' && (await isRunledger(address))
  return new StartError(isOurs ? describeOther(address, config) : describeAddress(code, config), {
    cause: error,
  })
}

const HEALTH_TIMEOUT_MS = 2_000

async function isRunledger(address: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS)
    const response = await fetch(address + OPERATION_ROUTES.getHealth.path, { signal })
    const { status, version } = (await response.json()) as { status?: unknown; version?: unknown }
    return status === 'ok' && typeof version === 'string'
  } catch {
    return false
  }
}

function describeOther(address: string, { port }: ServerConfig): string {
  return (
    `A Runledger is at ${address} already. To share it, set RUNLEDGER_URL=${address} and RUNLEDGER_API_KEY in this project: ` +
    `\`npx runledger init\` keeps them. For one of its own, give another port than ${port} with --port, or --port 0 for a free one.`
  )
}

function describeAddress(code: unknown, { host, port }: ServerConfig): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Give another with --port, or --port 0 for a free one.`
    case 'EACCES':
      return `Port ${port} may not be opened by this user. Give one above 1023.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `--host ${host} is not an address of this machine.`
    default:
      return `Nothing can listen on ${host}, port ${port} (${String(code)}). Give an address of this machine with --host.`
  }
}
