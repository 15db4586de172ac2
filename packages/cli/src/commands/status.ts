import { ApiError, connectService, messageOf, normalizeServiceUrl, type Service } from '@runledger/core/tools'
import type { Command } from 'commander'
import { ReportedError } from '../command-error'
import { type Output, writeJson } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface, CommandContext } from '../command-context'
import { findProcedureFault } from '../doctor/examine-procedure'
import { createsRuns, findKeyOwner, type KeyOwner } from '../key-owner'
import { count } from '../table'
import { DIR_OPTION, findFolder } from '../find-folder'
import { findSettings, type ServiceSettings } from '../service-settings'
import { findRuns } from '../find-runs'
import { type ServiceFlags, URL_OPTION } from '../with-service'

const TIMEOUT_MS = 5_000

export function registerStatus(program: Command, output: Output, context: CommandContext): void {
  program
    .command('status')
    .description('Tell which service reporters here would use, and whether it would take their runs.')
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print one line of JSON: {"ok", "service", "key", "procedure", "waiting"}')
    .addHelpText(
      'after',
      '\nExit code 0 only when the service responds, and the key may create runs of the procedure.',
    )
    .action((flags: ServiceFlags) => status(flags, { output, context }))
}

async function status(flags: ServiceFlags, { output, context }: Surface): Promise<void> {
  // Import lazily: the TypeScript parser would slow down other commands.
  const { readFolderOptions } = await import('../doctor/written-options')
  const configured = readFolderOptions(findFolder(flags.dir, context.cwd), context.env)
  const settings = findSettings(flags, context, configured)
  const report = {
    ...(await checkService(settings, context)),
    waiting: (await findRuns(flags, context)).filter(({ state }) => state !== 'quarantined').length,
  }
  const ok = [report.service, report.key, report.procedure].every(({ problem }) => problem === null)
  if (flags.json) writeJson(output, { ok, ...report })
  else output.out(describe(report))
  if (!ok) throw new ReportedError()
}

/** `problem` says what to fix. It is null if there is nothing to fix. */
interface Report {
  service: { url: string | null; from: string | null; version: string | null; problem: string | null }
  key: { from: string | null; problem: string | null }
  procedure: { id: string | null; from: string | null; problem: string | null }
}

async function checkService(settings: ServiceSettings, { env, cwd }: CommandContext): Promise<Report> {
  const { url, apiKey, procedureId, isDisabled, credentialsProblem } = settings
  const report: Report = {
    service: {
      url: url.value === undefined ? null : normalizeServiceUrl(url.value),
      from: url.from,
      version: null,
      problem: isDisabled ? DISABLED : (credentialsProblem ?? NO_SERVICE),
    },
    key: {
      from: apiKey.from,
      problem: apiKey.value === undefined ? (credentialsProblem ?? 'set RUNLEDGER_API_KEY') : UNKNOWN,
    },
    procedure: {
      id: procedureId.value ?? null,
      from: procedureId.from,
      problem: procedureId.value === undefined ? describeNoProcedure(procedureId) : UNKNOWN,
    },
  }
  if (url.value === undefined || isDisabled) return report
  // The health check needs no key.
  const options = {
    url: url.value,
    apiKey: apiKey.value ?? 'none',
    maxRetries: 0,
    requestTimeoutMs: TIMEOUT_MS,
  }
  const service = await connectService({ options, env, projectRoot: cwd, identity: settings.identity })
  try {
    await askService(service, settings, report)
  } finally {
    await service.close()
  }
  return report
}

async function askService(
  { client }: Service,
  { apiKey, procedureId: { value: id } }: ServiceSettings,
  { service, key, procedure }: Report,
): Promise<void> {
  service.problem = await findProblem(async () => {
    service.version = await readVersion(client)
    return null
  })
  if (service.problem !== null || apiKey.value === undefined) return
  let owner: KeyOwner | undefined
  key.problem = await findProblem(async () => {
    owner = await findKeyOwner(client, apiKey.value)
    return createsRuns(owner) ? null : VIEWER
  })
  if (owner === undefined || id === undefined) return
  const asked = { id, owner }
  procedure.problem = await findProblem(
    async () => (await findProcedureFault(client, asked))?.message ?? null,
  )
}

/** Null for a service that does not tell. @throws NetworkError when it does not answer */
async function readVersion(client: Service['client']): Promise<string | null> {
  try {
    const { version } = (await client.getHealth()) as { version?: unknown }
    return typeof version === 'string' ? version : null
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

/** The problem that `ask` returns, or the message of the error that it throws. */
async function findProblem(ask: () => Promise<string | null>): Promise<string | null> {
  try {
    return await ask()
  } catch (error) {
    return messageOf(error)
  }
}

function describeNoProcedure({ isComputed }: ServiceSettings['procedureId']): string {
  return isComputed
    ? 'only running the tests shows which: see npx runledger doctor'
    : 'set RUNLEDGER_PROCEDURE_ID'
}

const DISABLED = 'RUNLEDGER_DISABLED is set: reporters record nothing'
const NO_SERVICE = 'set RUNLEDGER_URL, or start a service in this folder: npx runledger serve'
const UNKNOWN = 'not checked'
const VIEWER = 'has the role viewer, which creates no runs'

function describe({ service, key, procedure, waiting }: Report & { waiting: number }): string {
  const version = service.version === null ? '' : `, version ${service.version}`
  const lines = [
    ['Service', service.url, service.from, service.problem ?? `responds${version}`],
    ['Key', key.from && 'set', key.from, key.problem ?? 'accepted'],
    ['Procedure', procedure.id, procedure.from, procedure.problem ?? 'known to the service'],
  ].map(([name = '', value, from, state = '']) => {
    const found = value ? `${value} (${from}): ` : 'none: '
    return toPlainText(`${(name as string).padEnd(11)}${found}${state}`)
  })
  const advice = waiting === 0 ? '' : ': npx runledger upload sends them'
  return [...lines, `Spool      ${count(waiting, 'run')} waiting${advice}`].join('\n')
}
