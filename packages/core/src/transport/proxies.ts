import { isIPv6 } from 'node:net'
import type { Environment } from '../config/options'

/** Undefined for a direct connection. */
export type FindProxy = (target: Target) => URL | undefined

export interface Target {
  /** IPv6 without brackets. */
  host: string
  port: number
  isSecure: boolean
}

export function targetOf({ protocol, hostname, port }: URL): Target {
  const isSecure = protocol === 'https:'
  const host = hostname.replaceAll(/[[\]]/g, '')
  return { host, port: port === '' ? (isSecure ? 443 : 80) : Number(port), isSecure }
}

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; lower case takes precedence. TLS requests fall back to `HTTP_PROXY`.
 * @throws Error if a URL is invalid; it may hold the proxy's password
 */
export function readProxies(env: Environment): FindProxy {
  const ofHttp = readProxy(env['http_proxy'] ?? env['HTTP_PROXY'])
  const ofHttps = readProxy(env['https_proxy'] ?? env['HTTPS_PROXY']) ?? ofHttp
  const isUnproxied = readUnproxied(env['no_proxy'] ?? env['NO_PROXY'] ?? '')
  return (target) => (isUnproxied(target) ? undefined : target.isSecure ? ofHttps : ofHttp)
}

function readProxy(text = ''): URL | undefined {
  if (text === '') return undefined
  const url = new URL(text)
  if (!/^(https?|socks.*):$/.test(url.protocol))
    throw new Error('the URL of a proxy begins with http:// or https://')
  decodeURIComponent(url.username + url.password)
  return url
}

/** A proxy cannot reach this machine's service, and would get the local key. */
const THIS_MACHINE = /^(?:localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|::1?|::ffff:7f[0-9a-f]{2}:[0-9a-f]+)$/

/** Entries are hosts and include subdomains, with or without a port; `*` is every host. */
function readUnproxied(noProxy: string): (target: Target) => boolean {
  const entries = noProxy.split(/[\s,]+/).filter(Boolean)
  if (entries.includes('*')) return () => true
  const rules = entries.map((entry) => {
    const [, name = entry, port] = (!isIPv6(entry) && /^(.*[^:]):(\d+)$/.exec(entry)) || []
    const host = name
      .replace(/^\*?\./, '')
      .replaceAll(/[[\]]/g, '')
      .toLowerCase()
    return { host, port: port === undefined ? undefined : Number(port) }
  })
  return ({ host, port }) =>
    THIS_MACHINE.test(host) ||
    rules.some((rule) => {
      if (rule.port !== undefined && rule.port !== port) return false
      return host === rule.host || host.endsWith(`.${rule.host}`)
    })
}
