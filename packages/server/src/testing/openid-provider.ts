import { PROVIDER_CALLBACK_PATH } from '@runledger/protocol'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Configuration, Provider } from 'oidc-provider'

export interface TestAccount {
  email?: string
  email_verified?: boolean
  name?: string
  groups?: readonly string[]
}

export interface OpenIdProvider {
  issuer: string
  /** By subject. A test may change or delete them. */
  accounts: Map<string, TestAccount>
  /** Whom the next browser is signed in as; undefined cancels. */
  setNext(subject: string | undefined): void
  /** Of clients and browsers, since the start. */
  countRequests(): number
  /** Answers 503 from now on, or no more. */
  setBroken(isBroken: boolean): void
  stop(): Promise<void>
}

export const CLIENT_ID = 'runledger'
export const CLIENT_SECRET = 'the secret of the client'

interface ProviderParts {
  /** Whose callback it accepts. */
  serviceUrl: string
  /** Otherwise access tokens live for an hour. */
  hasRefreshTokens?: boolean
  /** Pages with forms to sign in and to agree, for a browser; otherwise everyone is the next account. */
  hasPages?: boolean
}

/** The reference implementation `oidc-provider` on a port of its own. */
export async function startOpenIdProvider(parts: ProviderParts): Promise<OpenIdProvider> {
  const accounts = new Map<string, TestAccount>()
  let next: string | undefined
  let isBroken = false
  let requests = 0
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined
  const server = createServer((request, response) => {
    requests += 1
    if (isBroken) response.writeHead(503).end()
    else void answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, configure(parts, accounts))
  const handle = provider.callback()
  answer = async (request, response) => {
    if (parts.hasPages || !request.url?.startsWith('/interaction/')) return handle(request, response)
    const result =
      next === undefined ? { error: 'access_denied' } : { login: { accountId: next, remember: false } }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  }
  return {
    issuer,
    accounts,
    setNext: (subject) => void (next = subject),
    countRequests: () => requests,
    setBroken: (broken) => void (isBroken = broken),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const HOUR_SECONDS = 3600
const LASTING = ['AccessToken', 'Grant', 'IdToken', 'Interaction', 'RefreshToken', 'Session']

function configure(
  { serviceUrl, hasRefreshTokens = false, hasPages = false }: ProviderParts,
  accounts: ReadonlyMap<string, TestAccount>,
): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [serviceUrl + PROVIDER_CALLBACK_PATH],
        post_logout_redirect_uris: [`${serviceUrl}/sign-in`],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    scopes: ['openid', 'profile', 'email'],
    claims: { openid: ['sub'], profile: ['name', 'groups'], email: ['email', 'email_verified'] },
    cookies: { keys: ['a key of cookies'] },
    jwks: {
      keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })],
    },
    ttl: Object.fromEntries(LASTING.map((kind) => [kind, HOUR_SECONDS])),
    features: { devInteractions: { enabled: hasPages } },
    issueRefreshToken: () => hasRefreshTokens,
    findAccount: (_context, subject) => {
      if (!accounts.has(subject)) return undefined
      return { accountId: subject, claims: () => ({ sub: subject, ...accounts.get(subject) }) }
    },
    ...(hasPages ? {} : { loadExistingGrant: grantAll }),
  }
}

const grantAll: NonNullable<Configuration['loadExistingGrant']> = async ({ oidc }) => {
  const { client, session, provider } = oidc
  if (!client || !session?.accountId) return undefined
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope('openid profile email')
  await grant.save()
  return grant
}
