import type { Environment } from '../config/options'
import { createSocketTransport } from './socket-transport'
import type { TlsFiles, TlsMaterial } from './tls-files'
import type { Transport } from './transport'
import type { Proxies } from './undici-transport'

export interface TransportSettings {
  tlsFiles: TlsFiles
  /** Most at once through a proxy; without one, as many as there are requests at once. */
  connections: number
  env: Environment
  /**
   * Nothing of it keeps the process alive, but for a connection while it is being made or waited for, and what goes
   * through a proxy: both end with the request's time limit.
   */
  isBackground?: boolean
}

/**
 * Node's own sockets where no proxy is set; else undici, which is loaded only then. This machine is never reached
 * through a proxy.
 * @throws ConfigError when a file of the TLS options cannot be used, or a proxy's address is none.
 */
export async function createTransport(settings: TransportSettings): Promise<Transport> {
  const { connections, env, isBackground = false } = settings
  const tls = await readTls(settings)
  const proxies = findProxies(env)
  const plan = { tls, connections, isBackground, proxies }
  if (!proxies.http && !proxies.https) return createSocketTransport(plan)
  const { createUndiciTransport } = await import('./undici-transport')
  return createUndiciTransport(plan)
}

/** Empty where there is none; the lower-case names count first, as everywhere. */
function findProxies(env: Environment): Proxies {
  return {
    http: env['http_proxy'] ?? env['HTTP_PROXY'] ?? '',
    https: env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '',
    unproxied: listUnproxied(env),
  }
}

/** Nothing is read, nor loaded, where no file is named. */
async function readTls({ tlsFiles, env }: TransportSettings): Promise<TlsMaterial> {
  const { caFile, clientCertFile, clientKeyFile } = tlsFiles
  if ([caFile, clientCertFile, clientKeyFile].every((file) => file === undefined)) return {}
  const { readTlsFiles } = await import('./tls-files')
  return readTlsFiles(tlsFiles, env)
}

// A proxy cannot reach the service on this machine, and would be handed the local key. `*` counts only by itself.
function listUnproxied(env: Environment): string {
  const given = env['no_proxy'] ?? env['NO_PROXY'] ?? ''
  if (given.split(/[\s,]/).includes('*')) return '*'
  return [given, 'localhost', '127.0.0.1', '[::1]'].filter(Boolean).join(',')
}
