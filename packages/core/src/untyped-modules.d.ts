// Modules that have no types of their own.

declare module 'env-ci' {
  type Fact = 'name' | 'service' | 'slug' | 'build' | 'buildUrl' | 'branch' | 'commit' | 'pr' | 'prBranch'
  export type EnvCiResult = { isCi: boolean } & Partial<Record<Fact, string>>
  export default function envCi(options: { env: NodeJS.ProcessEnv; cwd: string }): EnvCiResult
}

// undici has no types for its parts: each module's default export is what its index has under that name.

declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
  import { EnvHttpProxyAgent } from 'undici'
  export default EnvHttpProxyAgent
}

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export default Pool
}

declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici'
  const connect: (options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>
  export default connect
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'
  export default buildConnector
}
