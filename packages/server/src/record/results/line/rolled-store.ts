import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { US_PER_DAY } from '../../../base/clock'
import type { Query } from '../../../storage/database/database'
import type { YieldCounts } from './read-store'
import { COUNTS } from './yield-store'

/** Units of a part, a revision or a batch, or those that a station tested. */
export interface UnitsCounted {
  partId?: number | undefined
  revisionId?: number | undefined
  batchId?: number | undefined
  stationId?: number | undefined
}

function isCounted({ partId, revisionId, batchId, stationId }: UnitsCounted): RawBuilder<SqlBool> {
  const conditions = [
    ...(partId === undefined
      ? []
      : [sql<SqlBool>`revision_id IN (SELECT id FROM revisions WHERE part_id = ${partId})`]),
    ...(revisionId === undefined ? [] : [sql<SqlBool>`revision_id = ${revisionId}`]),
    ...(batchId === undefined ? [] : [sql<SqlBool>`batch_id = ${batchId}`]),
    ...(stationId === undefined ? [] : [sql<SqlBool>`station_id = ${stationId}`]),
  ]
  return sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`
}

export interface RolledRow extends YieldCounts {
  procedure_id: number
  other_units: number
  other_first_passed: number
}

/** For each procedure, since a time, without samples; of all other units too. */
export async function readRolledCounts(
  query: Query,
  units: UnitsCounted,
  fromUs: number,
): Promise<RolledRow[]> {
  const of = isCounted(units)
  const sums = COUNTS.map(
    (name) => sql`sum(CASE WHEN ${of} THEN ${sql.ref(name)} ELSE 0 END) AS ${sql.ref(name)}`,
  )
  const others = ['units', 'first_passed'].map(
    (name) => sql`sum(CASE WHEN ${of} THEN 0 ELSE ${sql.ref(name)} END) AS ${sql.ref(`other_${name}`)}`,
  )
  const { rows } = await sql<RolledRow>`SELECT procedure_id, ${sql.join([...sums, ...others])}
    FROM line_days WHERE day >= ${Math.floor(fromUs / US_PER_DAY)} AND is_sample = 0
    GROUP BY procedure_id HAVING sum(CASE WHEN ${of} THEN runs ELSE 0 END) > 0`.execute(query)
  return rows.map(
    (row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, Number(value)]),
      ) as unknown as RolledRow,
  )
}
