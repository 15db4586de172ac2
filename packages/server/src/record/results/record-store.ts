import { foldIdentifier } from '@runledger/protocol'
import { type Expression, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import { anyOf, isOneOf } from '../../storage/database/conditions'
import type { Query } from '../../storage/database/database'
import { type DerivedKind, parseDerivedUuid, type RecordKeys } from '../../storage/database/keys'
import { isInList } from '../../storage/database/rows'
import { findLastValues, selectPage, type SortedPage } from '../../storage/database/sorted-page'

// The kind is that of the records' ids.
const KIND_OF = {
  phases: 'phase',
  measurements: 'measurement',
  run_logs: 'log',
} as const satisfies Record<string, DerivedKind>

type RecordTable = keyof typeof KIND_OF

export interface RowPage {
  after?: number
  limit?: number
}

const LONG_TEXTS = {
  phases: ['docstring', 'snippet'],
  measurements: ['text_value', 'detail'],
  run_logs: ['message'],
} as const satisfies Record<RecordTable, readonly string[]>
/** In characters of long texts. */
export const ROW_LENGTH = 1_000

export async function countRows(
  query: Query,
  table: RecordTable,
  runIds: readonly number[],
): Promise<Map<number, number>> {
  const lengths = LONG_TEXTS[table].map((column) => sql`coalesce(length(${sql.ref(column)}), 0)`)
  const count = sql<number>`count(*) + sum(${sql.join(lengths, sql` + `)}) / ${sql.lit(ROW_LENGTH)}`
  const rows = await query
    .selectFrom(table)
    .select(['run_id', count.as('count')])
    .where('run_id', 'in', runIds)
    .groupBy('run_id')
    .execute()
  return new Map(rows.map(({ run_id: id, count: found }) => [id, Number(found)]))
}

/** `select` selects the candidates. */
export async function findRecord<Tables, Names extends keyof Tables, Row>(
  select: SelectQueryBuilder<Tables, Names, Row>,
  { table, id }: { table: RecordTable; id: string },
) {
  const keys = parseDerivedUuid(KIND_OF[table], id)
  return keys && select.where(hasKeys(table, keys)).executeTakeFirst()
}

/** A run and its records have consecutive keys, so the run is the last one before the record's key. */
export async function findRecordCondition(
  query: Query,
  table: RecordTable,
  key: number,
): Promise<Expression<SqlBool> | undefined> {
  const run = await query
    .selectFrom('runs')
    .select('id')
    .where('id', '<', key)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return run && hasKeys(table, { run_id: run.id, id: key })
}

function hasKeys(table: RecordTable, { run_id: runId, id }: RecordKeys): Expression<SqlBool> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql<SqlBool>`(${column('run_id')} = ${runId} AND ${column('id')} = ${id})`
}

export function isOneOfRows(table: RecordTable, rows: readonly RecordKeys[]): Expression<SqlBool> {
  return anyOf(rows.map((keys) => hasKeys(table, keys)))
}

export function isOneOfRecords(
  table: RecordTable,
  ids: readonly string[] | undefined,
): Expression<SqlBool>[] {
  if (!ids?.length) return []
  const conditions = parseIds(table, ids).map((keys) => hasKeys(table, keys))
  return [anyOf([...isOneOf('runs.public_id', ids.map(foldIdentifier)), ...conditions])]
}

export function isRunOfRecords(
  table: RecordTable,
  ids: readonly string[] | undefined,
): Expression<SqlBool>[] {
  if (!ids?.length) return []
  const ofRecords = parseIds(table, ids).map(({ run_id: runId }) => sql` UNION ALL SELECT ${runId}`)
  return [
    sql<SqlBool>`runs.id IN (SELECT id FROM runs WHERE public_id IN (${sql.join(ids.map(foldIdentifier))})
      ${sql.join(ofRecords, sql``)})`,
  ]
}

function parseIds(table: RecordTable, ids: readonly string[]): RecordKeys[] {
  return ids.map((id) => parseDerivedUuid(KIND_OF[table], id)).filter((keys) => keys !== undefined)
}

const FIRST_RUNS = 64
const GROWTH = 8

interface RecordPage<SortBy extends string> extends SortedPage<SortBy> {
  runFilters: readonly Expression<SqlBool>[]
}

/**
 * By time, it reads few runs: first those that could have the first records, then more, until no other could have one before the
 * page's last. So records need no index of their own.
 */
export async function selectRecordPage<
  Tables,
  Names extends keyof Tables,
  Row extends { id: number; started_at_us: number },
  SortBy extends string,
>(
  query: Query,
  select: SelectQueryBuilder<Tables, Names, Row>,
  { runFilters, ...page }: RecordPage<SortBy>,
): Promise<Row[]> {
  const { sort_by: sortBy, sort_order: order, limit } = page.list
  const all = { ...page, filters: [...runFilters, ...page.filters] }
  if (sortBy !== 'started_at') return selectPage(query, select, all)
  const [after] = (await findLastValues(query, select, all)) ?? []
  for (let count = FIRST_RUNS; ; count *= GROWTH) {
    const runs = await listRunsByPhases(query, {
      runFilters,
      order,
      after: after as number | undefined,
      count,
    })
    const next = runs[count]
    const keys = runs.slice(0, count).map(({ id }) => id)
    const isOfRuns = isInList(query, 'runs.id', keys)
    const rows = await selectPage(query, select, { ...page, filters: [isOfRuns, ...page.filters] })
    const last = rows[limit]
    if (next === undefined) return rows
    if (last && (order === 'desc' ? last.started_at_us > next.edge : last.started_at_us < next.edge))
      return rows
  }
}

interface RunsWanted {
  runFilters: readonly Expression<SqlBool>[]
  order: 'asc' | 'desc'
  /** When the last record of the page before began. */
  after: number | undefined
  count: number
}

/** Latest last phase first, or by the first phase; one more than `count` if there are more. */
async function listRunsByPhases(query: Query, { runFilters, order, after, count }: RunsWanted) {
  const [edge, otherEnd] =
    order === 'desc'
      ? (['last_phase_at_us', 'first_phase_at_us'] as const)
      : (['first_phase_at_us', 'last_phase_at_us'] as const)
  let select = runFilters
    .reduce((filtered, condition) => filtered.where(condition), query.selectFrom('live_runs as runs'))
    .select(['runs.id', sql<number>`${sql.ref(`runs.${edge}`)}`.as('edge')])
    .where(`runs.${edge}`, 'is not', null)
  if (after !== undefined) select = select.where(`runs.${otherEnd}`, order === 'desc' ? '<=' : '>=', after)
  return select
    .orderBy(`runs.${edge}`, order)
    .limit(count + 1)
    .execute()
}
