import type { AddressInfo } from 'node:net'
import { sweepAttachments } from './attachments/sweep-attachments'
import type { ServerConfig } from './config/server-config'
import { type Context, type ContextParts, createContext } from './context'
import { StartError } from './errors'
import { ensureCredentials } from './first-start/ensure-credentials'
import { createApp } from './http/app'
import { createSignInCode } from './sessions/create-sign-in-code'
import { deleteExpiredSessions } from './sessions/session-store'

const SWEEP_INTERVAL_MS = 60 * 60 * 1000
const CLOSE_GRACE_MS = 10_000

export interface RunningServer {
  /** What every address handed out starts with. */
  url: string
  /** A link that signs the owner in, once, within 15 minutes. */
  createSignInLink(): Promise<string>
  /** Stops listening, lets requests in flight finish (10 s at most), closes the database. */
  close(): Promise<void>
}

export interface Server {
  /** Opens the data folder and listens. Throws StartError, which names the fix, when it cannot. */
  start(): Promise<RunningServer>
}

/** The service: HTTP interface, database, object store and dashboard in one process, data in one folder. */
export function createServer(config: ServerConfig, parts: ContextParts = {}): Server {
  return { start: () => start(config, parts) }
}

async function start(config: ServerConfig, parts: ContextParts): Promise<RunningServer> {
  const context = await createContext(config, parts)
  const app = await createApp(context)
  try {
    await app.listen({ host: config.host, port: config.port })
    context.publicUrl = config.publicUrl ?? listeningUrl(config.host, app.server.address() as AddressInfo)
    await ensureCredentials(context)
    const stopSweeping = startSweeping(context)
    return {
      url: context.publicUrl,
      createSignInLink: async () => `${context.publicUrl}/sign-in?code=${await createSignInCode(context)}`,
      close: async () => {
        stopSweeping()
        await closeApp(app)
        await context.close()
      },
    }
  } catch (error) {
    await app.close()
    await context.close()
    throw describeListenError(error, config)
  }
}

type App = Awaited<ReturnType<typeof createApp>>

function describeListenError(error: unknown, { host, port }: ServerConfig): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const cause = { cause: error }
  if (code === 'EADDRINUSE') {
    return new StartError(
      `Port ${port} on ${host} is in use. Give another with --port, or --port 0 for a free one.`,
      cause,
    )
  }
  if (code === 'EACCES')
    return new StartError(`Port ${port} may not be opened by this user. Give one above 1023.`, cause)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartError(`--host ${host} is no address of this machine.`, cause)
  }
  return error
}

function listeningUrl(host: string, { port }: AddressInfo): string {
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

async function closeApp(app: App): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS)
  try {
    await app.close()
  } finally {
    clearTimeout(timer)
  }
}

function startSweeping(context: Context): () => void {
  const sweep = () => {
    sweepOnce(context).catch((error: unknown) => context.log.error('Sweeping failed', error))
  }
  sweep()
  const timer = setInterval(sweep, SWEEP_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}

async function sweepOnce(context: Context): Promise<void> {
  await sweepAttachments(context)
  await context.database.write(({ query }) => deleteExpiredSessions(query, context.clock()))
}
