import type { MetadataValue } from '@runledger/protocol'
import { createHash } from 'node:crypto'
import { inChunks } from '../database/chunks'
import type { Query, Transaction } from '../database/database'
import { insertRows } from '../database/insert-rows'
import type { KeyGenerator } from '../database/key-generator'
import { metadataColumns } from './metadata-value'

export type MetadataEntry = readonly [name: string, value: MetadataValue]

/** What an entry of metadata is found by: its value may be too long for an index. */
export function digestMetadata(name: string, value: string): string {
  return createHash('sha256').update(`${name}\0${value}`).digest('base64url').slice(0, 22)
}

const LOOKUP_SIZE = 32
const LOOKUP = `SELECT id, digest, value_type FROM metadata_values
  WHERE digest IN (${Array.from({ length: LOOKUP_SIZE }, () => '?').join(', ')})`

/** Keys of these entries, in their order; those that are new are inserted. */
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

/** Keys of the entries of these runs, each once. */
export async function listValuesOfRuns(query: Query, runIds: readonly number[]): Promise<number[]> {
  const rows = await query
    .selectFrom('run_metadata')
    .select('value_id')
    .distinct()
    .where('run_id', 'in', runIds)
    .execute()
  return rows.map(({ value_id: id }) => id)
}

/** Deletes those of these entries that no run has any more: what was deleted shall be found nowhere. */
export async function deleteUnusedValues(query: Query, ids: readonly number[]): Promise<void> {
  for (const chunk of inChunks(ids)) {
    await query
      .deleteFrom('metadata_values')
      .where('id', 'in', chunk)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('run_metadata')
              .select('run_id')
              .whereRef('run_metadata.value_id', '=', 'metadata_values.id'),
          ),
        ),
      )
      .execute()
  }
}

interface SetMetadata {
  runId: number
  /** A name and its value; null removes the entry. */
  entry: readonly [name: string, value: MetadataValue | null]
}

/** Sets or removes an entry of a run's metadata: one that is replaced keeps its place, a new one comes last. */
export async function setRunMetadata(
  transaction: Transaction,
  nextKey: KeyGenerator,
  { runId, entry: [name, value] }: SetMetadata,
): Promise<void> {
  const { query } = transaction
  const entries = await query
    .selectFrom('run_metadata')
    .innerJoin('metadata_values', 'metadata_values.id', 'run_metadata.value_id')
    .select(['position', 'value_id', 'name'])
    .where('run_id', '=', runId)
    .orderBy('position')
    .execute()
  const known = entries.find((entry) => entry.name === name)
  if (known) {
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
