import type { MetadataCondition, MetadataType, MetadataValue } from '@runledger/protocol'
import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import { createHash } from 'node:crypto'
import { containsTyped } from '../../../storage/database/conditions'
import type { Query, Transaction } from '../../../storage/database/database'
import { inChunks, insertRows } from '../../../storage/database/rows'
import { type Facts, HiddenValue } from '../../access/audit/record-change'
import type { KeyGenerator } from '../../../storage/database/keys'

/** The tables that have the metadata, and the owner's column and key. */
export interface MetadataOwner {
  tables: RawBuilder<unknown>
  ownerColumn: 'run_id' | 'unit_id'
  ownerKey: 'runs.id' | 'units.id'
  /** Digest of a name with a value, if the table can be searched by it. */
  digest?: (name: string, value: string) => string
}

/** Conditions on the owner, one for each filtered name. */
export function createMetadataFilters(
  owner: MetadataOwner,
  filter: Readonly<Record<string, Partial<MetadataCondition>>> | undefined,
): Expression<SqlBool>[] {
  return Object.entries(filter ?? {}).map(([name, condition]) => nameFilter(owner, name, condition))
}

function nameFilter(
  owner: MetadataOwner,
  name: string,
  condition: Partial<MetadataCondition>,
): Expression<SqlBool> {
  const { digest, tables } = owner
  const conditions = sql.join([sql`name = ${name}`, ...valueConditions(condition)], sql` AND `)
  const ownerColumn = sql.ref(owner.ownerColumn)
  const ownerKey = sql.ref(owner.ownerKey)
  if (digest && condition.in?.length) {
    const digests = condition.in.map((value) => digest(name, value))
    return sql<SqlBool>`${ownerKey} IN (SELECT ${ownerColumn} FROM ${tables}
      WHERE digest IN (${sql.join(digests)}) AND ${conditions})`
  }
  // Not EXISTS, which PostgreSQL turns into a join: planning a hundred of them takes minutes.
  return sql<SqlBool>`(SELECT 1 FROM ${tables} WHERE ${ownerColumn} = ${ownerKey} AND ${conditions} LIMIT 1) IS NOT NULL`
}

function valueConditions({
  eq,
  in: values,
  contains,
  ...limits
}: Partial<MetadataCondition>): Expression<SqlBool>[] {
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

type MetadataEntry = readonly [name: string, value: MetadataValue]

/** Values may be too long for an index. */
export function digestMetadata(name: string, value: string): string {
  return createHash('sha256').update(`${name}\0${value}`).digest('base64url').slice(0, 22)
}

const LOOKUP_SIZE = 32
const LOOKUP = `SELECT id, digest, value_type FROM metadata_values
  WHERE digest IN (${Array.from({ length: LOOKUP_SIZE }, () => '?').join(', ')})`

/** In the order of the entries; new ones are inserted. */
export async function resolveMetadataValues(
  transaction: Transaction,
  entries: readonly MetadataEntry[],
  nextKey: KeyGenerator,
): Promise<number[]> {
  const wanted = entries.map(([name, value]) => {
    const columns = metadataColumns(value)
    return { name, ...columns, digest: digestMetadata(name, columns.text_value) }
  })
  const keys = new Map<string, number>()
  for (let from = 0; from < wanted.length; from += LOOKUP_SIZE) {
    const digests = wanted.slice(from, from + LOOKUP_SIZE).map(({ digest }) => digest)
    const padded = [...digests, ...Array<string>(LOOKUP_SIZE - digests.length).fill('')]
    const rows = await transaction.all<{ id: number; digest: string; value_type: string }>(LOOKUP, padded)
    for (const row of rows) keys.set(`${row.digest} ${row.value_type}`, row.id)
  }
  const rows: (string | number | null)[][] = []
  const ids = wanted.map(({ name, digest, value_type: type, text_value: text, number_value: number }) => {
    const known = keys.get(`${digest} ${type}`)
    if (known !== undefined) return known
    const id = nextKey()
    keys.set(`${digest} ${type}`, id)
    rows.push([id, name, digest, type, text, number])
    return id
  })
  const columns = ['id', 'name', 'digest', 'value_type', 'text_value', 'number_value']
  await insertRows(transaction, { table: 'metadata_values', columns, rows })
  return ids
}

export async function measureMetadata(
  query: Query,
  owner: 'runs' | 'units',
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const [column, tables] =
    owner === 'runs'
      ? [
          sql.ref('run_id'),
          sql`run_metadata JOIN metadata_values ON metadata_values.id = run_metadata.value_id`,
        ]
      : [sql.ref('unit_id'), sql`unit_metadata`]
  const { rows } = await sql<{ id: number; bytes: number }>`SELECT ${column} AS id,
      sum(octet_length(name) + octet_length(text_value)) AS bytes
    FROM ${tables} WHERE ${column} IN (${sql.join(ids)}) GROUP BY ${column}`.execute(query)
  return new Map(rows.map(({ id, bytes }) => [id, Number(bytes)]))
}

export async function listValuesOfRuns(query: Query, runIds: readonly number[]): Promise<number[]> {
  const rows = await query
    .selectFrom('run_metadata')
    .select('value_id')
    .distinct()
    .where('run_id', 'in', runIds)
    .execute()
  return rows.map(({ value_id: id }) => id)
}

export const HAS_NO_RUN = sql<SqlBool>`NOT EXISTS
  (SELECT 1 FROM run_metadata WHERE run_metadata.value_id = metadata_values.id)`

/** A search must not find deleted data. */
export async function deleteUnusedValues(query: Query, ids: readonly number[]): Promise<void> {
  for (const chunk of inChunks(ids)) {
    await query.deleteFrom('metadata_values').where('id', 'in', chunk).where(HAS_NO_RUN).execute()
  }
}

interface SetMetadata {
  runId: number
  /** Null removes the entry. */
  entry: readonly [name: string, value: MetadataValue | null]
  /** Called before an entry is replaced or removed. */
  checkReplaced: (name: string) => void
}

/** A replaced entry keeps its place; a new one comes last. */
export async function setRunMetadata(
  transaction: Transaction,
  nextKey: KeyGenerator,
  { runId, entry: [name, value], checkReplaced }: SetMetadata,
): Promise<void> {
  const { query } = transaction
  const entries = await query
    .selectFrom('run_metadata')
    .innerJoin('metadata_values', 'metadata_values.id', 'run_metadata.value_id')
    .select(['position', 'value_id', 'name', 'value_type', 'text_value'])
    .where('run_id', '=', runId)
    .orderBy('position')
    .execute()
  const known = entries.find((entry) => entry.name === name)
  if (known && value !== null && isSameValue(known, value)) return
  if (known) {
    checkReplaced(name)
    await query
      .deleteFrom('run_metadata')
      .where('run_id', '=', runId)
      .where('position', '=', known.position)
      .execute()
    await deleteUnusedValues(query, [known.value_id])
  }
  if (value === null) return
  const [valueId = 0] = await resolveMetadataValues(transaction, [[name, value]], nextKey)
  const position = known?.position ?? (entries.at(-1)?.position ?? -1) + 1
  await query.insertInto('run_metadata').values({ run_id: runId, position, value_id: valueId }).execute()
}

function isSameValue(
  known: Pick<MetadataColumns, 'value_type' | 'text_value'>,
  value: MetadataValue,
): boolean {
  const { value_type, text_value } = metadataColumns(value)
  return known.value_type === value_type && known.text_value === text_value
}

/** The text, the type, and for comparing the value of a number. */
interface MetadataColumns {
  value_type: MetadataType
  text_value: string
  number_value: number | null
}

export function metadataColumns(value: MetadataValue): MetadataColumns {
  return {
    value_type: typeof value as MetadataType,
    text_value: String(value),
    number_value: typeof value === 'number' ? value : null,
  }
}

function mapMetadataValue(row: MetadataColumns): MetadataValue {
  if (row.value_type === 'boolean') return row.text_value === 'true'
  return row.value_type === 'number' ? (row.number_value ?? Number(row.text_value)) : row.text_value
}

export function mapMetadata(
  rows: readonly (MetadataColumns & { name: string })[],
): Record<string, MetadataValue> {
  return Object.fromEntries(rows.map((row) => [row.name, mapMetadataValue(row)]))
}

/** For the audit log: values may be secrets. */
export function hideMetadata(rows: Parameters<typeof mapMetadata>[0]): Facts {
  return Object.fromEntries(rows.map((row) => [row.name, new HiddenValue(mapMetadataValue(row))]))
}
