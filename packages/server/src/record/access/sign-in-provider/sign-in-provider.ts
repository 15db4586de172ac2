import type * as openid from 'openid-client'
import { isLoopback, type ProviderConfig } from '../../../base/config/provider-config'
import type { ProviderTokens } from './provider-tokens'
import { type Account, type Claims, describeAccount } from './account'

/** What a browser keeps while its user is at the provider. */
export interface Flow {
  state: string
  nonce: string
  codeVerifier: string
}

export interface Granted {
  account: Account
  tokens: ProviderTokens
}

/** The provider does not answer, or not as one. */
export class ProviderUnreachableError extends Error {
  override name = 'ProviderUnreachableError'
}

/** The provider refuses: the user cancelled, the account is closed, or a response is not what it must be. */
export class ProviderRefusalError extends Error {
  override name = 'ProviderRefusalError'
  readonly isCancelled: boolean

  constructor(
    message: string,
    { isCancelled = false, ...options }: ErrorOptions & { isCancelled?: boolean } = {},
  ) {
    super(message, options)
    this.isCancelled = isCancelled
  }
}

const TIMEOUT_SECONDS = 5
const CLOCK_TOLERANCE_SECONDS = 60

/** The accounts of an OpenID provider, by the authorization code flow with PKCE (OpenID Connect Core 1.0, RFC 7636, RFC 9207). */
export class SignInProvider {
  readonly #config: ProviderConfig
  #discovered: Promise<Discovered> | undefined

  constructor(config: ProviderConfig) {
    this.#config = config
  }

  get name(): string {
    return this.#config.name ?? new URL(this.#config.issuer).hostname
  }

  /** The address at which the user signs in. @throws ProviderUnreachableError */
  async start(redirectUri: string): Promise<{ address: string; flow: Flow }> {
    return this.#ask(async ({ client, configuration }) => {
      const flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      }
      const address = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: this.#config.scope ?? defaultScope(configuration),
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.codeVerifier),
        code_challenge_method: 'S256',
      })
      return { address: address.href, flow }
    })
  }

  /** @throws ProviderUnreachableError, ProviderRefusalError also for a callback of another flow */
  async finish(callback: URL, { state, nonce, codeVerifier }: Flow): Promise<Granted> {
    return this.#ask(async (discovered) => {
      const { client, configuration } = discovered
      const answer = await client.authorizationCodeGrant(configuration, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      })
      const claims = answer.claims()
      if (claims === undefined) throw new ProviderRefusalError('The provider sent no ID token.')
      return this.#readAccount(
        discovered,
        {
          issuer: this.#config.issuer,
          subject: claims.sub,
          accessToken: answer.access_token,
          refreshToken: answer.refresh_token,
          idToken: answer.id_token,
        },
        claims,
      )
    })
  }

  /** Asks whether the account may still sign in. @throws ProviderUnreachableError, ProviderRefusalError */
  async confirm(tokens: ProviderTokens): Promise<Granted> {
    const { issuer, subject, refreshToken } = tokens
    if (issuer !== this.#config.issuer)
      throw new ProviderRefusalError('The service has another sign-in provider now.')
    return this.#ask(async (discovered) => {
      if (refreshToken === undefined) return this.#readAccount(discovered, tokens, {})
      const answer = await discovered.client.refreshTokenGrant(discovered.configuration, refreshToken)
      const claims = answer.claims() ?? {}
      if ('sub' in claims && claims.sub !== subject)
        throw new ProviderRefusalError('The provider answered for another account.')
      return this.#readAccount(
        discovered,
        {
          ...tokens,
          accessToken: answer.access_token,
          refreshToken: answer.refresh_token ?? refreshToken,
          idToken: answer.id_token ?? tokens.idToken,
        },
        claims,
      )
    })
  }

  /** Where a browser ends its session at the provider; undefined if it cannot (OpenID Connect RP-Initiated Logout 1.0). */
  async findEndAddress(tokens: ProviderTokens, returnTo: string): Promise<string | undefined> {
    return this.#ask(async ({ client, configuration }) => {
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
      return client.buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: returnTo,
        // Some providers lead back only with a state.
        state: client.randomState(),
        ...(tokens.idToken === undefined ? {} : { id_token_hint: tokens.idToken }),
      }).href
    })
  }

  async #readAccount(
    { client, configuration }: Discovered,
    tokens: ProviderTokens,
    claims: Claims,
  ): Promise<Granted> {
    const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined
    const more = hasUserInfo
      ? await client.fetchUserInfo(configuration, tokens.accessToken, tokens.subject)
      : {}
    return { account: describeAccount(this.#config, tokens.subject, { ...claims, ...more }), tokens }
  }

  async #ask<Result>(work: (discovered: Discovered) => Promise<Result>): Promise<Result> {
    const client = await import('openid-client')
    try {
      return await work(await this.#discover(client))
    } catch (error) {
      throw toProviderError(client, error)
    }
  }

  #discover(client: typeof openid): Promise<Discovered> {
    this.#discovered ??= discover(client, this.#config).catch((error: unknown) => {
      this.#discovered = undefined
      throw error
    })
    return this.#discovered
  }
}

interface Discovered {
  client: typeof openid
  configuration: openid.Configuration
}

async function discover(
  client: typeof openid,
  { issuer, clientId, clientSecret }: ProviderConfig,
): Promise<Discovered> {
  const address = new URL(issuer)
  const configuration = await client.discovery(
    address,
    clientId,
    { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret),
    {
      timeout: TIMEOUT_SECONDS,
      execute: isLoopback(address.hostname) ? [client.allowInsecureRequests] : [],
    },
  )
  return { client, configuration }
}

function defaultScope(configuration: openid.Configuration): string {
  const { scopes_supported: known = [] } = configuration.serverMetadata()
  return ['openid', 'profile', 'email', ...(known.includes('offline_access') ? ['offline_access'] : [])].join(
    ' ',
  )
}

const UNREACHABLE_CODES: readonly unknown[] = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
]

/** Its messages have no tokens and codes in them. */
function toProviderError(client: typeof openid, error: unknown): unknown {
  if (error instanceof ProviderRefusalError) return error
  if (error instanceof client.AuthorizationResponseError)
    return new ProviderRefusalError(`The provider answered with the error "${error.error}".`, {
      cause: error,
      isCancelled: error.error === 'access_denied',
    })
  if (error instanceof client.ResponseBodyError) {
    const message = `The provider answered with the error "${error.error}".`
    const isPassing = error.status >= 500 || error.status === 429
    return isPassing
      ? new ProviderUnreachableError(message, { cause: error })
      : new ProviderRefusalError(message, { cause: error })
  }
  const { code, message, cause } = error as { code?: unknown; message: string; cause?: unknown }
  const isUnreachable = error instanceof TypeError || (UNREACHABLE_CODES.includes(code) && !isRefused(cause))
  return isUnreachable
    ? new ProviderUnreachableError(`The sign-in provider does not answer: ${message}.`, { cause: error })
    : new ProviderRefusalError(`The provider's response was refused: ${message}.`, { cause: error })
}

/** Some providers refuse with an empty response. */
function isRefused(response: unknown): boolean {
  return response instanceof Response && [400, 401, 403].includes(response.status)
}
