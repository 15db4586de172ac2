/** Where a request goes, as its connection and its head need it. */
export interface Target {
  isSecure: boolean
  /** Name or address of the host, without the brackets of IPv6. */
  host: string
  port: number
  /** Equal for targets that one connection serves. */
  origin: string
  /** What the head names, with the port where that is none of the protocol's own. */
  hostHeader: string
  /** With its query. */
  path: string
  /** The name and the password of the address, both as they stand in it; undefined where there are none. */
  credentials: { username: string; password: string } | undefined
}

let last: { address: string; target: Target | undefined } = { address: '', target: undefined }

/** Undefined for what is no address of the web. All runs of an execution are sent to the same one. */
export function parseTarget(address: string): Target | undefined {
  if (last.address !== address) last = { address, target: parse(address) }
  return last.target
}

function parse(address: string): Target | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, hostname, host, port, origin, pathname, search, username, password } = new URL(address)
  if (protocol !== 'http:' && protocol !== 'https:') return undefined
  const isSecure = protocol === 'https:'
  return {
    isSecure,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || (isSecure ? 443 : 80)),
    origin,
    hostHeader: host,
    path: pathname + search,
    credentials: username || password ? { username, password } : undefined,
  }
}
