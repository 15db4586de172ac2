import { foldIdentifier } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { anyOf } from '../database/conditions'
import type { Query } from '../database/database'
import { isLike, likeContaining } from '../database/like'

// The search index knows texts by three characters each, where one beyond UTF-16's first 65536 is one.
const LEAST_INDEXED = 3
// So many records, or runs of them, are looked up at once. Of more, some are among the first runs of any list: then the
// list is read in its order until the page is full.
const MAX_RECORDS = 500
const MAX_RUNS = 2_000

// Report variables that the search looks into: where a run came from, as a person remembers it (migration 007).
const SEARCHED_VARIABLES = ['file', 'project', 'framework', 'git_branch', 'git_commit', 'group']

/**
 * Runs whose unit, part, procedure or place of origin has this text, without regard to case, and runs whose id begins with
 * it. Texts shorter than three characters are in no index: for them the different texts are read one by one.
 */
export async function createSearchFilter(query: Query, text: string): Promise<Expression<SqlBool>> {
  const folded = foldIdentifier(text)
  const records = await ([...folded].length < LEAST_INDEXED
    ? readRecords(query, text)
    : findRecords(query, folded))
  if (records.length > MAX_RECORDS) return hasText(text)
  const found = JSON.stringify(records)
  const runs = selectRunsOf(found, folded)
  const { rows } = await sql`SELECT 1 FROM (${runs}) LIMIT ${MAX_RUNS + 1}`.execute(query)
  return rows.length > MAX_RUNS ? isOf(found, folded) : sql<SqlBool>`runs.id IN (${runs})`
}

/** Keys of what has this text, by reading it all. */
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

/** Keys of what has this text: units, parts, procedures, entries of metadata. */
async function findRecords(query: Query, folded: string): Promise<number[]> {
  // Metadata are in the index as they were sent, which need not be the composed form.
  const spellings = [...new Set([folded, folded.normalize('NFD')])]
  const phrase = spellings.map((text) => `"${text.replaceAll('"', '""').replaceAll('\0', '')}"`).join(' OR ')
  const { rows } = await sql<{ id: number }>`SELECT rowid AS id FROM search_index
    WHERE search_index MATCH ${phrase} LIMIT ${MAX_RECORDS + 1}`.execute(query)
  return rows.map(({ id }) => id)
}

function selectRunsOf(records: string, folded: string) {
  const keys = sql`(SELECT value FROM json_each(${records}))`
  return sql`SELECT run_id AS id FROM run_metadata WHERE value_id IN ${keys}
    UNION ALL SELECT id FROM runs WHERE unit_id IN ${keys}
    UNION ALL SELECT id FROM runs WHERE procedure_id IN ${keys}
    UNION ALL SELECT id FROM runs WHERE revision_id IN (SELECT id FROM revisions WHERE part_id IN ${keys})
    UNION ALL SELECT id FROM runs WHERE public_id >= ${folded} AND public_id < ${`${folded}~`}`
}

function isOf(records: string, folded: string): Expression<SqlBool> {
  const keys = sql`(SELECT value FROM json_each(${records}))`
  return sql<SqlBool>`(runs.unit_id IN ${keys} OR runs.procedure_id IN ${keys}
    OR runs.revision_id IN (SELECT id FROM revisions WHERE part_id IN ${keys})
    OR (runs.public_id >= ${folded} AND runs.public_id < ${`${folded}~`})
    OR EXISTS (SELECT 1 FROM run_metadata WHERE run_metadata.run_id = runs.id AND +run_metadata.value_id IN ${keys}))`
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
        // SQLite folds the case of ASCII alone.
        isLike(sql.ref('metadata_values.text_value'), likeContaining(text.trim())),
      ])}))`
}
