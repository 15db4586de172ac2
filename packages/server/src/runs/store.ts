import { foldIdentifier, type ListRunsQuery, type runFilterFields } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { inChunks } from '../database/chunks'
import { anyOf, durationUs, isBetween, isOneOf, timeUs } from '../database/conditions'
import type { Query } from '../database/database'
import { isLike, likeContaining } from '../database/like'
import { selectPage, type SortValues } from '../database/sorted-page'
import { digestMetadata } from '../metadata/value-store'
import { createMetadataFilters, type MetadataOwner } from '../metadata/metadata-filter-store'
import { isOneOfProcedures } from '../procedures/store'
import { createUnitReferenceFilters } from '../units/list-store'
import { CREATED_BY_COLUMNS } from '../users/map'

/** Runs with the names of what they refer to: the columns that a list shows. */
function selectRunHeads(query: Query) {
  return query
    .selectFrom('live_runs as runs')
    .innerJoin('procedures', 'procedures.id', 'runs.procedure_id')
    .innerJoin('units', 'units.id', 'runs.unit_id')
    .innerJoin('revisions', 'revisions.id', 'runs.revision_id')
    .innerJoin('parts', 'parts.id', 'revisions.part_id')
    .leftJoin('procedure_versions', 'procedure_versions.id', 'runs.version_id')
    .leftJoin('batches', 'batches.id', 'runs.batch_id')
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

/** The head of the run with this public id. */
export async function findRunHead(query: Query, publicId: string): Promise<RunHeadRow | undefined> {
  return selectRunHeads(query).where('runs.public_id', '=', publicId.toLowerCase()).executeTakeFirst()
}

/** Metadata of these runs, in the order sent. */
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

const SORT_VALUES: SortValues<ListRunsQuery['sort_by']> = {
  started_at: 'runs.started_at_us',
  created_at: 'runs.created_at_us',
  duration: 'runs.duration_us',
  outcome: 'runs.outcome',
  serial_number: 'units.serial_number_folded',
  part_number: 'parts.number_folded',
  revision_number: 'revisions.number_folded',
}

/** Runs in the order asked for, after the cursor, and one more than `limit` when there are more. */
export async function listRuns(query: Query, list: ListRunsQuery): Promise<RunHeadRow[]> {
  return selectPage(query, selectRunHeads(query), {
    table: 'runs',
    sortValues: SORT_VALUES,
    filters: createRunFilters(list),
    list,
  })
}

// Report variables that the search looks into: where a run came from, as a person remembers it.
const SEARCHED_VARIABLES = ['file', 'project', 'framework', 'git_branch', 'git_commit', 'group']

const RUN_METADATA: MetadataOwner = {
  tables: sql`run_metadata JOIN metadata_values ON metadata_values.id = run_metadata.value_id`,
  ownerColumn: 'run_id',
  ownerKey: 'runs.id',
  digest: digestMetadata,
}

/** Conditions on the tables of `selectRunHeads`, one for each filter that is set. */
function createRunFilters(list: ListRunsQuery): Expression<SqlBool>[] {
  return [
    ...createSharedRunFilters(list),
    ...isOneOf('runs.public_id', list.ids?.map(foldIdentifier)),
    ...isOneOf('runs.outcome', list.outcomes),
    ...isOneOf('units.sample', list.samples),
    ...isOneOf('operators.public_id', list.operated_by_ids?.map(foldIdentifier)),
    ...isOneOfProcedures(list.procedure_ids),
    ...isBetween('runs.duration_us', durationUs(list.duration_min), durationUs(list.duration_max)),
    ...isBetween('runs.started_at_us', timeUs(list.started_after), timeUs(list.started_before)),
    ...isBetween('runs.ended_at_us', timeUs(list.ended_after), timeUs(list.ended_before)),
    ...isBetween('runs.created_at_us', timeUs(list.created_after), timeUs(list.created_before)),
    ...(list.search_query ? [searchFilter(list.search_query)] : []),
    ...createMetadataFilters(RUN_METADATA, list.metadata),
  ]
}

type SharedRunFilter = Omit<Pick<ListRunsQuery, keyof typeof runFilterFields>, 'samples'>

/** Filters that the lists of runs, phases, measurements and logs share. */
export function createSharedRunFilters(list: SharedRunFilter): Expression<SqlBool>[] {
  return [
    ...isOneOf('procedure_versions.tag_folded', list.procedure_versions?.map(foldIdentifier)),
    ...isOneOf('runs.deployment_id', list.deployment_ids),
    // Environments are those of deployments, of which this service knows no more than the id.
    ...(list.environments?.length ? [sql<SqlBool>`1 = 0`] : []),
    ...createUnitReferenceFilters(list),
  ]
}

function searchFilter(text: string): Expression<SqlBool> {
  const pattern = likeContaining(foldIdentifier(text))
  const columns = ['units.serial_number_folded', 'parts.number_folded', 'procedures.name_folded']
  return anyOf([
    ...[...columns, 'procedures.identifier_folded'].map((column) => isLike(sql.ref(column), pattern)),
    sql<SqlBool>`${sql.ref('runs.public_id')} = ${foldIdentifier(text)}`,
    sql<SqlBool>`EXISTS (SELECT 1 FROM run_metadata
      JOIN metadata_values ON metadata_values.id = run_metadata.value_id
      WHERE run_metadata.run_id = runs.id AND metadata_values.name IN (${sql.join(SEARCHED_VARIABLES)})
      AND ${anyOf([
        isLike(sql`lower(metadata_values.text_value)`, pattern),
        // SQLite folds the case of ASCII alone.
        isLike(sql.ref('metadata_values.text_value'), likeContaining(text.trim())),
      ])})`,
  ])
}

/** Phases of a run with their names, in the order sent. */
export async function listPhases(query: Query, runId: number) {
  return query
    .selectFrom('phases')
    .innerJoin('definitions', 'definitions.id', 'phases.definition_id')
    .selectAll('phases')
    .select('definitions.name')
    .where('phases.run_id', '=', runId)
    .orderBy('phases.id')
    .execute()
}

export type PhaseRow = Awaited<ReturnType<typeof listPhases>>[number]

/** Measurements of a run with their names and units of measure, in the order sent. */
export async function listMeasurements(query: Query, runId: number) {
  return query
    .selectFrom('measurements')
    .innerJoin('definitions', 'definitions.id', 'measurements.definition_id')
    .selectAll('measurements')
    .select(['definitions.name', 'definitions.unit_of_measure'])
    .where('measurements.run_id', '=', runId)
    .orderBy('measurements.id')
    .execute()
}

export type MeasurementRow = Awaited<ReturnType<typeof listMeasurements>>[number]

export async function listDeclaredAttachments(query: Query, runId: number): Promise<string[]> {
  const rows = await query
    .selectFrom('declared_attachments')
    .select('name')
    .where('run_id', '=', runId)
    .orderBy('position')
    .execute()
  return rows.map(({ name }) => name)
}

/** Logs of a run, in the order sent. */
export async function listRunLogs(query: Query, runId: number) {
  return query.selectFrom('run_logs').selectAll().where('run_id', '=', runId).orderBy('id').execute()
}

/** Sub-units of a run with the part that each has now. */
export async function listSubUnits(query: Query, runId: number) {
  return query
    .selectFrom('run_sub_units')
    .innerJoin('units', 'units.id', 'run_sub_units.unit_id')
    .innerJoin('revisions', 'revisions.id', 'units.revision_id')
    .innerJoin('parts', 'parts.id', 'revisions.part_id')
    .select([
      'units.public_id',
      'units.serial_number',
      'parts.number as part_number',
      'parts.name as part_name',
    ])
    .where('run_sub_units.run_id', '=', runId)
    .orderBy('run_sub_units.position')
    .execute()
}

/** Keys of runs by their public ids; those that there is no run for are missing. */
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

/** Keys of all runs of a unit. */
export async function listRunKeysOfUnit(query: Query, unitId: number): Promise<number[]> {
  const runs = await query
    .selectFrom('live_runs as runs')
    .select('id')
    .where('unit_id', '=', unitId)
    .execute()
  return runs.map(({ id }) => id)
}

/** Deletes runs with all that hangs on them by a foreign key; their attachments' bytes are counted elsewhere. */
export async function deleteRunRows(query: Query, keys: readonly number[]): Promise<void> {
  for (const chunk of inChunks(keys)) await query.deleteFrom('runs').where('id', 'in', chunk).execute()
}
