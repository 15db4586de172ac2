import type { Query } from '../database/database'

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
