import type { Query } from '../database/database'
import { CREATED_BY_COLUMNS } from '../keys/created-by'

/** Runs with the names of what they refer to: the columns that a list shows. */
export function selectRunHeads(query: Query) {
  return query
    .selectFrom('runs')
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

export type RunHeadSelect = ReturnType<typeof selectRunHeads>
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
    .select(['run_id', 'name', 'text_value', 'value_type', 'number_value'])
    .where('run_id', 'in', runIds)
    .orderBy('run_id')
    .orderBy('position')
    .execute()
}
