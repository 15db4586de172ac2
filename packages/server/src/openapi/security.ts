import type { OpenApiOperation } from '@runledger/protocol'
import type { Context } from '../context'
import { sessionCookieName } from '../http/session-cookie'

/** The scheme as the specification describes it (5.2): OAuth 2.0 with an API key. */
export function describeSecuritySchemes(context: Pick<Context, 'publicUrl'>): Record<string, unknown> {
  return {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'API key',
      description:
        'OAuth 2.0 with an API key: the header `Authorization: Bearer <API key>` (RFC 6750). The scheme is matched without regard to case. Keys are of two kinds, user (`rl_user_…`) and station (`rl_station_…`); a key that may be compromised should be regenerated.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieName(context),
      description: 'The session of the dashboard: it reads and changes nothing.',
    },
  }
}

/** With a key; for reading, with the dashboard's session too. */
export function securityOf(needsKey: boolean, method: string): OpenApiOperation['security'] {
  if (!needsKey) return []
  return method === 'GET' ? [{ apiKey: [] }, { session: [] }] : [{ apiKey: [] }]
}
