import type { MetadataCondition, MetadataFilter } from '@runledger/protocol'
import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import { containsTyped } from '../database/conditions'

/** Whose metadata: the tables that have it, their column for the owner, and the owner's key in the list. */
export interface MetadataOwner {
  tables: RawBuilder<unknown>
  ownerColumn: 'run_id' | 'unit_id'
  ownerKey: 'runs.id' | 'units.id'
  /** Where the table can be searched by it: the digest of a name with a value. */
  digest?: (name: string, value: string) => string
}

/** Conditions on the owner, one for each name that is filtered by. */
export function createMetadataFilters(
  owner: MetadataOwner,
  filter: MetadataFilter | undefined,
): Expression<SqlBool>[] {
  return Object.entries(filter ?? {}).map(([name, condition]) => nameFilter(owner, name, condition))
}

function nameFilter(owner: MetadataOwner, name: string, condition: MetadataCondition): Expression<SqlBool> {
  const { digest, tables } = owner
  const conditions = sql.join([sql`name = ${name}`, ...valueConditions(condition)], sql` AND `)
  const ownerColumn = sql.ref(owner.ownerColumn)
  const ownerKey = sql.ref(owner.ownerKey)
  if (digest && condition.in?.length) {
    const digests = condition.in.map((value) => digest(name, value))
    return sql<SqlBool>`${ownerKey} IN (SELECT ${ownerColumn} FROM ${tables}
      WHERE digest IN (${sql.join(digests)}) AND ${conditions})`
  }
  return sql<SqlBool>`EXISTS (SELECT 1 FROM ${tables} WHERE ${ownerColumn} = ${ownerKey} AND ${conditions})`
}

function valueConditions({ eq, in: values, contains, ...limits }: MetadataCondition): Expression<SqlBool>[] {
  return [
    ...(typeof eq === 'boolean'
      ? [sql<SqlBool>`value_type = 'boolean' AND text_value = ${String(eq)}`]
      : compareNumber('=', eq)),
    ...(values === undefined ? [] : [isOneOfTexts(values)]),
    ...(contains === undefined ? [] : [containsTyped('text_value', contains)]),
    ...compareNumber('>=', limits.gte),
    ...compareNumber('<=', limits.lte),
    ...compareNumber('>', limits.gt),
    ...compareNumber('<', limits.lt),
  ]
}

function compareNumber(operator: string, value: number | undefined): Expression<SqlBool>[] {
  if (value === undefined) return []
  return [sql<SqlBool>`value_type = 'number' AND number_value ${sql.raw(operator)} ${value}`]
}

function isOneOfTexts(values: readonly string[]): Expression<SqlBool> {
  return values.length > 0 ? sql<SqlBool>`text_value IN (${sql.join(values)})` : sql<SqlBool>`1 = 0`
}
