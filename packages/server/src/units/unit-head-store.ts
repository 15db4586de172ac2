import type { Query } from '../database/database'
import { CREATED_BY_COLUMNS } from '../keys/created-by'

/** Units with what they are of, who created them, what holds them, and the run that started last. */
export function selectUnitHeads(query: Query) {
  return query
    .selectFrom('units')
    .innerJoin('revisions', 'revisions.id', 'units.revision_id')
    .innerJoin('parts', 'parts.id', 'revisions.part_id')
    .leftJoin('users', 'users.id', 'units.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'units.created_by_station_id')
    .leftJoin('batches', 'batches.id', 'units.batch_id')
    .leftJoin('units as parents', 'parents.id', 'units.parent_unit_id')
    .leftJoin('runs as last_run', (join) =>
      join.on(({ eb, selectFrom }) =>
        eb(
          'last_run.id',
          '=',
          selectFrom('runs')
            .select('runs.id')
            .whereRef('runs.unit_id', '=', 'units.id')
            .orderBy('runs.started_at_us', 'desc')
            .orderBy('runs.id', 'desc')
            .limit(1),
        ),
      ),
    )
    .leftJoin('procedures as last_procedure', 'last_procedure.id', 'last_run.procedure_id')
    .select(['units.id', 'units.public_id', 'units.serial_number', 'units.created_at_us', 'units.sample'])
    .select(['units.parent_unit_id', 'units.created_by_run_id'])
    .select(['parts.public_id as part_public_id', 'parts.number as part_number', 'parts.name as part_name'])
    .select(['revisions.public_id as revision_public_id', 'revisions.number as revision_number'])
    .select(CREATED_BY_COLUMNS)
    .select(['batches.public_id as batch_public_id', 'batches.number as batch_number'])
    .select(['parents.public_id as parent_public_id', 'parents.serial_number as parent_serial_number'])
    .select(['last_run.public_id as last_run_public_id', 'last_run.outcome as last_run_outcome'])
    .select([
      'last_run.started_at_us as last_run_started_at_us',
      'last_run.ended_at_us as last_run_ended_at_us',
    ])
    .select(['last_procedure.public_id as last_procedure_public_id'])
    .select(['last_procedure.name as last_procedure_name'])
    .select(['last_procedure.identifier as last_procedure_identifier'])
}

export type UnitHeadRow = Awaited<ReturnType<ReturnType<typeof selectUnitHeads>['execute']>>[number]
