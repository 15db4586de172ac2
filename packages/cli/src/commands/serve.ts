import type { RunningServer, ServerConfig } from '@runledger/server'
import type { Command } from 'commander'
import { basename, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { findDataFolder } from '../data-folder'
import { findDemoFolder, parseDays, recordDemo } from '../demo'
import { findFrameworks, type Framework } from '../find-frameworks'
import { waitForStopSignal } from '../stop-signal'
import { type Output, writeJson } from '../output'
import type { Surface, CommandContext } from '../command-context'

interface ServeFlags {
  data?: string
  database?: string
  storage?: string
  directUploads?: boolean
  anonymousViewing?: boolean
  oidcIssuer?: string
  oidcClientId?: string
  oidcRoles?: string
  port?: string
  host?: string
  publicUrl?: string
  filesOrigin?: string
  filesPort?: string
  maxAttachmentBytes?: string
  trustProxy?: string
  logLevel?: string
  demo?: boolean
  days?: string
  json?: boolean
}

export function registerServe(program: Command, output: Output, context: CommandContext): void {
  program
    .command('serve')
    .description('Start the service with its dashboard; all its data is in one folder.')
    .option('--data <folder>', 'where everything is stored (RUNLEDGER_DATA; default: .runledger)')
    .option(
      '--database <address>',
      'PostgreSQL for the records, such as postgres://user@host/name (RUNLEDGER_DATABASE; default: SQLite in the folder)',
    )
    .option(
      '--storage <address>',
      'bucket of an S3 store for files, beside PostgreSQL: s3://bucket?endpoint=…&region=… (RUNLEDGER_STORAGE; default: in the folder)',
    )
    .option('--direct-uploads', 'clients send files to that store itself (RUNLEDGER_DIRECT_UPLOADS=true)')
    .option(
      '--anonymous-viewing',
      'anyone may view the record without a key (RUNLEDGER_ANONYMOUS_VIEWING=true)',
    )
    .option(
      '--oidc-issuer <url>',
      'people sign in with its accounts, by OpenID Connect (RUNLEDGER_OIDC_ISSUER)',
    )
    .option(
      '--oidc-client-id <id>',
      'its client for this service (RUNLEDGER_OIDC_CLIENT_ID; the secret only as RUNLEDGER_OIDC_CLIENT_SECRET)',
    )
    .option(
      '--oidc-roles <list>',
      'the groups of each role, such as "admin=leads;member=developers;viewer=*" (RUNLEDGER_OIDC_ROLES)',
    )
    .option('--port <number>', 'port to listen on, 0 for a free one (RUNLEDGER_PORT; default: 7357)')
    .option('--host <address>', 'address to listen on (RUNLEDGER_HOST; default: 127.0.0.1)')
    .option('--public-url <url>', 'base URL of all links that the service returns (RUNLEDGER_PUBLIC_URL)')
    .option(
      '--files-origin <url>',
      'origin where browsers open traces and pages among the attachments, passed on to --files-port by a proxy (RUNLEDGER_FILES_ORIGIN)',
    )
    .option(
      '--files-port <number>',
      'port to listen on for that origin (RUNLEDGER_FILES_PORT; default: one below --port, or a free one)',
    )
    .option(
      '--max-attachment-bytes <number>',
      'largest attachment (RUNLEDGER_SERVER_MAX_ATTACHMENT_BYTES; default: 104857600)',
    )
    .option('--trust-proxy <addresses>', 'proxies in front of it, such as loopback (RUNLEDGER_TRUST_PROXY)')
    .option('--log-level <level>', 'silent, error, warn, info or debug (RUNLEDGER_LOG_LEVEL; default: warn)')
    .option(
      '--demo',
      'record a made-up year of data, in an empty folder of its own (default: .runledger-demo)',
    )
    .option('--days <number>', 'with --demo: this number of days instead of a year')
    .option(
      '--json',
      'print one line of JSON: {"url", "sign_in_url", "data"}; with --demo a second one at its end',
    )
    .action((flags: ServeFlags) => serve(flags, { output, context }))
}

async function serve({ json, demo, days, ...flags }: ServeFlags, surface: Surface): Promise<void> {
  const { createServer, resolveServerConfig } = await import('@runledger/server')
  const { output, context } = surface
  const demoDays = demo ? await parseDays(days) : undefined
  const findFolder = demo ? findDemoFolder : findDataFolder
  const config = resolveServerConfig({ ...flags, data: findFolder(flags.data, context) })
  keepMemorySmall()
  const stopped = waitForStopSignal()
  const server = await createServer(config).start()
  void server.failed.then((error) => endAtOnce(output, error))
  // Only to a terminal or on request: others may read a log.
  const isAsked = json === true || (context.columns !== undefined && !demo)
  const signInLink = isAsked ? await server.createSignInLink() : undefined
  if (json) writeJson(output, { url: server.url, sign_in_url: signInLink, data: config.dataDir })
  else if (!demo) output.out(describeServer({ server, config, signInLink }))
  if (!isLoopback(config.host)) output.err(describeExposure(config))
  if (demoDays !== undefined)
    await recordDemo({ server, dataDir: config.dataDir, days: demoDays, stopped, json }, surface)
  await stopped
  if (!json) output.out('Stopping …')
  endAfterDeadline(output)
  await server.close()
}

/**
 * Lets the heap grow by 60 % between two collections of garbage. V8 lets it grow fourfold, so that the largest runs, sent one
 * after another, made the service hold 480 MiB instead of 290.
 */
function keepMemorySmall(): void {
  setFlagsFromString('--heap-growing-percent=60')
}

/** Ends the process: the supervisor starts a new one, which reads the disk. This one may still hold the lock. */
function endAtOnce(output: Output, error: Error): void {
  output.err(`runledger: nothing can be stored any more, so the service ends: ${error.message}`)
  process.exit(1)
}

// More than requests have, so that it ends only what hangs. What was acknowledged is on disk.
const STOP_DEADLINE_MS = 15_000

function endAfterDeadline(output: Output): void {
  const end = () => {
    output.err(`runledger: not everything had ended after ${STOP_DEADLINE_MS / 1000} s; stopped all the same`)
    process.exit(1)
  }
  setTimeout(end, STOP_DEADLINE_MS).unref()
}

interface Started {
  server: RunningServer
  config: ServerConfig
  signInLink: string | undefined
}

function describeServer({ server, config, signInLink }: Started): string {
  return [
    `Runledger is at   ${server.url}`,
    ...(signInLink === undefined
      ? ['Sign in with      the link that `runledger sign-in` prints']
      : [`Sign in with      ${signInLink}`, '                  (works once, within 15 minutes)']),
    `Data is in        ${config.dataDir}`,
    ...(config.database === undefined ? [] : ['Records are in    PostgreSQL']),
    ...(config.storage === undefined
      ? []
      : [`Files are in      ${config.storage.address.bucketUrl}${config.storage.address.prefix}`]),
    '',
    'Put every suite on record with one package, and one line in its config:',
    ...findFrameworks(config.projectDir).flatMap(describeFramework),
    ...describeConnection(server, config),
    '',
    'Stop with Ctrl+C.',
  ].join('\n')
}

function describeFramework({ name, reporter, configLine }: Framework): string[] {
  return [`  ${name.padEnd(16)}npm install --save-dev ${reporter}`, `${' '.repeat(18)}${configLine}`]
}

function describeConnection(server: RunningServer, { dataDir }: ServerConfig): string[] {
  if (basename(dataDir) === '.runledger') {
    return [`Reporters in ${join(dataDir, '..')} and below find this service by themselves.`]
  }
  return [
    `Tell reporters where it is: RUNLEDGER_URL=${server.url}, and RUNLEDGER_API_KEY and`,
    `RUNLEDGER_PROCEDURE_ID as in ${join(dataDir, 'credentials.json')}.`,
  ]
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

function describeExposure({ host, publicUrl }: ServerConfig): string {
  const advice = publicUrl === undefined ? ' Set --public-url to the address by which others reach it.' : ''
  return `Warning: listening on ${host}, so other machines can reach this service, without encryption.${advice}`
}
