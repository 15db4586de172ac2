import { foldIdentifier } from '@runledger/protocol'
import {
  type BinaryOperationNode,
  OperatorNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  type RawBuilder,
  sql,
  type SqlBool,
} from 'kysely'
import { anyOf, isLike, likeContaining } from '../conditions'
import type { Engine } from '../engine'

/** PostgreSQL accepts no empty list after IN. */
class EmptyListsCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand: list } = node
    const isEmpty = PrimitiveValueListNode.is(list) && list.values.length === 0
    if (!isEmpty || !OperatorNode.is(operator)) return super.visitBinaryOperation(node)
    this.append(operator.operator === 'in' ? 'false' : 'true')
  }
}

export const POSTGRES: Engine = {
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (query) => new PostgresIntrospector(query),
    createQueryCompiler: () => new EmptyListsCompiler(),
  },
  // A subquery would become a join, and the planner tries no other order of more than eight tables.
  isIn: (value, list) => sql`${value} = ANY(${arrayOf(list)})`,
  // IN would become a join, for which all rows are read.
  isSelected: (key, keys) => sql`${key} = ANY(ARRAY(${keys}))`,
  withoutIndex: (column) => sql.ref(column),
  eachOf: (list, name) => sql`(SELECT value, place - 1 AS key
    FROM ${entriesOf(list)} WITH ORDINALITY AS entries (value, place)) AS ${sql.id(name)}`,
  firstsOfEach: (list, select) => sql`${entriesOf(list)} AS owners (value)
    CROSS JOIN LATERAL (SELECT key AS value FROM (${select(sql.ref('owners.value'))}) AS selected) AS firsts`,
  listOfGroup: (value) => sql`json_agg(${value})::text`,
  // Without a row the group is null.
  objectOfGroup: (name, value) => sql`coalesce(json_object_agg(${name}, ${value})::text, '{}')`,
  rowOf: (table) => sql.ref(`${table}.ctid`),
  numberOf: (table) => sql.ref(`${table}.id`),
  selectRecordsWith: (text) => sql`SELECT id FROM units WHERE ${hasText(sql`serial_number_folded`, text)}
    UNION ALL SELECT id FROM parts WHERE ${hasText(sql`number_folded`, text)}
    UNION ALL SELECT id FROM procedures
      WHERE ${anyOf([hasText(sql`name_folded`, text), hasText(sql`identifier_folded`, text)])}
    UNION ALL SELECT id FROM metadata_values WHERE ${IS_SEARCHED} AND ${hasText(folded('text_value'), text)}`,
  selectErrorsWith: (text) => sql`SELECT id FROM errors WHERE ${hasText(SEARCHED_MESSAGE, text)}`,
  errorIndexHint: () => [],
  selectTablesWithKeys: sql`SELECT keys.table_name AS name, keys.column_name AS first
    FROM information_schema.table_constraints AS constraints
    JOIN information_schema.key_column_usage AS keys USING (constraint_schema, constraint_name)
    WHERE constraint_type = 'PRIMARY KEY' AND constraint_schema = current_schema()
      AND keys.ordinal_position = 1 AND keys.column_name IN ('id', 'run_id')
      AND EXISTS (SELECT 1 FROM information_schema.columns AS ids
        WHERE ids.table_schema = constraint_schema AND ids.table_name = keys.table_name AND ids.column_name = 'id')`,
  selectSize: sql`SELECT pg_database_size(current_database()) AS bytes`,
}

function entriesOf(list: readonly unknown[]): RawBuilder<unknown> {
  const [first] = list
  if (typeof first === 'object') return sql`jsonb_array_elements(${JSON.stringify(list)}::jsonb)`
  return sql`unnest(${arrayOf(list)})`
}

function arrayOf(list: readonly unknown[]): RawBuilder<unknown> {
  return sql`${[...list]}::${sql.raw(typeof list[0] === 'string' ? 'text' : 'bigint')}[]`
}

/** The same expressions as in `storage/database/migrations/initial/search.ts`. */
const IS_SEARCHED = sql<SqlBool>`name IN ('file', 'project', 'framework', 'git_branch', 'git_commit', 'group')`
const SEARCHED_MESSAGE = sql<string>`lower(substr(message, 1, 2000) COLLATE "und-x-icu")`

/** Also folds letters that are not ASCII, which the collation "C" leaves as they are. */
function folded(column: string): RawBuilder<string> {
  return sql`lower(${sql.raw(column)} COLLATE "und-x-icu")`
}

/** Composed and decomposed, because texts are stored as they were sent. */
function hasText(column: RawBuilder<string | null>, text: string): RawBuilder<SqlBool> {
  const composed = foldIdentifier(text)
  const spellings = [...new Set([composed, composed.normalize('NFD')])]
  return sql<SqlBool>`${anyOf(spellings.map((one) => isLike(column, likeContaining(one))))}`
}
