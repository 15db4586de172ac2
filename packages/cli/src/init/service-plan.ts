import { ApiError, connectService, messageOf, normalizeServiceUrl, type Service } from '@runledger/core/tools'
import { CREDENTIALS_FILE, DATA_FOLDER } from '@runledger/protocol'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { ServiceSettings } from '../service-settings'
import type { CommandContext } from '../command-context'
import type { FileWrite } from './file-writes'
import type { PackageFolder } from '../project/find-packages'

const TIMEOUT_MS = 5_000
const MOST_SHOWN = 10

/** The procedure that runs will belong to. */
interface ProcedurePlan {
  id: string
  /** It becomes an option in the config. Not where variables or credentials name it already. */
  isOption: boolean
  /** It is not on the service yet. */
  isNew: boolean
}

export interface ServicePlan {
  url: string | undefined
  procedure: ProcedurePlan | undefined
  /** Sentences about what has to be fixed before runs go on record. */
  notes: readonly string[]
}

interface Wanted {
  settings: ServiceSettings
  /** From the flag or a config. */
  procedureId: string | undefined
  root: PackageFolder
}

/** Finds the service that reporters here would use, and the procedure: the given one, the package's, or one to create. */
export async function planService(wanted: Wanted, { env }: CommandContext): Promise<ServicePlan> {
  const { settings, root, procedureId: given } = wanted
  const { url, apiKey, credentialsProblem } = settings
  const asked: ServicePlan = {
    url: url.value && normalizeServiceUrl(url.value),
    procedure: planUnchecked(wanted),
    notes: [],
  }
  if (url.value === undefined || apiKey.value === undefined)
    return { ...asked, notes: [credentialsProblem ?? describeMissing(settings)] }
  const options = { url: url.value, apiKey: apiKey.value, maxRetries: 0, requestTimeoutMs: TIMEOUT_MS }
  const service = await connectService({ options, env, projectRoot: root.dir, identity: settings.identity })
  try {
    return { ...asked, ...(await planProcedure(service, { ...wanted, procedureId: given })) }
  } catch (error) {
    return {
      ...asked,
      notes: [`The service could not be asked: ${messageOf(error)}. \`npx runledger doctor\` says more.`],
    }
  } finally {
    await service.close()
  }
}

function planUnchecked({ procedureId, settings }: Wanted): ProcedurePlan | undefined {
  if (procedureId !== undefined) return { id: procedureId, isOption: true, isNew: false }
  const known = settings.procedureId.value
  return known === undefined ? undefined : { id: known, isOption: false, isNew: false }
}

function describeMissing({ url }: ServiceSettings): string {
  return url.value === undefined
    ? 'No service is known here yet. Start one in this folder with `npx runledger serve`, or set RUNLEDGER_URL and RUNLEDGER_API_KEY and call this again.'
    : `No key for ${normalizeServiceUrl(url.value)} is known here yet. Set RUNLEDGER_API_KEY and call this again.`
}

/** The procedure with the name of the package, as `runledger serve` names it; a station key may use those of its station. */
async function planProcedure(
  { client }: Service,
  wanted: Wanted,
): Promise<Pick<ServicePlan, 'procedure' | 'notes'>> {
  const users = await client.listUsers({ query: { current: true } })
  const named = planUnchecked(wanted)
  if (named) return { procedure: { ...named, isNew: !(await isKnown(client, named.id)) }, notes: [] }
  if (users.length === 0) return planStationProcedure(client)
  const { dir, manifest } = wanted.root
  const id = manifest.name ?? path.basename(dir)
  if (await isKnown(client, id)) return { procedure: { id, isOption: true, isNew: false }, notes: [] }
  const { data } = await client.listProcedures({ query: { limit: MOST_SHOWN } })
  const notes =
    data.length === 0
      ? []
      : [`The service has other procedures too: ${nameAll(data)}. --procedure chooses one.`]
  return { procedure: { id, isOption: true, isNew: true }, notes }
}

async function planStationProcedure(
  client: Service['client'],
): Promise<Pick<ServicePlan, 'procedure' | 'notes'>> {
  const { name, procedures } = await client.getCurrentStation()
  const [only, ...others] = procedures
  if (only && others.length === 0)
    return { procedure: { id: only.identifier, isOption: true, isNew: false }, notes: [] }
  const note = only
    ? `has several procedures: name one with --procedure (${nameAll(procedures)})`
    : 'is linked to no procedure: link one with a user key'
  return { procedure: undefined, notes: [`The station ${name} ${note}.`] }
}

function nameAll(procedures: readonly { identifier: string }[]): string {
  return procedures.map(({ identifier }) => identifier).join(', ')
}

async function isKnown(client: Service['client'], id: string): Promise<boolean> {
  try {
    await client.getProcedure({ params: { id } })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 404) return false
    throw error
  }
}

/** @throws ApiError when the service refuses: only a user key may create procedures */
export async function createProcedure(
  id: string,
  { settings, root, env }: { settings: ServiceSettings; root: PackageFolder; env: CommandContext['env'] },
): Promise<void> {
  const options = { url: settings.url.value ?? '', apiKey: settings.apiKey.value ?? '' }
  const service = await connectService({ options, env, projectRoot: root.dir, identity: settings.identity })
  try {
    await service.client.createProcedure({ body: { name: id, identifier: id } })
  } finally {
    await service.close()
  }
}

/**
 * The file that reporters in the project find address and key in, where both are from variables or flags. Not in a CI, which
 * has them as variables, and never over a file that is there.
 */
export function planCredentials(
  { url, apiKey }: ServiceSettings,
  { root, procedureId, env }: { root: string; procedureId: string | undefined; env: CommandContext['env'] },
): FileWrite | undefined {
  const file = path.join(root, DATA_FOLDER, CREDENTIALS_FILE)
  const isFromVariable = apiKey.from === 'RUNLEDGER_API_KEY'
  if (!isFromVariable || url.value === undefined || env['CI'] || existsSync(file)) return undefined
  const credentials = {
    url: normalizeServiceUrl(url.value),
    api_key: apiKey.value,
    ...(procedureId !== undefined && { procedure_id: procedureId }),
  }
  const after = Buffer.from(`${JSON.stringify(credentials, undefined, 2)}\n`)
  return { file, before: undefined, after, isPrivate: true }
}
