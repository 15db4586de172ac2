import type { ListMeasurementsQuery } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { durationUs, isBetween, isOneOf, timeUs } from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import type { RecordKeys } from '../../../storage/database/keys'
import type { MeasurementsTable } from '../../../storage/database/schema/runs'
import type { SortValues } from '../../../storage/database/sorted-page'
import { createSharedRunFilters, isOfProcedures, isOperatedBy } from '../filter-store'
import {
  findRecord,
  findRecordCondition,
  isOneOfRecords,
  isOneOfRows,
  isRunOfRecords,
  selectRecordPage,
  type RowPage,
} from '../record-store'
import { isFinalAttempt, joinPhases } from '../phase-query-store'

const SHORT_COLUMNS = [
  'measurements.run_id',
  'measurements.id',
  'measurements.phase_id',
  'measurements.definition_id',
  'measurements.outcome',
  'measurements.value_type',
  'measurements.number_value',
  'measurements.limit_low',
  'measurements.limit_high',
] as const

/** Without the texts that may be long. */
function selectMeasurements(query: Query) {
  return joinPhases(query)
    .innerJoin('measurements', (join) =>
      join
        .onRef('measurements.run_id', '=', 'phases.run_id')
        .onRef('measurements.phase_id', '=', 'phases.id'),
    )
    .innerJoin('definitions', 'definitions.id', 'measurements.definition_id')
    .select(SHORT_COLUMNS)
    .select(['definitions.name', 'definitions.unit_of_measure'])
    .select(['phase_definitions.name as phase_name', 'phases.started_at_us'])
    .select(['phases.retry_count', 'phases.is_final_attempt'])
    .select(['runs.public_id as run_public_id', 'runs.outcome as run_outcome'])
    .select(['units.serial_number', 'units.sample'])
    .select(['procedures.public_id as procedure_public_id', 'procedures.name as procedure_name'])
}

const SORT_VALUES: SortValues<ListMeasurementsQuery['sort_by']> = {
  started_at: 'phases.started_at_us',
  // What is no number comes before all numbers.
  value: sql`COALESCE(measurements.number_value, -1.7976931348623157e308)`,
  outcome: 'measurements.outcome',
  serial_number: 'units.serial_number_folded',
  phase_name: 'phase_definitions.name',
  measurement_name: 'definitions.name',
}

/** Bytes, in the order of the rows. SQLite need not read the texts, because only columns are measured. */
export async function measureTexts(query: Query, rows: readonly RecordKeys[]): Promise<number[]> {
  if (rows.length === 0) return []
  const bytesOfText = sql`CASE WHEN value_type = 'string' THEN octet_length(text_value) ELSE 0 END`
  const measured = await query
    .selectFrom('measurements')
    .select('id')
    .select(sql<number>`coalesce(${bytesOfText}, 0) + coalesce(octet_length(detail), 0)`.as('bytes'))
    .where(isOneOfRows('measurements', rows))
    .execute()
  const bytes = new Map(measured.map((row) => [row.id, Number(row.bytes)]))
  return rows.map(({ id }) => bytes.get(id) ?? 0)
}

export type MeasurementTexts = Pick<MeasurementsTable, 'text_value' | 'detail'>

/** By key: values of other types are only in their runs. */
export async function listTexts(
  query: Query,
  rows: readonly RecordKeys[],
): Promise<Map<number, MeasurementTexts>> {
  if (rows.length === 0) return new Map()
  const texts = await query
    .selectFrom('measurements')
    .select(['id', 'detail'])
    .select(sql<string | null>`CASE WHEN value_type = 'string' THEN text_value END`.as('text_value'))
    .where(isOneOfRows('measurements', rows))
    .execute()
  return new Map(texts.map(({ id, ...row }) => [id, row]))
}

/** In the requested order, after the cursor, and one more than `limit` if there are more; without texts. */
export async function listMeasurementRows(query: Query, list: ListMeasurementsQuery) {
  return selectRecordPage(query, selectMeasurements(query), {
    table: 'measurements',
    sortValues: SORT_VALUES,
    runFilters: createRunFilters(list),
    filters: createMeasurementFilters(list),
    list,
    findCondition: (key) => findRecordCondition(query, 'measurements', key),
  })
}

export type MeasurementListRow = Awaited<ReturnType<typeof listMeasurementRows>>[number]

function createRunFilters(list: ListMeasurementsQuery): Expression<SqlBool>[] {
  return [
    ...isOfProcedures([list.procedure_id]),
    ...createSharedRunFilters(list),
    ...isOperatedBy(list.operated_by_ids),
    ...isRunOfRecords('measurements', list.ids),
    ...isOneOf('runs.outcome', list.outcomes),
    ...isBetween('runs.duration_us', durationUs(list.duration_min), durationUs(list.duration_max)),
  ]
}

function createMeasurementFilters(list: ListMeasurementsQuery): Expression<SqlBool>[] {
  const single = (name: string | undefined) => (name === undefined ? undefined : [name])
  return [
    ...isOneOf('units.sample', list.samples),
    ...isOneOf('phase_definitions.name', single(list.phase_name)),
    ...isOneOf('phase_definitions.name', list.phase_names),
    ...isOneOf('definitions.name', single(list.measurement_name)),
    ...isOneOfRecords('measurements', list.ids),
    ...isBetween('phases.started_at_us', timeUs(list.started_after), timeUs(list.started_before)),
    ...isFinalAttempt(list),
    ...createValueFilters(list),
  ]
}

function createValueFilters(list: ListMeasurementsQuery): Expression<SqlBool>[] {
  const isNumeric = list.value_min !== undefined || list.value_max !== undefined
  return [
    ...(isNumeric ? isOneOf('measurements.value_type', ['numeric']) : []),
    ...isBetween('measurements.number_value', list.value_min, list.value_max),
    ...(list.value_bool === undefined
      ? []
      : [
          sql<SqlBool>`measurements.value_type = 'boolean' AND measurements.number_value = ${list.value_bool ? 1 : 0}`,
        ]),
    ...(list.value_strings?.length ? isOneOf('measurements.value_type', ['string']) : []),
    ...isOneOf('measurements.text_value', list.value_strings),
    ...isOneOf('measurements.outcome', list.measurement_outcomes),
    ...isOneOf('measurements.value_type', list.measurement_types),
  ]
}

const MAX_VALUE_BYTES = 1_000
const MAX_DETAIL_BYTES = 16 * 1024
const HAS_LONG_VALUE = sql<SqlBool>`coalesce(octet_length(text_value), 0) > ${sql.lit(MAX_VALUE_BYTES)}`
const HAS_LONG_DETAIL = sql<SqlBool>`coalesce(octet_length(detail), 0) > ${sql.lit(MAX_DETAIL_BYTES)}`
/** Only its detail says what was measured. */
const HAS_LONG_SERIES = sql<SqlBool>`(number_value IS NULL AND text_value IS NULL AND ${HAS_LONG_DETAIL})`

/** For the list of failures: a long value is cut to a text. */
export async function listCutMeasurements(
  query: Query,
  { runId, phaseIds, limit }: { runId: number; phaseIds: readonly number[]; limit: number },
): Promise<MeasurementRow[]> {
  if (phaseIds.length === 0) return []
  return query
    .selectFrom('measurements')
    .innerJoin('definitions', 'definitions.id', 'measurements.definition_id')
    .select(SHORT_COLUMNS.filter((column) => column !== 'measurements.value_type'))
    .select(['definitions.name', 'definitions.unit_of_measure'])
    .select([
      sql<MeasurementRow['value_type']>`CASE WHEN ${HAS_LONG_VALUE} OR ${HAS_LONG_SERIES}
        THEN 'string' ELSE value_type END`.as('value_type'),
      sql<string | null>`CASE WHEN ${HAS_LONG_SERIES} THEN 'values too long for a list'
        ELSE substr(text_value, 1, ${sql.lit(MAX_VALUE_BYTES)}) END`.as('text_value'),
      sql<string | null>`CASE WHEN NOT ${HAS_LONG_DETAIL} THEN detail END`.as('detail'),
    ])
    .where('measurements.run_id', '=', runId)
    .where('measurements.phase_id', 'in', phaseIds)
    .orderBy('measurements.id')
    .limit(limit)
    .execute()
}

export async function findMeasurement(query: Query, id: string) {
  const all = selectMeasurements(query).select(['measurements.text_value', 'measurements.detail'])
  return findRecord(all, { table: 'measurements', id })
}

/** By run key, without phases that were repeated. */
export async function countOutsideLimits(
  query: Query,
  runIds: readonly number[],
): Promise<Map<number, number>> {
  if (runIds.length === 0) return new Map()
  const rows = await query
    .selectFrom('measurements')
    .innerJoin('phases', (join) =>
      join
        .onRef('phases.run_id', '=', 'measurements.run_id')
        .onRef('phases.id', '=', 'measurements.phase_id'),
    )
    .select(['measurements.run_id', (each) => each.fn.countAll<number>().as('count')])
    .where('measurements.run_id', 'in', runIds)
    .where('phases.is_final_attempt', '=', 1)
    .where(IS_OUTSIDE_LIMITS)
    .groupBy('measurements.run_id')
    .execute()
  return new Map(rows.map(({ run_id: id, count }) => [id, Number(count)]))
}

/** Word for word as in the index `measurements_outside_limits`, so that the database uses it. */
const IS_OUTSIDE_LIMITS = sql<SqlBool>`(measurements.outcome = 'FAIL' OR measurements.number_value < measurements.limit_low
  OR measurements.number_value > measurements.limit_high)`

export async function listMeasurements(
  query: Query,
  runIds: readonly number[],
  { after = 0, limit, phaseIds }: RowPage & { phaseIds?: readonly number[] } = {},
) {
  return query
    .selectFrom('measurements')
    .innerJoin('definitions', 'definitions.id', 'measurements.definition_id')
    .selectAll('measurements')
    .select(['definitions.name', 'definitions.unit_of_measure'])
    .where('measurements.run_id', 'in', runIds)
    .where('measurements.id', '>', after)
    .$call((rows) => (phaseIds === undefined ? rows : rows.where('measurements.phase_id', 'in', phaseIds)))
    .orderBy('measurements.run_id')
    .orderBy('measurements.id')
    .$call((rows) => (limit === undefined ? rows : rows.limit(limit)))
    .execute()
}

export type MeasurementRow = Awaited<ReturnType<typeof listMeasurements>>[number]
