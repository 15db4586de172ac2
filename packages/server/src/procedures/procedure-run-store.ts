import type { Query } from '../database/database'

export async function countRunsOfProcedure(query: Query, procedureId: number): Promise<number> {
  const { runs } = await query
    .selectFrom('runs')
    .select((select) => select.fn.countAll<number>().as('runs'))
    .where('procedure_id', '=', procedureId)
    .executeTakeFirstOrThrow()
  return runs
}

/** The runs of a procedure that started last, newest first. */
export async function listRecentRuns(query: Query, procedureId: number, limit: number) {
  return query
    .selectFrom('runs')
    .innerJoin('units', 'units.id', 'runs.unit_id')
    .select(['runs.public_id', 'runs.started_at_us', 'runs.outcome', 'units.serial_number'])
    .where('runs.procedure_id', '=', procedureId)
    .orderBy('runs.started_at_us', 'desc')
    .orderBy('runs.id', 'desc')
    .limit(limit)
    .execute()
}

/** Keys of all runs of a procedure. */
export async function listRunKeysOfProcedure(query: Query, procedureId: number): Promise<number[]> {
  const runs = await query.selectFrom('runs').select('id').where('procedure_id', '=', procedureId).execute()
  return runs.map(({ id }) => id)
}
