import type { YieldGroup } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { US_PER_DAY } from '../../../base/clock'
import { isOneOf } from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import type { ProceduresTable } from '../../../storage/database/schema/units'
import { digestDefinition } from '../runs/definition-store'
import { beginning } from '../tests/listed-text'
import { COUNTS } from './yield-store'

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
  id: string | null
  is_sample: number
}

/** Day 0 was a Thursday; weeks begin on Mondays. */
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

export async function readLastStartUs(query: Query, procedureId: number): Promise<number | undefined> {
  const row = await query
    .selectFrom('live_runs')
    .select('started_at_us')
    .where('procedure_id', '=', procedureId)
    .where('is_of_line', '=', 1)
    .orderBy('started_at_us', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.started_at_us
}

export async function readYieldCounts(
  query: Query,
  { procedureId, fromUs }: Period,
  by: YieldGroup,
): Promise<YieldCountsRow[]> {
  const sums = COUNTS.map((name) => sql`sum(${sql.ref(name)}) AS ${sql.ref(name)}`)
  const id =
    by === 'station'
      ? sql`(SELECT public_id FROM stations WHERE stations.id = line_days.station_id)`
      : sql`CAST(NULL AS text)`
  const { rows } = await sql<YieldCountsRow>`SELECT key, id, is_sample, ${sql.join(sums)}
    FROM (SELECT ${GROUPS[by]} AS key, ${id} AS id, line_days.* FROM line_days
      WHERE procedure_id = ${procedureId} AND day >= ${Math.floor(fromUs / US_PER_DAY)}) AS named
    GROUP BY key, id, is_sample ORDER BY (key IS NULL), key, id`.execute(query)
  return rows.map((row) => ({
    key: row.key,
    id: row.id,
    is_sample: Number(row.is_sample),
    ...(Object.fromEntries(COUNTS.map((name) => [name, Number(row[name])])) as Record<
      (typeof COUNTS)[number],
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

export interface MeasurementCounts {
  rows: MeasurementCount[]
  /** Of all of them, those that are left out included. */
  failed: number
  numeric: number
}

/** Those that failed most. There may be hundreds of thousands, so names are looked up last. */
export async function readMeasurementCounts(
  query: Query,
  { procedureId, fromUs }: Period,
  limit: number,
): Promise<MeasurementCounts> {
  type Row = MeasurementCount & { has_numbers: number; all_failed: number; all_numeric: number }
  const { rows } =
    await sql<Row>`SELECT phase_definition_id, definition_id, ${beginning('phase.name')} AS phase,
      ${beginning<string | null>('measurement.name')} AS measurement,
      ${beginning<string | null>('measurement.unit_of_measure')} AS unit,
      counted.measured, counted.failed, has_numbers, all_failed, all_numeric
    FROM (SELECT listed.*, sum(failed) OVER () AS all_failed, sum(has_numbers) OVER () AS all_numeric
      FROM (SELECT summed.*, CASE WHEN EXISTS (SELECT 1 FROM line_values
            WHERE line_values.phase_definition_id = summed.phase_definition_id
              AND line_values.definition_id = summed.definition_id) THEN 1 ELSE 0 END AS has_numbers
        FROM (SELECT phase_definition_id, definition_id, sum(measured) AS measured, sum(failed) AS failed,
            max(definition_id) OVER (PARTITION BY phase_definition_id) AS last_definition_id
          FROM measurement_days WHERE procedure_id = ${procedureId} AND day >= ${Math.floor(fromUs / US_PER_DAY)}
          GROUP BY phase_definition_id, definition_id) AS summed
        WHERE definition_id > 0 OR last_definition_id = 0) AS listed
      ORDER BY failed DESC, phase_definition_id, definition_id LIMIT ${limit}) AS counted
      JOIN definitions AS phase ON phase.id = phase_definition_id
      LEFT JOIN definitions AS measurement ON measurement.id = counted.definition_id
    ORDER BY phase, measurement`.execute(query)
  const [first] = rows
  return {
    failed: Number(first?.all_failed ?? 0),
    numeric: Number(first?.all_numeric ?? 0),
    rows: rows.map((row) => ({
      ...row,
      measured: Number(row.measured),
      failed: Number(row.failed),
      hasNumbers: row.has_numbers === 1,
    })),
  }
}

export interface MeasurementKey {
  phase_definition_id: number
  definition_id: number
  unit: string | null
}

/** If there are several units of measure, the last definition's. */
export async function findMeasurement(
  query: Query,
  procedureId: number,
  { phase, measurement }: { phase: string; measurement: string },
): Promise<MeasurementKey | undefined> {
  const found = await query
    .selectFrom('definitions')
    .select('id')
    .where('procedure_id', '=', procedureId)
    .where('digest', '=', digestDefinition(phase))
    .executeTakeFirst()
  if (!found) return undefined
  const next = sql`SELECT min(definition_id) FROM line_values WHERE phase_definition_id = ${found.id}`
  // Reads only names of this phase: a procedure may have hundreds of thousands, of 10,000 characters each.
  const { rows } = await sql<Omit<MeasurementKey, 'phase_definition_id'>>`WITH RECURSIVE measured (id) AS (
      SELECT (${next}) UNION ALL SELECT (${next} AND definition_id > measured.id) FROM measured WHERE id IS NOT NULL)
    SELECT definitions.id AS definition_id, unit_of_measure AS unit FROM measured JOIN definitions ON definitions.id = measured.id
    WHERE definitions.name = ${measurement} ORDER BY definitions.id DESC LIMIT 1`.execute(query)
  return rows[0] && { ...rows[0], phase_definition_id: found.id }
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
  /** All but samples, or some of their own. */
  units: Expression<SqlBool>
  batches?: readonly string[] | undefined
  stations?: readonly string[] | undefined
  versions?: readonly string[] | undefined
}

export const IS_NO_SAMPLE = sql<SqlBool>`units.sample IS NULL`

/** Selects by the runs of the units, so that the query does not look up the unit of every value. */
export function isUnitOfStudy(serialNumbersFolded: readonly string[] | undefined): Expression<SqlBool> {
  const isWanted =
    isOneOf('units.serial_number_folded', serialNumbersFolded)[0] ?? sql<SqlBool>`units.sample = 'golden'`
  return sql<SqlBool>`line_values.run_id IN (SELECT runs.id FROM runs JOIN units ON units.id = runs.unit_id
    WHERE ${isWanted})`
}

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
