import type { Environment } from '../config/options'
import { readTlsFiles, type TlsFiles } from '../config/tls-files'
import { ConfigError } from '../model/errors'
import type { Transport } from './transport'
import { SOCKS_PROXY } from './transport'
import type { Proxies } from './undici-transport'

export interface TransportSettings {
  tlsFiles: TlsFiles
  /** Most connections to one origin. */
  connections: number
  env: Environment
}

/** @throws ConfigError when a file of the TLS options or a proxy's URL cannot be used. */
export async function createTransport({ tlsFiles, connections, env }: TransportSettings): Promise<Transport> {
  // It takes 25 ms to load, so only where there is something to send.
  const { createUndiciTransport } = await import('./undici-transport')
  const tls = await readTlsFiles(tlsFiles, env)
  try {
    return createUndiciTransport({ tls, connections, proxies: findProxies(env) })
  } catch {
    // Without its cause, which may hold the proxy's password.
    throw new ConfigError(
      'HTTPS_PROXY or HTTP_PROXY cannot be used: use a URL such as http://proxy.example:3128.',
    )
  }
}

/** The lower-case names count first, as everywhere. */
function findProxies(env: Environment): Proxies {
  const httpProxy = env['http_proxy'] ?? env['HTTP_PROXY'] ?? ''
  const httpsProxy = env['https_proxy'] ?? env['HTTPS_PROXY'] ?? ''
  const [http, https] = [httpProxy, httpsProxy].map((url) => (/^socks/i.test(url) ? SOCKS_PROXY : url))
  return { httpProxy: http ?? '', httpsProxy: https ?? '', noProxy: listUnproxied(env) }
}

// A proxy cannot reach the service on this machine, and would be handed the local key. undici takes `*` only by itself.
function listUnproxied(env: Environment): string {
  const given = env['no_proxy'] ?? env['NO_PROXY'] ?? ''
  if (given.split(/[\s,]/).includes('*')) return '*'
  return [given, 'localhost', '127.0.0.1', '[::1]'].filter(Boolean).join(',')
}
