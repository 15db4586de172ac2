import {
  type CreateProcedureRequest,
  foldIdentifier,
  formatTimestampUs,
  type ListProceduresQuery,
  type Page,
  type ProcedureDetail,
  type ProcedureListItem,
  type RepositorySettings,
  RepositorySettingsSchema,
  type UpdateProcedureRequest,
} from '@runledger/protocol'
import type { Context } from '../call/context'
import type { Query } from '../../storage/database/database'
import type { ProceduresTable } from '../../storage/database/schema/units'
import { pageFrom } from '../../storage/database/sorted-page'
import { notFound } from '../../base/errors'
import type { Handlers } from '../call/handler'
import { describeSettings, type Facts } from '../../record/access/audit/record-change'
import type { UserPrincipal } from '../../record/access/keys/principal'
import { mapRunHead } from '../../record/results/runs/map'
import { listLastRuns } from '../../record/results/runs/store'
import { readSettings, removeRetentionRules } from '../../record/access/settings/store'
import { listLinkedStations } from '../../record/access/stations/store'
import { findUser, mapPerson, mapStation } from '../../record/access/users/store'
import { createVersion, deleteVersion, getVersion } from '../versions/handlers'
import {
  createProcedureWithin,
  findKnownProcedure,
} from '../../record/catalogue/procedures/resolve-procedure'
import {
  countRunsOfProcedure,
  listProcedures,
  listRecentRuns,
  updateProcedure as updateRow,
} from '../../record/catalogue/procedures/store'
import { markDeleted } from '../../record/results/deletion-store'

export const PROCEDURE_HANDLERS: Handlers<
  | 'listProcedures'
  | 'createProcedure'
  | 'getProcedure'
  | 'updateProcedure'
  | 'deleteProcedure'
  | 'createProcedureVersion'
  | 'getProcedureVersion'
  | 'deleteProcedureVersion'
  | 'listDeployments'
  | 'getDeployment'
> = {
  listProcedures: ({ context, query }) => listProcedurePage(context, query),
  createProcedure: ({ context, principal, body }) => createProcedure(context, principal, body),
  getProcedure: ({ context, params }) => getProcedure(context, params.id),
  updateProcedure: ({ context, params, body }) => updateProcedure(context, params.id, body),
  deleteProcedure: ({ context, params }) => deleteProcedure(context, params.id),
  createProcedureVersion: ({ context, principal, params, body }) =>
    createVersion(context, principal, { procedureId: params.procedure_id, tag: body.tag }),
  getProcedureVersion: ({ context, params }) => getVersion(context, params),
  deleteProcedureVersion: ({ context, params }) => deleteVersion(context, params),
  listDeployments: () => Promise.resolve({ data: [], meta: { has_more: false, next_cursor: null } }),
  getDeployment: ({ params }) => Promise.reject(notFound(`deployment with the id "${params.id}"`)),
}

type ProcedureRow = Awaited<ReturnType<typeof listProcedures>>[number]

function mapCreator(row: ProcedureRow): ProcedureListItem['created_by_user'] {
  const person = mapPerson(row)
  return person && { ...person, email: person.email ?? '' }
}

async function listProcedurePage(
  { database }: Context,
  query: ListProceduresQuery,
): Promise<Page<ProcedureListItem>> {
  const rows = await listProcedures(database.query, query)
  const runs = await listLastRuns(
    database.query,
    rows.slice(0, query.limit).map(({ id }) => id),
    LAST_RUNS,
  )
  return pageFrom(rows, query.limit, (row) => ({
    id: row.public_id,
    identifier: row.identifier,
    name: row.name,
    runs: (runs.get(row.id) ?? []).map(mapRunHead),
    fpy: null,
    created_at: formatTimestampUs(row.created_at_us),
    created_by_user: mapCreator(row),
    linkedRepository: null,
  }))
}

/** @throws HttpError CONFLICT for a known identifier, without regard to case */
export async function createProcedure(
  context: Pick<Context, 'database' | 'nextKey' | 'clock' | 'recordChange'>,
  principal: UserPrincipal,
  procedure: CreateProcedureRequest,
): Promise<{ id: string }> {
  return context.database.write(async (transaction) => {
    const { public_id: id } = await createProcedureWithin(context, transaction, { principal, procedure })
    const created = await findKnownProcedure(transaction.query, id)
    await context.recordChange(transaction, { ...describeProcedure(created), after: listFacts(created) })
    return { id }
  })
}

function describeProcedure({ public_id: id, name }: Pick<ProceduresTable, 'public_id' | 'name'>) {
  return { kind: 'procedure', id, name } as const
}

type FactColumns = Pick<ProceduresTable, 'identifier' | 'name' | 'repository_settings'>

function listFacts({ identifier, name, repository_settings: stored }: FactColumns): Facts {
  return { identifier, name, ...parseRepositorySettings(stored) }
}

const LAST_RUNS = 5
const RECENT_RUNS = 10

/** @throws HttpError NOT_FOUND */
async function getProcedure({ database }: Context, identifierOrId: string): Promise<ProcedureDetail> {
  const { query } = database
  const procedure = await findKnownProcedure(query, identifierOrId)
  const runs = await listRecentRuns(query, procedure.id, RECENT_RUNS)
  const stations = await listLinkedStations(query, procedure.id)
  return {
    id: procedure.public_id,
    identifier: procedure.identifier,
    name: procedure.name,
    created_at: formatTimestampUs(procedure.created_at_us),
    created_by_user: await findCreator(query, procedure.created_by_user_id),
    linkedRepository: null,
    runs_count: await countRunsOfProcedure(query, procedure.id),
    recent_runs: runs.map((run) => ({
      id: run.public_id,
      started_at: formatTimestampUs(run.started_at_us),
      outcome: run.outcome,
      unit: { serial_number: run.serial_number },
    })),
    stations: stations.map(mapStation).filter((station) => station !== null),
    ...mapRepositorySettings(procedure.repository_settings),
  }
}

async function findCreator(query: Query, userId: number | null): Promise<ProcedureDetail['created_by_user']> {
  const user = userId === null ? undefined : await findUser(query, userId)
  if (!user) return null
  return mapPerson({ user_public_id: user.public_id, user_name: user.name, user_email: user.email })
}

/** @throws HttpError NOT_FOUND */
async function updateProcedure(
  { database, recordChange }: Context,
  identifierOrId: string,
  { name, ...rest }: UpdateProcedureRequest,
): Promise<{ id: string }> {
  return database.write(async (transaction) => {
    const { query } = transaction
    const procedure = await findKnownProcedure(query, identifierOrId)
    const settings = {
      ...parseRepositorySettings(procedure.repository_settings),
      ...pickRepositorySettings(rest),
    }
    const change = {
      ...(name === undefined ? {} : { name, name_folded: foldIdentifier(name) }),
      repository_settings: JSON.stringify(settings),
    }
    await updateRow(query, procedure.id, change)
    await recordChange(transaction, {
      ...describeProcedure(procedure),
      before: listFacts(procedure),
      after: listFacts({ ...procedure, ...change }),
    })
    return { id: procedure.public_id }
  })
}

/** Also deletes its runs, versions, project keys with their unlinked uploads, and links of stations. @throws HttpError NOT_FOUND */
export async function deleteProcedure(context: Context, identifierOrId: string): Promise<{ id: string }> {
  const { id, public_id } = await context.database.write(async (transaction) => {
    const { query } = transaction
    const procedure = await findKnownProcedure(query, identifierOrId)
    const runs = await countRunsOfProcedure(query, procedure.id)
    await markDeleted(query, { kind: 'procedure', keys: [procedure.id] }, context.clock())
    await context.recordChange(transaction, {
      ...describeProcedure(procedure),
      before: { ...listFacts(procedure), runs },
    })
    const before = await readSettings(transaction)
    await removeRetentionRules(transaction, procedure)
    await context.recordChange(transaction, describeSettings(before, await readSettings(transaction)))
    return procedure
  })
  await context.unlinked.deleteAllOf({ column: 'procedure_id', id })
  await context.deletions.settle()
  return { id: public_id }
}

const NAMES = Object.keys(RepositorySettingsSchema.shape) as (keyof RepositorySettings)[]

/** Absent fields stay absent. */
function pickRepositorySettings(from: RepositorySettings): RepositorySettings {
  return Object.fromEntries(
    NAMES.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])),
  ) as RepositorySettings
}

function parseRepositorySettings(stored: string | null): RepositorySettings {
  return RepositorySettingsSchema.parse(stored === null ? {} : JSON.parse(stored))
}

function mapRepositorySettings(stored: string | null): Pick<ProcedureDetail, keyof RepositorySettings> {
  const settings = parseRepositorySettings(stored)
  return {
    productionBranch: settings.productionBranch ?? null,
    autoPushEnabled: settings.autoPushEnabled ?? null,
    excludedBranchPatterns: settings.excludedBranchPatterns ?? null,
    rootDirectory: settings.rootDirectory ?? null,
    entryPoint: settings.entryPoint ?? null,
  }
}
