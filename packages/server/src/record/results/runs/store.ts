import type { ListRunsQuery } from '@runledger/protocol'
import type { Query } from '../../../storage/database/database'
import { inChunks } from '../../../storage/database/rows'
import type { RunsTable } from '../../../storage/database/schema/runs'
import { selectPage, type SortValues } from '../../../storage/database/sorted-page'
import type { CreatorColumns } from '../../access/keys/principal'
import { CREATED_BY_COLUMNS } from '../../access/users/store'
import { createRunFilters, createSearchFilter } from '../filter-store'
import type { RowPage } from '../record-store'

function selectRunHeads(query: Query) {
  return query
    .selectFrom('live_runs as runs')
    .innerJoin('procedures', 'procedures.id', 'runs.procedure_id')
    .innerJoin('units', 'units.id', 'runs.unit_id')
    .innerJoin('revisions', 'revisions.id', 'runs.revision_id')
    .innerJoin('parts', 'parts.id', 'revisions.part_id')
    .leftJoin('procedure_versions', 'procedure_versions.id', 'runs.version_id')
    .leftJoin('live_batches as batches', 'batches.id', 'runs.batch_id')
    .leftJoin('users', 'users.id', 'runs.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'runs.created_by_station_id')
    .leftJoin('users as operators', 'operators.id', 'runs.operated_by_user_id')
    .select(['runs.id', 'runs.public_id', 'runs.outcome', 'runs.docstring', 'runs.created_at_us'])
    .select(['runs.started_at_us', 'runs.ended_at_us', 'runs.duration_us'])
    .select(['procedures.public_id as procedure_public_id', 'procedures.name as procedure_name'])
    .select('procedures.identifier as procedure_identifier')
    .select(['procedure_versions.public_id as version_public_id', 'procedure_versions.tag as version_tag'])
    .select(['units.public_id as unit_public_id', 'units.serial_number', 'units.sample'])
    .select(['parts.public_id as part_public_id', 'parts.number as part_number', 'parts.name as part_name'])
    .select(['revisions.public_id as revision_public_id', 'revisions.number as revision_number'])
    .select(['batches.public_id as batch_public_id', 'batches.number as batch_number'])
    .select(CREATED_BY_COLUMNS)
    .select(['operators.public_id as operator_public_id', 'operators.name as operator_name'])
    .select(['operators.email as operator_email'])
}

type RunHeadSelect = ReturnType<typeof selectRunHeads>
export type RunHeadRow = Awaited<ReturnType<RunHeadSelect['execute']>>[number]

export async function findRunHead(query: Query, publicId: string): Promise<RunHeadRow | undefined> {
  return selectRunHeads(query).where('runs.public_id', '=', publicId.toLowerCase()).executeTakeFirst()
}

export async function listLastRuns(
  query: Query,
  procedureIds: readonly number[],
  limit: number,
): Promise<Map<number, RunHeadRow[]>> {
  const runs = new Map<number, RunHeadRow[]>()
  // One by one: an index finds the last runs of one procedure, but not of several.
  for (const id of procedureIds) {
    const last = selectRunHeads(query)
      .where('runs.procedure_id', '=', id)
      .orderBy('runs.started_at_us', 'desc')
      .orderBy('runs.id', 'desc')
      .limit(limit)
    runs.set(id, await last.execute())
  }
  return runs
}

export async function listMetadata(query: Query, runIds: readonly number[]) {
  if (runIds.length === 0) return []
  return query
    .selectFrom('run_metadata')
    .innerJoin('metadata_values', 'metadata_values.id', 'run_metadata.value_id')
    .select(['run_id', 'name', 'text_value', 'value_type', 'number_value'])
    .where('run_id', 'in', runIds)
    .orderBy('run_id')
    .orderBy('position')
    .execute()
}

// Equal values are ordered by their start. Where the order continues in another table, the values before are all columns of a
// unique index, so that the database can follow its indexes.
const createSortValues = ({ engine }: Query): SortValues<ListRunsQuery['sort_by']> => ({
  started_at: 'runs.started_at_us',
  created_at: 'runs.created_at_us',
  duration: 'runs.duration_us',
  outcome: ['runs.outcome', 'runs.started_at_us'],
  serial_number: ['units.serial_number_folded', 'units.organisation_id', 'runs.started_at_us'],
  part_number: [
    'parts.number_folded',
    'parts.organisation_id',
    'revisions.number_folded',
    'runs.started_at_us',
  ],
  revision_number: ['revisions.number_folded', engine.numberOf('revisions'), 'runs.started_at_us'],
})

export async function listRuns(query: Query, list: ListRunsQuery): Promise<RunHeadRow[]> {
  const search = list.search_query ? [await createSearchFilter(query, list.search_query)] : []
  const keys = await selectPage(query, selectRunKeys(query, list.sort_by), {
    table: 'runs',
    sortValues: createSortValues(query),
    filters: [...createRunFilters(list), ...search],
    list,
  })
  return findRunHeads(
    query,
    keys.map(({ id }) => id),
  )
}

/** From the tables that the order needs, outermost first, so that the database keeps this join order. */
function selectRunKeys(query: Query, sortBy: ListRunsQuery['sort_by']) {
  const runs = query.selectFrom('live_runs as runs').select('runs.id')
  if (sortBy === 'serial_number') {
    return query
      .selectFrom('units')
      .crossJoin('live_runs as runs')
      .whereRef('runs.unit_id', '=', 'units.id')
      .select('runs.id') as unknown as typeof runs
  }
  if (sortBy === 'part_number') {
    return query
      .selectFrom('parts')
      .crossJoin('revisions')
      .crossJoin('live_runs as runs')
      .whereRef('revisions.part_id', '=', 'parts.id')
      .whereRef('runs.revision_id', '=', 'revisions.id')
      .select('runs.id') as unknown as typeof runs
  }
  if (sortBy === 'revision_number') {
    return query
      .selectFrom('revisions')
      .crossJoin('live_runs as runs')
      .whereRef('runs.revision_id', '=', 'revisions.id')
      .select('runs.id') as unknown as typeof runs
  }
  return runs
}

export async function findRunHeads(query: Query, keys: readonly number[]): Promise<RunHeadRow[]> {
  if (keys.length === 0) return []
  const rows = await selectRunHeads(query).where('runs.id', 'in', keys).execute()
  const byKey = new Map(rows.map((row) => [row.id, row]))
  return keys.map((key) => byKey.get(key)).filter((row) => row !== undefined)
}

/** Names of files, in the order sent. */
export async function listDeclaredAttachments(query: Query, runIds: readonly number[]) {
  return query
    .selectFrom('declared_attachments')
    .select(['run_id', 'name'])
    .where('run_id', 'in', runIds)
    .orderBy('run_id')
    .orderBy('position')
    .execute()
}

export async function listRunLogs(
  query: Query,
  runIds: readonly number[],
  { after = 0, limit }: RowPage = {},
) {
  return query
    .selectFrom('run_logs')
    .selectAll()
    .where('run_id', 'in', runIds)
    .where('id', '>', after)
    .orderBy('run_id')
    .orderBy('id')
    .$call((rows) => (limit === undefined ? rows : rows.limit(limit)))
    .execute()
}

/** With the part that each has now. */
export async function listSubUnits(query: Query, runIds: readonly number[]) {
  return query
    .selectFrom('run_sub_units')
    .innerJoin('live_units as units', 'units.id', 'run_sub_units.unit_id')
    .innerJoin('revisions', 'revisions.id', 'units.revision_id')
    .innerJoin('parts', 'parts.id', 'revisions.part_id')
    .select(['run_sub_units.run_id', 'units.public_id', 'units.serial_number'])
    .select(['parts.number as part_number', 'parts.name as part_name'])
    .where('run_sub_units.run_id', 'in', runIds)
    .orderBy('run_sub_units.run_id')
    .orderBy('run_sub_units.position')
    .execute()
}

export async function findRunKeys(query: Query, publicIds: readonly string[]): Promise<Map<string, number>> {
  const keys = new Map<string, number>()
  for (const chunk of inChunks(publicIds)) {
    const runs = await query
      .selectFrom('live_runs as runs')
      .select(['id', 'public_id'])
      .where('public_id', 'in', chunk)
      .execute()
    for (const { id, public_id: publicId } of runs) keys.set(publicId, id)
  }
  return keys
}

export type CheckedRun = Pick<RunsTable, 'id' | 'public_id' | 'procedure_id' | keyof CreatorColumns>

export async function findRun(query: Query, publicId: string): Promise<CheckedRun | undefined> {
  return query
    .selectFrom('live_runs as runs')
    .select(['id', 'public_id', 'procedure_id', 'created_by_user_id', 'created_by_station_id'])
    .where('public_id', '=', publicId.toLowerCase())
    .executeTakeFirst()
}
