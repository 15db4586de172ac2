import { foldIdentifier } from '@runledger/protocol'
import {
  type PrimitiveValueListNode,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Engine } from '../engine'

// `inChunks` splits longer lists.
const MOST_PADDED = 512

/**
 * Pads IN lists to a power of two by repeating the last value, so that there are few different statements to prepare. SQLite frees
 * a statement only at garbage collection.
 */
class PaddedInListCompiler extends SqliteQueryCompiler {
  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    const { values } = node
    const length = 2 ** Math.ceil(Math.log2(values.length))
    if (this.parentNode?.kind !== 'BinaryOperationNode' || length > MOST_PADDED)
      return super.visitPrimitiveValueList(node)
    const padding = Array.from({ length: length - values.length }, () => values.at(-1))
    super.visitPrimitiveValueList({ ...node, values: [...values, ...padding] })
  }
}

export const SQLITE: Engine = {
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (query) => new SqliteIntrospector(query),
    createQueryCompiler: () => new PaddedInListCompiler(),
  },
  isIn: (value, list) => sql`${value} IN (SELECT value FROM json_each(${JSON.stringify(list)}))`,
  isSelected: (key, keys) => sql`${key} IN (${keys})`,
  withoutIndex: (column) => sql`+${sql.ref(column)}`,
  eachOf: (list, name) => sql`json_each(${JSON.stringify(list)}) AS ${sql.id(name)}`,
  // SQLite has no LATERAL joins; an argument of json_each may refer to an earlier table.
  firstsOfEach: (list, select) => sql`json_each(${JSON.stringify(list)}) AS owners,
    json_each((SELECT json_group_array(key) FROM (${select(sql.ref('owners.value'))}))) AS firsts`,
  listOfGroup: (value) => sql`json_group_array(${value})`,
  objectOfGroup: (name, value) => sql`json_group_object(${name}, ${value})`,
  rowOf: (table) => sql.ref(`${table}.rowid`),
  numberOf: (table) => sql.ref(`${table}.rowid`),
  selectRecordsWith: (text) => sql`SELECT rowid AS id FROM search_index
    WHERE search_index MATCH ${matchPhrase(text)}`,
  selectErrorsWith: (text) =>
    sql`SELECT rowid AS id FROM error_search WHERE error_search MATCH ${matchPhrase(text)}`,
  // Uses the index by group, so that error texts are not read.
  errorIndexHint: (errors) => [
    sql`phase_errors.group_id IN (SELECT group_id FROM errors INDEXED BY errors_id_group WHERE id IN (${errors}))`,
  ],
  selectTablesWithKeys: sql`SELECT tables.name, columns.name AS first
    FROM pragma_table_list AS tables JOIN pragma_table_info(tables.name) AS columns
    WHERE tables.schema = 'main' AND tables.type = 'table' AND columns.pk = 1 AND columns.name IN ('id', 'run_id')
    AND EXISTS (SELECT 1 FROM pragma_table_info(tables.name) WHERE name = 'id')`,
  selectSize: sql`SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size`,
}

/** Searches both Unicode forms (NFC, NFD), because texts are stored unnormalised. */
function matchPhrase(text: string): string {
  const folded = foldIdentifier(text)
  const spellings = [...new Set([folded, folded.normalize('NFD')])]
  return spellings.map((one) => `"${one.replaceAll('"', '""').replaceAll('\0', '')}"`).join(' OR ')
}
