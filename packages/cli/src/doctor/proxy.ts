import type { CommandContext } from '../command-context'

/** The proxy that requests to an address go through, without user and password; undefined for none. */
export function findProxy(url: string, env: CommandContext['env']): string | undefined {
  const { protocol, hostname } = new URL(url)
  const name = protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const proxy = env[name] ?? env[name.toUpperCase()] ?? ''
  if (proxy === '' || isExcepted(hostname, env)) return undefined
  return proxy.replace(/\/\/[^/]*@/, '//…@')
}

function isExcepted(hostname: string, env: CommandContext['env']): boolean {
  const given = env['no_proxy'] ?? env['NO_PROXY'] ?? ''
  return ['localhost', '127.0.0.1', '[::1]', ...given.split(/[\s,]+/).filter(Boolean)]
    .map((each) =>
      each
        .replace(/:\d+$/, '')
        .replace(/^\*?\./, '')
        .toLowerCase(),
    )
    .some((each) => each === '*' || hostname === each || hostname.endsWith(`.${each}`))
}
