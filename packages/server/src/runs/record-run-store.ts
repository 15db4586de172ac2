import { foldIdentifier } from '@runledger/protocol'
import { type Expression, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import { allOf, anyOf, isOneOf } from '../database/conditions'
import type { Query } from '../database/database'
import { type DerivedKind, parseDerivedUuid } from '../database/derived-uuid'

// Tables of records of runs, and the kind that the records' ids are of.
const KIND_OF = {
  phases: 'phase',
  measurements: 'measurement',
  run_logs: 'log',
} as const satisfies Record<string, DerivedKind>

type RecordTable = keyof typeof KIND_OF

// Runs whose creation may have overlapped in time with that of the record's run.
const NEAREST_RUNS = 200

/** The record with this id out of those that `select` selects; undefined when there is none. */
export async function findRecord<Tables, Names extends keyof Tables, Row>(
  query: Query,
  select: SelectQueryBuilder<Tables, Names, Row>,
  { table, id }: { table: RecordTable; id: string },
) {
  const key = parseDerivedUuid(KIND_OF[table], id)
  const condition = key === undefined ? undefined : await findRecordCondition(query, table, key)
  return condition && select.where(condition).executeTakeFirst()
}

/** The condition that finds the record with this key; undefined when there is none. */
export async function findRecordCondition(
  query: Query,
  table: RecordTable,
  key: number,
): Promise<Expression<SqlBool> | undefined> {
  const runId = await findRunOfRecord(query, table, key)
  if (runId === undefined) return undefined
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return allOf([sql<SqlBool>`${column('run_id')} = ${runId}`, sql<SqlBool>`${column('id')} = ${key}`])
}

/**
 * Key of the run that a record of a run belongs to. Tables of such records are found by run first, and have no index
 * on the record's key: keys are made in the order of time, the run's right before those of its records.
 */
async function findRunOfRecord(query: Query, table: RecordTable, key: number): Promise<number | undefined> {
  const { rows } = await sql<{ run_id: number }>`SELECT run_id FROM ${sql.table(table)} WHERE id = ${key}
    AND run_id IN (SELECT id FROM runs WHERE id < ${key} ORDER BY id DESC LIMIT ${NEAREST_RUNS})`.execute(
    query,
  )
  return rows[0]?.run_id
}

/** Records by their own ids, or all those of runs by the runs' ids. */
export function isOneOfRecords(
  table: RecordTable,
  ids: readonly string[] | undefined,
): Expression<SqlBool>[] {
  if (!ids?.length) return []
  const keys = ids.map((id) => parseDerivedUuid(KIND_OF[table], id)).filter((key) => key !== undefined)
  return [
    anyOf([
      ...isOneOf('runs.public_id', ids.map(foldIdentifier)),
      ...(keys.length > 0 ? [sql<SqlBool>`${sql.ref(`${table}.id`)} IN (${sql.join(keys)})`] : []),
    ]),
  ]
}
