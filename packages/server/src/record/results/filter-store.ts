import { foldIdentifier, type ListRunsQuery, type runFilterFields } from '@runledger/protocol'
import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import {
  anyOf,
  durationUs,
  foldAscii,
  isBetween,
  isLike,
  isOneOf,
  likeContaining,
  timeUs,
} from '../../storage/database/conditions'
import type { Query } from '../../storage/database/database'
import { createMetadataFilters, digestMetadata, type MetadataOwner } from '../catalogue/metadata/store'

const RUN_METADATA: MetadataOwner = {
  tables: sql`run_metadata JOIN metadata_values ON metadata_values.id = run_metadata.value_id`,
  ownerColumn: 'run_id',
  ownerKey: 'runs.id',
  digest: digestMetadata,
}

type RunFilters = SharedRunFilter &
  Partial<
    Omit<ListRunsQuery, keyof SharedRunFilter | 'sort_by' | 'sort_order' | 'limit' | 'cursor' | 'metadata'>
  > & {
    branches?: string[] | undefined
    metadata?: Parameters<typeof createMetadataFilters>[1]
  }

export function createRunFilters(list: RunFilters): Expression<SqlBool>[] {
  return [
    ...createSharedRunFilters(list),
    ...isOneOf('runs.public_id', list.ids?.map(foldIdentifier)),
    ...isOneOf('runs.outcome', list.outcomes),
    ...refersTo(
      { column: 'runs.unit_id', select: 'SELECT id FROM units WHERE' },
      isOneOf('sample', list.samples),
    ),
    ...isOperatedBy(list.operated_by_ids),
    ...isOfProcedures(list.procedure_ids),
    ...isBetween('runs.duration_us', durationUs(list.duration_min), durationUs(list.duration_max)),
    ...isBetween('runs.started_at_us', timeUs(list.started_after), timeUs(list.started_before)),
    ...isBetween('runs.ended_at_us', timeUs(list.ended_after), timeUs(list.ended_before)),
    ...isBetween('runs.created_at_us', timeUs(list.created_after), timeUs(list.created_before)),
    ...createMetadataFilters(RUN_METADATA, list.metadata),
    ...(list.branches ? createMetadataFilters(RUN_METADATA, { git_branch: { in: list.branches } }) : []),
    ...hasErrors(list.error_fingerprints),
  ]
}

function hasErrors(fingerprints: readonly string[] | undefined): Expression<SqlBool>[] {
  const [isOne] = isOneOf('fingerprint', fingerprints?.map(foldIdentifier))
  if (!isOne) return []
  return [
    sql<SqlBool>`runs.id IN (SELECT run_id FROM phase_errors
      WHERE group_id IN (SELECT id FROM error_groups WHERE ${isOne}))`,
  ]
}

type SharedRunFilter = Partial<Omit<Pick<ListRunsQuery, keyof typeof runFilterFields>, 'samples'>>

/** Runs refer by key, so that an index in the order of the list finds them without joins. */
export function createSharedRunFilters(list: SharedRunFilter): Expression<SqlBool>[] {
  const isNumbered = (numbers: readonly string[] | undefined, column: string) =>
    isOneOf(column, numbers?.map(foldIdentifier))
  return [
    ...refersTo(
      { column: 'runs.version_id', select: 'SELECT id FROM procedure_versions WHERE' },
      isNumbered(list.procedure_versions, 'tag_folded'),
    ),
    ...isOneOf('runs.deployment_id', list.deployment_ids),
    // Environments are those of deployments, of which the service knows only ids.
    ...(list.environments?.length ? [sql<SqlBool>`1 = 0`] : []),
    ...refersTo(
      {
        column: 'runs.unit_id',
        select: 'SELECT id FROM units WHERE',
        isOne: list.serial_numbers?.length === 1,
      },
      isNumbered(list.serial_numbers, 'serial_number_folded'),
    ),
    ...refersTo(
      {
        column: 'runs.revision_id',
        select: 'SELECT revisions.id FROM revisions JOIN parts ON parts.id = revisions.part_id WHERE',
      },
      isNumbered(list.part_numbers, 'parts.number_folded'),
    ),
    ...refersTo(
      { column: 'runs.revision_id', select: 'SELECT id FROM revisions WHERE' },
      isNumbered(list.revision_numbers, 'number_folded'),
    ),
    ...refersTo(
      {
        column: 'runs.batch_id',
        select: 'SELECT id FROM batches WHERE',
        isOne: list.batch_numbers?.length === 1,
      },
      isNumbered(list.batch_numbers, 'number_folded'),
    ),
    ...refersTo(
      { column: 'runs.created_by_user_id', select: 'SELECT id FROM users WHERE' },
      isNumbered(list.created_by_user_ids, 'public_id'),
    ),
    ...refersTo(
      { column: 'runs.created_by_station_id', select: 'SELECT id FROM stations WHERE' },
      isNumbered(list.created_by_station_ids, 'public_id'),
    ),
  ]
}

export function isOperatedBy(userIds: readonly string[] | undefined): Expression<SqlBool>[] {
  const isUser = isOneOf('public_id', userIds?.map(foldIdentifier))
  return refersTo({ column: 'runs.operated_by_user_id', select: 'SELECT id FROM users WHERE' }, isUser)
}

export function isOfProcedures(sent: readonly string[] | undefined): Expression<SqlBool>[] {
  const procedures = sent?.map(foldIdentifier)
  if (!procedures?.length) return []
  const condition = anyOf([...isOneOf('public_id', procedures), ...isOneOf('identifier_folded', procedures)])
  return refersTo(
    {
      column: 'runs.procedure_id',
      select: 'SELECT id FROM procedures WHERE',
      isOne: procedures.length === 1,
    },
    [condition],
  )
}

interface Reference {
  column: string
  select: string
  /** At most one record: an index in the order of the list is then better than a set. */
  isOne?: boolean
}

function refersTo(
  { column, select, isOne = false }: Reference,
  [condition]: readonly Expression<SqlBool>[],
): Expression<SqlBool>[] {
  if (!condition) return []
  const keys = sql`${sql.raw(select)} ${condition}`
  return [
    isOne
      ? sql<SqlBool>`${sql.ref(column)} = (${keys} LIMIT 1)`
      : sql<SqlBool>`${sql.ref(column)} IN (${keys})`,
  ]
}

// The search index splits texts into three characters; one beyond UTF-16's first 65536 counts as one.
export const LEAST_INDEXED = 3
// More records have some of the first runs of any list: then the list is read in its order until the page is full.
const MAX_RECORDS = 500
const MAX_RUNS = 2_000

// As in the indexes (`storage/database/migrations/initial/search.ts`).
const SEARCHED_VARIABLES = ['file', 'project', 'framework', 'git_branch', 'git_commit', 'group']

/**
 * Searches units, parts, procedures and places of origin, without regard to case, and beginnings of run ids. Shorter texts are in
 * no index: the different texts are read one by one.
 */
export async function createSearchFilter(query: Query, text: string): Promise<Expression<SqlBool>> {
  const folded = foldIdentifier(text)
  const records = await ([...folded].length < LEAST_INDEXED
    ? readRecords(query, text)
    : findRecords(query, folded))
  if (records.length > MAX_RECORDS) return hasText(text)
  const isFound = (column: string) => query.engine.isIn(sql.raw(column), records)
  const runs = selectRunsOf(isFound, folded)
  const { rows } = await sql`SELECT 1 FROM (${runs}) AS found_runs LIMIT ${MAX_RUNS + 1}`.execute(query)
  if (rows.length <= MAX_RUNS) return sql<SqlBool>`runs.id IN (${runs})`
  const value = query.engine.withoutIndex('run_metadata.value_id')
  return isOf(isFound, query.engine.isIn(value, records), folded)
}

async function readRecords(query: Query, text: string): Promise<number[]> {
  const pattern = likeContaining(foldIdentifier(text))
  const has = (column: string) => isLike(sql.ref(column), pattern)
  const { rows } = await sql<{ id: number }>`SELECT id FROM units WHERE ${has('serial_number_folded')}
    UNION ALL SELECT id FROM parts WHERE ${has('number_folded')}
    UNION ALL SELECT id FROM procedures WHERE ${anyOf([has('name_folded'), has('identifier_folded')])}
    UNION ALL SELECT id FROM metadata_values WHERE name IN (${sql.join(SEARCHED_VARIABLES)})
      AND ${isLike(sql`lower(text_value)`, pattern)}
    LIMIT ${MAX_RECORDS + 1}`.execute(query)
  return rows.map(({ id }) => id)
}

/** Of units, parts, procedures and entries of metadata. */
async function findRecords(query: Query, folded: string): Promise<number[]> {
  const found = query.engine.selectRecordsWith(folded)
  const { rows } = await sql<{ id: number }>`${found} LIMIT ${MAX_RECORDS + 1}`.execute(query)
  return rows.map(({ id }) => id)
}

type IsFound = (column: string) => RawBuilder<SqlBool>

function selectRunsOf(isFound: IsFound, folded: string) {
  return sql`SELECT run_id AS id FROM run_metadata WHERE ${isFound('value_id')}
    UNION ALL SELECT id FROM runs WHERE ${isFound('unit_id')}
    UNION ALL SELECT id FROM runs WHERE ${isFound('procedure_id')}
    UNION ALL SELECT id FROM runs WHERE revision_id IN (SELECT id FROM revisions WHERE ${isFound('part_id')})
    UNION ALL SELECT id FROM runs WHERE public_id >= ${folded} AND public_id < ${`${folded}~`}`
}

/** `hasFound` holds for the found report variables among those of one run. */
function isOf(isFound: IsFound, hasFound: RawBuilder<SqlBool>, folded: string): Expression<SqlBool> {
  return sql<SqlBool>`(${isFound('runs.unit_id')} OR ${isFound('runs.procedure_id')}
    OR runs.revision_id IN (SELECT id FROM revisions WHERE ${isFound('part_id')})
    OR (runs.public_id >= ${folded} AND runs.public_id < ${`${folded}~`})
    OR EXISTS (SELECT 1 FROM run_metadata WHERE run_metadata.run_id = runs.id AND ${hasFound}))`
}

function hasText(text: string): Expression<SqlBool> {
  const folded = foldIdentifier(text)
  const pattern = likeContaining(folded)
  const has = (column: string) => isLike(sql.ref(column), pattern)
  return sql<SqlBool>`(runs.unit_id IN (SELECT id FROM units WHERE ${has('serial_number_folded')})
    OR runs.procedure_id IN (SELECT id FROM procedures
      WHERE ${anyOf([has('name_folded'), has('identifier_folded')])})
    OR runs.revision_id IN (SELECT revisions.id FROM revisions
      JOIN parts ON parts.id = revisions.part_id WHERE ${has('parts.number_folded')})
    OR (runs.public_id >= ${folded} AND runs.public_id < ${`${folded}~`})
    OR EXISTS (SELECT 1 FROM run_metadata
      JOIN metadata_values ON metadata_values.id = run_metadata.value_id
      WHERE run_metadata.run_id = runs.id AND metadata_values.name IN (${sql.join(SEARCHED_VARIABLES)})
      AND ${anyOf([
        isLike(sql`lower(metadata_values.text_value)`, pattern),
        // The database folds only ASCII.
        isLike(sql`lower(metadata_values.text_value)`, likeContaining(foldAscii(text.trim()))),
      ])}))`
}
