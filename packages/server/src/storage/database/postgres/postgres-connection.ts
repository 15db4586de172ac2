import type { Client, ClientConfig, Pool, PoolConfig, QueryConfig } from 'pg'
import { HttpError, StartError } from '../../../base/errors'
import type { Log } from '../../../base/log'
import { KeyClashError, type SqlValue } from '../database'

/** Only services with PostgreSQL load the driver. */
async function loadDriver() {
  return (await import('pg')).default
}

const BIGINT = 20
const NUMERIC = 1700

/** Commands that must not run beside a service look for this name among the connections. */
export const APPLICATION = 'runledger'

const OPTIONS = [
  // PostgreSQL then soon releases the locks of a machine that went away.
  '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3',
  // JIT compilation takes longer than nearly all of our statements.
  '-c jit=off',
].join(' ')

/** Keys and counts are below 2^53, so numbers hold them; the driver would return texts. */
async function createSettings(url: string): Promise<ClientConfig> {
  const { types } = await loadDriver()
  const getTypeParser = ((id: number, format?: 'text') =>
    id === BIGINT || id === NUMERIC ? Number : types.getTypeParser(id, format)) as typeof types.getTypeParser
  return {
    // Settings in the address win.
    connectionString: url.replaceAll(/(?<=[?&])application_name=[^&]*/g, ''),
    application_name: APPLICATION,
    keepAlive: true,
    options: OPTIONS,
    types: { getTypeParser },
  }
}

/** A server that is slower counts as unreachable. */
const CONNECT_LIMIT_MS = 5_000

/** PostgreSQL itself ends a statement or an idle transaction this long after the limit. */
const GRACE_MS = 2_000

export interface PoolOptions {
  max: number
  /** For a statement, and for waiting for a connection. */
  limitMs: number
  isReadOnly?: boolean
}

/** Connections open on demand, and again after they broke. Statements are sent without waiting for earlier ones. */
export async function openPool(
  url: string,
  { max, limitMs, isReadOnly = false }: PoolOptions,
): Promise<Pool> {
  const { Pool: DriversPool } = await loadDriver()
  const pool = new DriversPool({
    ...(await createSettings(url)),
    max,
    // Otherwise an idle connection is closed after some seconds.
    min: 1,
    // The driver has one limit for opening a connection and for waiting for one; a pool of one never waits.
    connectionTimeoutMillis: max === 1 ? CONNECT_LIMIT_MS : limitMs,
    statement_timeout: limitMs + GRACE_MS,
    // Without a limit, the connection of a machine that went away keeps its locks.
    idle_in_transaction_session_timeout: limitMs + GRACE_MS,
    ...(isReadOnly ? {} : { lock_timeout: limitMs / 2 }),
    // Gives up a silent server.
    query_timeout: limitMs + 2 * GRACE_MS,
    ...(isReadOnly ? { options: `${OPTIONS} -c default_transaction_read_only=on` } : {}),
    pipeline: true,
  } as PoolConfig)
  // Broken connections fail their statements; without a listener, the event would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** PostgreSQL refuses NUL, which no stored text has: with another character, the statement finds nothing, as it should. */
export function createStatement(text: string, values: readonly SqlValue[]): QueryConfig {
  return {
    text,
    values: values.map((value) => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value)),
  }
}

interface OpenClient {
  client: Client
  describeFailure: (error: unknown) => StartError
}

/** The caller ends the connection. @throws StartError when there is none */
export async function openClient(url: string): Promise<OpenClient> {
  const { Client: DriversClient } = await loadDriver()
  let place = ''
  const describeFailure = (error: unknown) =>
    error instanceof StartError ? error : unusableDatabaseError(place, error)
  try {
    const settings = { ...(await createSettings(url)), connectionTimeoutMillis: 10_000, pipeline: true }
    const client = new DriversClient(settings as ClientConfig)
    place = placeOf(client)
    client.on('error', () => undefined)
    await client.connect().catch(async (error: unknown) => {
      await client.end().catch(() => undefined)
      throw error
    })
    return { client, describeFailure }
  } catch (error) {
    throw describeFailure(error)
  }
}

/** @throws StartError without a connection, or when the database refuses the work */
export async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { client, describeFailure } = await openClient(url)
  try {
    return await work(client)
  } catch (error) {
    throw describeFailure(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Leaves out user and password. */
function placeOf({ database, host, port }: Pick<Client, 'database' | 'host' | 'port'>): string {
  return ` "${database}" at ${host}:${port}`
}

export async function describeUnreachable(url: string, error: unknown): Promise<StartError> {
  const { Client: DriversClient } = await loadDriver()
  return unreachableDatabaseError(placeOf(new DriversClient(await createSettings(url))), error)
}

const WRONG_PASSWORD = /^28(?:000|P01)$/
const NO_SUCH_DATABASE = '3D000'
const SETTING = '--database (RUNLEDGER_DATABASE)'

function unusableDatabaseError(place: string, error: unknown): StartError {
  if (isGone(error)) return unreachableDatabaseError(place, error)
  return new StartError(`The PostgreSQL database${place} cannot be used: ${describeRefusedUse(error)}`, {
    cause: error,
  })
}

function describeRefusedUse(error: unknown): string {
  const code = codeOf(error)
  if (WRONG_PASSWORD.test(code)) return `it refuses the user or the password. Correct them in ${SETTING}.`
  if (code === NO_SUCH_DATABASE) return `it does not exist. Create it, or give another with ${SETTING}.`
  return `${reasonOf(error)}. Give the address of one that its user owns with ${SETTING}.`
}

function unreachableDatabaseError(place: string, error: unknown): StartError {
  return new StartError(
    `The PostgreSQL database${place} cannot be reached: ${reasonOf(error)}. Start it, or correct ${SETTING}. This process ends with exit code 1; start it again, or run it under something that does.`,
    { cause: error },
  )
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || codeOf(error) : String(error)
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** The connection failed, or the server stops, starts or is full. */
const GONE_CODE =
  /^(?:08...|57P0[1-5]|25P03|53300|E(?:CONN\w+|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOENT)|ENOTFOUND|EAI_AGAIN)$/
const GONE_MESSAGE =
  /^Connection terminated|is not queryable$|^timeout exceeded when trying to connect|^Query read timeout/

/** The connection broke or could not be opened. */
export function isGone(error: unknown): boolean {
  return GONE_CODE.test(codeOf(error)) || (error instanceof Error && GONE_MESSAGE.test(error.message))
}

/** The failure was a timeout of the server or the network. */
export function isSilent(error: unknown): boolean {
  if (!isGone(error)) return false
  return codeOf(error) === 'ETIMEDOUT' || /\btimeout\b/.test((error as Error).message)
}

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const UNIQUE_VIOLATION = '23505'
export const QUERY_CANCELED = '57014'
const LOCK_NOT_AVAILABLE = '55P03'

/** A retry may succeed: another process changed what was read, or made the same keys. */
export function isClash(error: unknown): boolean {
  return [SERIALIZATION_FAILURE, DEADLOCK, UNIQUE_VIOLATION].includes(codeOf(error))
}

/** PostgreSQL undid this one of two transactions that waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return codeOf(error) === DEADLOCK
}

export type DescribeFailure = (error: unknown) => unknown

const LOG_AGAIN_AFTER_MS = 60_000

/** Logs that the database is unreachable, once a minute. */
export function createDescribeFailure(log?: Log): DescribeFailure {
  let loggedAtMs = -Infinity
  return (error) => {
    if (!isGone(error)) return describeRefusal(error)
    if (performance.now() - loggedAtMs >= LOG_AGAIN_AFTER_MS) {
      loggedAtMs = performance.now()
      log?.error('The database cannot be reached', error)
    }
    return unreachableError(error)
  }
}

function describeRefusal(error: unknown): unknown {
  if ([QUERY_CANCELED, LOCK_NOT_AVAILABLE].includes(codeOf(error))) return cancelledError(error)
  if (!isClash(error)) return error
  if (codeOf(error) !== UNIQUE_VIOLATION) return contentionError(error)
  const { constraint } = error as { constraint?: string }
  return constraint?.endsWith('_pkey') ? new KeyClashError((error as Error).message) : error
}

function unreachableError(cause: unknown): HttpError {
  const message = 'The service cannot reach its database now. Send the request again in a moment.'
  return new HttpError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5, cause })
}

function cancelledError(cause: unknown): HttpError {
  const message = 'The database broke this off before its end, so nothing of it was stored. Send it again.'
  return new HttpError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5, cause })
}

function contentionError(cause: unknown): HttpError {
  const message = 'Others were changing the same all the time, so nothing of it was stored. Send it again.'
  return new HttpError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 1, cause })
}
