import { type Expression, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { Query } from '../database/database'
import { findLastValues, selectPage, type SortedPage } from '../database/sorted-page'

const FIRST_RUNS = 64
const GROWTH = 8

interface RecordPage<SortBy extends string> extends SortedPage<SortBy> {
  /** Conditions on `runs` alone. */
  runFilters: readonly Expression<SqlBool>[]
}

/**
 * A page of records of runs. In the order of time it is read out of as few runs as it takes: the runs that could have the
 * first of them, then more, until no other run could have one before the page's last. Records need no index of their own.
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
    const keys = JSON.stringify(runs.slice(0, count).map(({ id }) => id))
    const isOfRuns = sql<SqlBool>`runs.id IN (SELECT value FROM json_each(${keys}))`
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
  /** When the record began that the page before ended with. */
  after: number | undefined
  count: number
}

/** Runs by their last phase, the latest first, or by their first phase; and one more than `count` when there are more. */
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
