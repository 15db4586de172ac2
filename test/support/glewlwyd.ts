import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { cp, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { loadSqlite } from '../../packages/server/src/storage/database/sqlite/sqlite-driver'
import { findFreePort } from '../../packages/server/src/testing/find-free-port'
import { findProgram } from './find-program.mjs'

/** The OpenID provider Glewlwyd, which has nothing in common with our client or with `oidc-provider`. */
export interface Glewlwyd {
  /** Exactly as `RUNLEDGER_OIDC_ISSUER` has to have it. */
  issuer: string
  clientId: string
  clientSecret: string
  /** Creates or replaces a user that can sign in with a password. Nobody asks the user to agree. */
  putUser(user: GlewlwydUser): Promise<void>
  deleteUser(username: string): Promise<void>
  /** Fills in the sign-in form on a page that our service has sent there; ends when the page is back. */
  signIn(page: Page, username: string, password: string): Promise<void>
  stop(): Promise<void>
}

export interface GlewlwydUser {
  username: string
  password: string
  name: string
  email: string
  groups: readonly string[]
}

const SCHEMA = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3'
const WEB_APP = '/usr/share/glewlwyd/webapp'
const WEB_APP_CONFIG = '/usr/share/glewlwyd/templates/config.json'
const MODULES = '/usr/lib/glewlwyd'
/** What the schema creates. */
const ADMIN = { username: 'admin', password: 'password' }

const PLUGIN = 'oidc'
// Only letters and digits: Glewlwyd does not decode what clients have to encode (RFC 6749, section 2.3.1).
const CLIENT_ID = 'runledger'
const CLIENT_SECRET = 'theSecretOfTheClient'
const SCOPES = ['openid', 'profile', 'email']

const CONFIG = 'glewlwyd.conf'
const DATABASE = 'database'
const LOG = 'log'
const LIMIT_MS = 20_000

/** Glewlwyd on a port of its own, with the client of a service, and without users. */
export async function startGlewlwyd(serviceUrl: string): Promise<Glewlwyd> {
  const program = findProgram('glewlwyd')
  if (program === undefined) throw new Error('There is no Glewlwyd: apt-get install glewlwyd')
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-glewlwyd-'))
  const origin = `http://127.0.0.1:${await findFreePort()}`
  await Promise.all([createDatabase(folder), copyWebApp(folder), writeConfig(folder, origin)])
  const server = await launch(program, folder)
  const stop = async () => {
    await end(server)
    await rm(folder, { recursive: true, force: true })
  }
  const issuer = `${origin}/api/${PLUGIN}`
  try {
    await waitUntilReady(server, origin, folder)
    await configure(await openSession(origin, ADMIN), issuer, serviceUrl)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    putUser: (user) => putUser(origin, user),
    deleteUser: async (username) => {
      await (
        await openSession(origin, ADMIN)
      )('DELETE', routeOf(username))
    },
    signIn: (page, username, password) => signIn(page, { username, password }, serviceUrl),
    stop,
  }
}

async function createDatabase(folder: string): Promise<void> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(path.join(folder, DATABASE))
  connection.exec(`BEGIN; ${await readFile(SCHEMA, 'utf8')}; COMMIT`)
  connection.close()
}

/**
 * Glewlwyd serves no file through a link that leads out of its folder, as the package has some.
 * The one to `config.json` leads to a folder (2.7.5-3+deb12u1); no page works without that file.
 */
async function copyWebApp(folder: string): Promise<void> {
  const copy = path.join(folder, 'webapp')
  const config = path.join(WEB_APP, 'config.json')
  await cp(WEB_APP, copy, { recursive: true, dereference: true, filter: (source) => source !== config })
  await cp(WEB_APP_CONFIG, path.join(copy, 'config.json'))
}

const MIME_TYPES = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'application/javascript',
  '.json': 'application/json',
  '*': 'application/octet-stream',
}

async function writeConfig(folder: string, origin: string): Promise<void> {
  const settings = {
    bind_address: '127.0.0.1',
    external_url: origin,
    login_url: 'login.html',
    api_prefix: 'api',
    static_files_path: path.join(folder, 'webapp/'),
    log_mode: 'console',
    log_level: 'WARNING',
    cookie_same_site: 'lax',
    user_module_path: path.join(MODULES, 'user'),
    client_module_path: path.join(MODULES, 'client'),
    user_auth_scheme_module_path: path.join(MODULES, 'scheme'),
    plugin_module_path: path.join(MODULES, 'plugin'),
    hash_algorithm: 'SHA512',
  }
  const types = Object.entries(MIME_TYPES).map(
    ([extension, type]) => `{ extension = "${extension}" mime_type = "${type}" }`,
  )
  const lines = [
    `port = ${new URL(origin).port}`,
    'cookie_secure = 0',
    ...Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    `database = { type = "sqlite3" path = ${JSON.stringify(path.join(folder, DATABASE))} }`,
    `static_files_mime_types = ( ${types.join(', ')} )`,
  ]
  await writeFile(path.join(folder, CONFIG), `${lines.join('\n')}\n`)
}

async function launch(program: string, folder: string): Promise<ChildProcess> {
  const log = await open(path.join(folder, LOG), 'w')
  const args = ['--config-file', path.join(folder, CONFIG)]
  const server = spawn(program, args, { cwd: folder, stdio: ['ignore', log.fd, log.fd] })
  await log.close()
  return server
}

async function waitUntilReady(server: ChildProcess, origin: string, folder: string): Promise<void> {
  for (const deadline = Date.now() + LIMIT_MS; ; await sleep(50)) {
    const isReady = await fetch(`${origin}/config/`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    if (server.exitCode === null && Date.now() < deadline) continue
    throw new Error(`Glewlwyd does not start: ${await readFile(path.join(folder, LOG), 'utf8')}`)
  }
}

async function end(server: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => server.once('exit', resolve))
  if (server.exitCode === null && server.signalCode === null && server.kill('SIGKILL')) await ended
}

/** Asks its API as one user. Returns the body of the answer, undefined for what is not there. */
type Ask = (method: string, route: string, body?: object) => Promise<unknown>

async function openSession(origin: string, user: { username: string; password: string }): Promise<Ask> {
  const send = (method: string, route: string, body?: object, cookie = '') =>
    fetch(`${origin}/api${route}`, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      body: body === undefined ? null : JSON.stringify(body),
    })
  const { username, password } = user
  const { status, headers } = await send('POST', '/auth/', { username, password })
  const [cookie] = headers.getSetCookie()
  if (cookie === undefined) throw new Error(`Glewlwyd answers ${status} to the password of ${username}.`)
  return async (method, route, body) => {
    const response = await send(method, route, body, cookie.split(';')[0])
    const text = await response.text()
    if (method === 'GET' && response.status === 404) return undefined
    if (!response.ok) throw new Error(`Glewlwyd answers ${response.status} to ${method} ${route}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

async function configure(ask: Ask, issuer: string, serviceUrl: string): Promise<void> {
  await addProperties(ask, 'user', { groups: { multiple: true }, email_verified: { multiple: false } })
  // The package has `post_logout_redirect_uri`, which the plugin does not read.
  await addProperties(ask, 'client', { post_logout_redirect_uris: { multiple: true } })
  await ask('POST', '/scope/', { name: 'profile', display_name: 'Name and groups' })
  await ask('POST', '/scope/', { name: 'email', display_name: 'E-mail address' })
  await ask('POST', '/mod/plugin/', {
    module: 'oidc',
    name: PLUGIN,
    display_name: 'OpenID Connect',
    parameters: describePlugin(issuer),
  })
  await ask('POST', '/client/', {
    client_id: CLIENT_ID,
    name: 'Runledger',
    confidential: true,
    enabled: true,
    client_secret: CLIENT_SECRET,
    token_endpoint_auth_method: ['client_secret_basic'],
    authorization_type: ['code', 'refresh_token'],
    redirect_uri: [`${serviceUrl}/session/provider/callback`],
    post_logout_redirect_uris: [`${serviceUrl}/sign-in`],
  })
}

/** Lets its users or clients have more properties. */
async function addProperties(
  ask: Ask,
  kind: 'user' | 'client',
  properties: Record<string, { multiple: boolean }>,
): Promise<void> {
  const route = `/mod/${kind}/database`
  const module = (await ask('GET', route)) as { parameters: { 'data-format': object } }
  const added = Object.entries(properties).map(([name, format]) => [
    name,
    { ...format, read: true, write: true },
  ])
  const format = { ...module.parameters['data-format'], ...Object.fromEntries(added) }
  await ask('PUT', route, { ...module, parameters: { ...module.parameters, 'data-format': format } })
  await ask('PUT', `${route}/reset`)
}

/** Signs with another algorithm than the tests' `oidc-provider`, and refuses whatever it can. */
function describePlugin(issuer: string): object {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return {
    iss: issuer,
    'oauth-as-iss-id': true,
    'jwt-type': 'ecdsa',
    'jwt-key-size': '256',
    key: privateKey,
    cert: publicKey,
    'jwks-show': true,
    'subject-type': 'public',
    'access-token-duration': 3600,
    'refresh-token-duration': 1_209_600,
    'code-duration': 600,
    'refresh-token-rolling': true,
    // Each refresh issues a new one. Whoever uses an old one has stolen it: then the newest is revoked too.
    'refresh-token-one-use': 'always',
    'auth-type-code-enabled': true,
    'auth-type-code-revoke-replayed': true,
    'auth-type-refresh-enabled': true,
    'pkce-allowed': true,
    'pkce-required': true,
    'allowed-scope': SCOPES,
    'name-claim-scope': ['profile'],
    'email-claim-scope': ['email'],
    claims: [
      { name: 'groups', 'user-property': 'groups', scope: ['profile'] },
      {
        name: 'email_verified',
        'user-property': 'email_verified',
        type: 'boolean',
        'boolean-value-true': 'true',
        'boolean-value-false': 'false',
        scope: ['email'],
      },
    ],
    'session-management-allowed': true,
    'session-cookie-name': 'GLEWLWYD2_OIDC_SID',
    'session-cookie-expiration': 2_419_200,
    // Otherwise the page that ends a session fails.
    'front-channel-logout-allowed': true,
  }
}

/** Only the users themselves can agree to what our service learns of them. */
async function putUser(origin: string, { username, ...rest }: GlewlwydUser): Promise<void> {
  const ask = await openSession(origin, ADMIN)
  const route = routeOf(username)
  const user = { ...rest, scope: SCOPES, enabled: true, email_verified: 'true' }
  const isKnown = (await ask('GET', route)) !== undefined
  if (isKnown) await ask('PUT', route, user)
  else await ask('POST', '/user/', { username, ...user })
  const askAsUser = await openSession(origin, { username, password: rest.password })
  await askAsUser('PUT', `/auth/grant/${CLIENT_ID}`, { scope: SCOPES.join(' ') })
}

function routeOf(username: string): string {
  return `/user/${encodeURIComponent(username)}`
}

async function signIn(
  page: Page,
  { username, password }: { username: string; password: string },
  serviceUrl: string,
): Promise<void> {
  const form = page.locator('#passwordForm')
  const others = page.locator('#selectNewUser')
  await form.or(others).waitFor()
  // Someone is signed in there already.
  if (await others.isVisible()) {
    await others.click()
    await page.getByText('Add user').click()
  }
  await page.locator('#username').fill(username)
  await page.locator('#password').fill(password)
  await page.locator('#loginbut').click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL((url) => url.origin === new URL(serviceUrl).origin)
}
