import type { YieldGroup } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { US_PER_DAY } from '../../../base/clock'
import { isOneOf } from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import type { ProceduresTable } from '../../../storage/database/schema/units'

/** Runs of a procedure that started in a period. */
export interface Period {
  procedureId: number
  fromUs: number
}

export interface YieldCounts {
  units: number
  first_passed: number
  second_passed: number
  last_passed: number
  day_units: number
  day_passed: number
  runs: number
  passed_runs: number
}

export interface YieldCountsRow extends YieldCounts {
  key: string | number | null
  is_sample: number
}

/** Day 0 was a Thursday: weeks begin on Mondays. */
const MONDAY = sql`day - (day + 3) % 7`

const GROUPS: Readonly<Record<YieldGroup, ReturnType<typeof sql>>> = {
  day: sql`day`,
  week: MONDAY,
  batch: sql`(SELECT number FROM live_batches WHERE live_batches.id = line_days.batch_id)`,
  station: sql`(SELECT name FROM stations WHERE stations.id = line_days.station_id)`,
  version: sql`(SELECT tag FROM procedure_versions WHERE procedure_versions.id = line_days.version_id)`,
  revision: sql`(SELECT parts.number || ' ' || revisions.number FROM revisions
    JOIN parts ON parts.id = revisions.part_id WHERE revisions.id = line_days.revision_id)`,
}

const SUMS = [
  'units',
  'first_passed',
  'second_passed',
  'last_passed',
  'day_units',
  'day_passed',
  'runs',
  'passed_runs',
] as const

/** Procedures that ever had a run of the line, the one that was used last first. */
export async function readLineProcedures(query: Query, ids: readonly number[] | undefined, limit: number) {
  const lastDay = sql`(SELECT max(day) FROM line_days WHERE procedure_id = live_procedures.id)`
  const conditions = [
    sql<SqlBool>`EXISTS (SELECT 1 FROM line_days WHERE procedure_id = live_procedures.id)`,
    ...isOneOf('live_procedures.id', ids),
  ]
  const { rows } = await sql<ProceduresTable>`SELECT * FROM live_procedures
    WHERE ${sql.join(conditions, sql` AND `)} ORDER BY ${lastDay} DESC, name, id LIMIT ${limit}`.execute(
    query,
  )
  return rows
}

export async function readYieldCounts(
  query: Query,
  { procedureId, fromUs }: Period,
  by: YieldGroup,
): Promise<YieldCountsRow[]> {
  const sums = SUMS.map((name) => sql`sum(${sql.ref(name)}) AS ${sql.ref(name)}`)
  const { rows } = await sql<YieldCountsRow>`SELECT key, is_sample, ${sql.join(sums)}
    FROM (SELECT ${GROUPS[by]} AS key, line_days.* FROM line_days
      WHERE procedure_id = ${procedureId} AND day >= ${Math.floor(fromUs / US_PER_DAY)}) AS named
    GROUP BY key, is_sample ORDER BY key`.execute(query)
  return rows.map((row) => ({
    key: row.key,
    is_sample: Number(row.is_sample),
    ...(Object.fromEntries(SUMS.map((name) => [name, Number(row[name])])) as Record<
      (typeof SUMS)[number],
      number
    >),
  }))
}

export interface MeasurementCount {
  phase_definition_id: number
  /** 0 for the phase itself. */
  definition_id: number
  phase: string
  /** null for the phase itself. */
  measurement: string | null
  unit: string | null
  measured: number
  failed: number
  hasNumbers: boolean
}

export async function readMeasurementCounts(
  query: Query,
  { procedureId, fromUs }: Period,
): Promise<MeasurementCount[]> {
  const { rows } = await sql<
    MeasurementCount & { has_numbers: number }
  >`SELECT phase_definition_id, definition_id, phase.name AS phase, measurement.name AS measurement,
      measurement.unit_of_measure AS unit, counted.measured, counted.failed,
      CASE WHEN EXISTS (SELECT 1 FROM line_values WHERE line_values.phase_definition_id = counted.phase_definition_id
        AND line_values.definition_id = counted.definition_id) THEN 1 ELSE 0 END AS has_numbers
    FROM (SELECT phase_definition_id, definition_id, sum(measured) AS measured, sum(failed) AS failed
      FROM measurement_days WHERE procedure_id = ${procedureId} AND day >= ${Math.floor(fromUs / US_PER_DAY)}
      GROUP BY phase_definition_id, definition_id) AS counted
      JOIN definitions AS phase ON phase.id = phase_definition_id
      LEFT JOIN definitions AS measurement ON measurement.id = counted.definition_id
    ORDER BY phase.name, measurement.name`.execute(query)
  return rows.map(({ has_numbers: hasNumbers, ...row }) => ({
    ...row,
    measured: Number(row.measured),
    failed: Number(row.failed),
    hasNumbers: hasNumbers === 1,
  }))
}

export interface MeasurementKey {
  phase_definition_id: number
  definition_id: number
  unit: string | null
}

/** The measurement of this name in a phase; of several units of measure, that of the last definition. */
export async function findMeasurement(
  query: Query,
  procedureId: number,
  { phase, measurement }: { phase: string; measurement: string },
): Promise<MeasurementKey | undefined> {
  const { rows } = await sql<MeasurementKey>`SELECT phase.id AS phase_definition_id,
      measurement.id AS definition_id, measurement.unit_of_measure AS unit
    FROM definitions AS phase JOIN definitions AS measurement ON measurement.procedure_id = phase.procedure_id
    WHERE phase.procedure_id = ${procedureId} AND phase.name = ${phase} AND phase.unit_of_measure IS NULL
      AND measurement.name = ${measurement} AND EXISTS (SELECT 1 FROM line_values
        WHERE phase_definition_id = phase.id AND definition_id = measurement.id)
    ORDER BY measurement.id DESC LIMIT 1`.execute(query)
  return rows[0]
}

export interface ValueRow {
  run_id: string
  serial_number: string
  started_at_us: number
  station: string | null
  batch: string | null
  version: string | null
  value: number
  limit_low: number | null
  limit_high: number | null
  failed: number
}

export interface ValuesWanted {
  key: MeasurementKey
  fromUs: number
  limit: number
  /** Which units: all but samples, or some of their own. */
  units: Expression<SqlBool>
  batches?: readonly string[] | undefined
  stations?: readonly string[] | undefined
  versions?: readonly string[] | undefined
}

export const IS_NO_SAMPLE = sql<SqlBool>`units.sample IS NULL`

export function isUnitOfStudy(serialNumbersFolded: readonly string[] | undefined): Expression<SqlBool> {
  return (
    isOneOf('units.serial_number_folded', serialNumbersFolded)[0] ?? sql<SqlBool>`units.sample = 'golden'`
  )
}

/** The last values of a measurement, in the order of time. */
export async function readValues(query: Query, wanted: ValuesWanted): Promise<ValueRow[]> {
  const { key, fromUs, limit, units, batches, stations, versions } = wanted
  const conditions = [
    units,
    ...isOneOf('batches.number', batches),
    ...isOneOf('stations.name', stations),
    ...isOneOf('procedure_versions.tag', versions),
  ]
  const { rows } =
    await sql<ValueRow>`SELECT runs.public_id AS run_id, units.serial_number, line_values.started_at_us,
      stations.name AS station, batches.number AS batch, procedure_versions.tag AS version, value, limit_low,
      limit_high, failed
    FROM line_values JOIN live_runs AS runs ON runs.id = line_values.run_id JOIN units ON units.id = runs.unit_id
      LEFT JOIN live_batches AS batches ON batches.id = runs.batch_id
      LEFT JOIN stations ON stations.id = runs.created_by_station_id
      LEFT JOIN procedure_versions ON procedure_versions.id = runs.version_id
    WHERE line_values.phase_definition_id = ${key.phase_definition_id}
      AND line_values.definition_id = ${key.definition_id} AND line_values.started_at_us >= ${fromUs}
      AND ${sql.join(conditions, sql` AND `)}
    ORDER BY line_values.started_at_us DESC, line_values.run_id DESC, line_values.id DESC LIMIT ${limit}`.execute(
      query,
    )
  return rows.toReversed()
}
