import { foldIdentifier } from '@runledger/protocol'
import { type Expression, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import { anyOf, isOneOf } from '../database/conditions'
import type { Query } from '../database/database'
import { type DerivedKind, parseDerivedUuid, type RecordKeys } from '../database/derived-uuid'

// Tables of records of runs, and the kind that the records' ids are of.
const KIND_OF = {
  phases: 'phase',
  measurements: 'measurement',
  run_logs: 'log',
} as const satisfies Record<string, DerivedKind>

type RecordTable = keyof typeof KIND_OF

/** The record with this id out of those that `select` selects; undefined when there is none. */
export async function findRecord<Tables, Names extends keyof Tables, Row>(
  select: SelectQueryBuilder<Tables, Names, Row>,
  { table, id }: { table: RecordTable; id: string },
) {
  const keys = parseDerivedUuid(KIND_OF[table], id)
  return keys && select.where(hasKeys(table, keys)).executeTakeFirst()
}

/**
 * The condition that finds the record with this key; undefined when there is none. A run and its records have keys in a
 * row, so that the run before a record's key is the record's.
 */
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

/** Records by their own ids, or all those of runs by the runs' ids. */
export function isOneOfRecords(
  table: RecordTable,
  ids: readonly string[] | undefined,
): Expression<SqlBool>[] {
  if (!ids?.length) return []
  const conditions = parseIds(table, ids).map((keys) => hasKeys(table, keys))
  return [anyOf([...isOneOf('runs.public_id', ids.map(foldIdentifier)), ...conditions])]
}

/** The runs of these records, and the runs with these ids. */
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
