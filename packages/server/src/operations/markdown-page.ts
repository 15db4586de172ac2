import type { Principal } from '../record/access/keys/principal'
import type { Context } from './call/context'

interface PageRequest {
  principal: Principal | undefined
  params: unknown
  query: unknown
  /** Aborts when the client has gone. */
  signal: AbortSignal
}

export interface MarkdownPage {
  path: string
  operation: string
  write(context: Context, request: PageRequest): Promise<string>
}
