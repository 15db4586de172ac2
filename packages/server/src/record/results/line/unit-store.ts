import {
  MAX_OTHER_VALUES,
  MAX_TREE_UNITS,
  MAX_UNIT_MEASUREMENTS,
  MAX_UNIT_PICTURES,
  MAX_UNIT_RUNS,
  type RunOutcome,
} from '@runledger/protocol'
import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { isInList } from '../../../storage/database/rows'
import { selectUnitHeads, type UnitHeadRow } from '../../catalogue/units/list-store'
import { beginning } from '../tests/listed-text'
import { MAX_UNIT_DEPTH } from './where-used-store'
import { IS_OF_LINE } from './yield-store'

export interface TreePlace {
  unit_id: number
  depth: number
}

export async function listHolders(query: Query, unitId: number): Promise<TreePlace[]> {
  const { rows } = await sql<TreePlace>`WITH RECURSIVE holders (unit_id, depth) AS (
      SELECT parent_unit_id, 1 FROM live_units WHERE id = ${unitId} AND parent_unit_id IS NOT NULL
      UNION ALL SELECT units.parent_unit_id, depth + 1
        FROM holders JOIN live_units AS units ON units.id = holders.unit_id
        WHERE units.parent_unit_id IS NOT NULL AND depth < ${sql.lit(MAX_UNIT_DEPTH)}
    ) SELECT unit_id, depth FROM holders`.execute(query)
  return rows
}

/** At any depth, the nearest first; one more than are shown if there are more. */
export async function listHeld(query: Query, unitId: number): Promise<TreePlace[]> {
  const { rows } = await sql<TreePlace>`WITH RECURSIVE held (unit_id, depth) AS (
      SELECT id, 1 FROM live_units WHERE parent_unit_id = ${unitId}
      UNION ALL SELECT units.id, depth + 1
        FROM held JOIN live_units AS units ON units.parent_unit_id = held.unit_id
        WHERE depth < ${sql.lit(MAX_UNIT_DEPTH)}
    ) SELECT unit_id, depth FROM held LIMIT ${sql.lit(MAX_TREE_UNITS + 1)}`.execute(query)
  return rows
}

export async function listUnitHeads(query: Query, ids: readonly number[]): Promise<UnitHeadRow[]> {
  if (ids.length === 0) return []
  return selectUnitHeads(query)
    .where(isInList(query, 'units.id', ids))
    .execute()
}

export interface VerdictRow {
  unit_id: number
  procedure_id: number
  runs: number
  failed: number
  /** Which of the runs passed first, from 1. */
  passed_at: number | null
  last_run_key: number
  last_run_id: string
  last_started_at_us: number
  outcome: RunOutcome
}

/** Only procedures in which they have a completed run of the line. */
export async function readUnitVerdicts(query: Query, unitIds: readonly number[]): Promise<VerdictRow[]> {
  const ofUnit = 'PARTITION BY unit_id, procedure_id ORDER BY started_at_us'
  const ofLast = (column: string) => sql`max(CASE WHEN from_last = 1 THEN ${sql.ref(column)} END)`
  const { rows } = await sql<VerdictRow>`SELECT unit_id, procedure_id, count(*) AS runs,
      count(*) FILTER (WHERE outcome <> 'PASS') AS failed,
      min(CASE WHEN outcome = 'PASS' THEN from_first END) AS passed_at,
      ${ofLast('id')} AS last_run_key, ${ofLast('public_id')} AS last_run_id,
      ${ofLast('started_at_us')} AS last_started_at_us, ${ofLast('outcome')} AS outcome
    FROM (SELECT id, public_id, unit_id, procedure_id, outcome, started_at_us,
        row_number() OVER (${sql.raw(ofUnit)}, id) AS from_first,
        row_number() OVER (${sql.raw(ofUnit)} DESC, id DESC) AS from_last
      FROM live_runs AS runs WHERE ${isInList(query, 'unit_id', unitIds)} AND ${sql.raw(IS_OF_LINE)}) AS completed
    GROUP BY unit_id, procedure_id ORDER BY last_started_at_us DESC`.execute(query)
  return rows.map((row) => ({
    ...row,
    runs: Number(row.runs),
    failed: Number(row.failed),
    passed_at: row.passed_at === null ? null : Number(row.passed_at),
  }))
}

export async function listProcedureNames(query: Query, ids: readonly number[]) {
  if (ids.length === 0) return []
  return query
    .selectFrom('procedures')
    .select(['id', 'public_id', 'identifier', 'name'])
    .where(isInList(query, 'id', ids))
    .execute()
}

/** Those that started last; one more than are shown if there are more. */
export async function listRunsOfUnits(query: Query, unitIds: readonly number[]): Promise<number[]> {
  const most = sql.lit(MAX_UNIT_RUNS + 1)
  const ofEach = query.engine.firstsOfEach(
    unitIds,
    (unitId) => sql`SELECT id AS key FROM live_runs WHERE unit_id = ${unitId}
      ORDER BY started_at_us DESC, id DESC LIMIT ${most}`,
  )
  const { rows } = await sql<{ id: number }>`SELECT runs.id FROM ${ofEach}
    JOIN runs ON runs.id = firsts.value
    ORDER BY runs.started_at_us DESC, runs.id DESC LIMIT ${most}`.execute(query)
  return rows.map(({ id }) => id)
}

export interface PictureRow {
  run_id: number | null
  public_id: string
  name: string
  content_type: string | null
  size_bytes: number | null
}

const selectPictures = (query: Query) =>
  query
    .selectFrom('attachments')
    .leftJoin('blobs', 'blobs.sha256', 'attachments.sha256')
    .select(['attachments.run_id', 'attachments.public_id', 'attachments.name', 'attachments.content_type'])
    .select('blobs.size_bytes')

/** The last attachments that say they are images, in the order in which they came. */
export async function listPictures(
  query: Query,
  column: 'run_id' | 'unit_id',
  ids: readonly number[],
): Promise<PictureRow[]> {
  if (ids.length === 0) return []
  const rows = await selectPictures(query)
    .where(isInList(query, `attachments.${column}`, ids))
    .where('attachments.content_type', 'like', 'image/%')
    .where('attachments.sha256', 'is not', null)
    .orderBy('attachments.id', 'desc')
    .limit(MAX_UNIT_PICTURES)
    .execute()
  return rows.toReversed()
}

export async function findPicture(query: Query, publicId: string): Promise<PictureRow | undefined> {
  return selectPictures(query).where('attachments.public_id', '=', publicId).executeTakeFirst()
}

export interface MeasuredRow {
  run_id: number
  phase_definition_id: number
  definition_id: number
  phase: string
  measurement: string
  unit: string | null
  value: number
  limit_low: number | null
  limit_high: number | null
  failed: number
}

/** In the order measured; one more than are shown if there are more. */
export async function listMeasured(query: Query, runIds: readonly number[]): Promise<MeasuredRow[]> {
  if (runIds.length === 0) return []
  const { rows } =
    await sql<MeasuredRow>`SELECT measurements.run_id, phases.definition_id AS phase_definition_id,
      measurements.definition_id, ${beginning('phase_names.name')} AS phase, ${beginning('names.name')} AS measurement,
      ${beginning<string | null>('names.unit_of_measure')} AS unit, number_value AS value, limit_low, limit_high,
      CASE WHEN measurements.outcome = 'FAIL' THEN 1 ELSE 0 END AS failed
    FROM measurements JOIN phases ON phases.run_id = measurements.run_id AND phases.id = measurements.phase_id
      JOIN definitions AS phase_names ON phase_names.id = phases.definition_id
      JOIN definitions AS names ON names.id = measurements.definition_id
    WHERE ${isInList(query, 'measurements.run_id', runIds)} AND phases.is_final_attempt = 1
      AND value_type = 'numeric' AND number_value IS NOT NULL
    ORDER BY measurements.run_id DESC, measurements.id LIMIT ${sql.lit(MAX_UNIT_MEASUREMENTS + 1)}`.execute(
      query,
    )
  return rows
}

export async function listOtherValues(
  query: Query,
  unitId: number,
  measured: readonly Pick<MeasuredRow, 'phase_definition_id' | 'definition_id'>[],
): Promise<number[][]> {
  if (measured.length === 0) return []
  const keys = measured.map(({ phase_definition_id: phase, definition_id: name }, place) => ({
    place,
    phase,
    name,
  }))
  const ofEach = query.engine.firstsOfEach(keys, (entry) => {
    const key = (name: string) => sql`CAST(${entry} ->> ${sql.lit(name)} AS bigint)`
    return sql`SELECT line_values.value AS key FROM line_values JOIN live_runs AS runs ON runs.id = line_values.run_id
        JOIN units ON units.id = runs.unit_id
      WHERE phase_definition_id = ${key('phase')} AND definition_id = ${key('name')}
        AND runs.unit_id <> ${unitId} AND units.sample IS NULL
      ORDER BY line_values.started_at_us DESC, line_values.run_id DESC, line_values.id DESC
      LIMIT ${sql.lit(MAX_OTHER_VALUES)}`
  })
  const { rows } = await sql<{
    place: number
    list: string
  }>`SELECT place, ${query.engine.listOfGroup(sql.ref('value'))} AS list
    FROM (SELECT CAST(owners.value ->> 'place' AS bigint) AS place, firsts.value AS value FROM ${ofEach}) AS found
    GROUP BY place`.execute(query)
  const lists = new Map(rows.map(({ place, list }) => [Number(place), JSON.parse(list) as number[]]))
  return measured.map((_, place) => lists.get(place) ?? [])
}
