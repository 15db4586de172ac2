import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Query } from '../../../storage/database/database'
import { groupBy } from '../../../storage/database/rows'
import type { PhaseAttemptsTable, PhasesTable } from '../../../storage/database/schema/runs'
import { ROW_LENGTH, type RowPage } from '../record-store'
import { IS_STEP } from '../phase-query-store'
const IS_SKIPPED = sql<SqlBool>`phases.kind = 'skipped'`

export const HEAD_COLUMNS = [
  'run_id',
  'id',
  'outcome',
  'started_at_us',
  'duration_us',
  'retry_count',
  'docstring',
  'kind',
] as const

type PhaseHead = Pick<PhasesTable, (typeof HEAD_COLUMNS)[number]> & { name: string }

export interface TestFactRows {
  place: PlaceRow | undefined
  /** With a description, it is the type of an annotation. */
  tags: readonly TagRow[]
  attempts: readonly PhaseAttemptsTable[]
  errors: readonly ErrorRow[]
}

const NO_FACTS: TestFactRows = { place: undefined, tags: [], attempts: [], errors: [] }

export type PhaseRow = PhaseHead & TestFactRows

interface PhasesPage extends RowPage {
  only?: 'steps' | 'skipped'
}

/** Tests that did not run come last. A page is shorter when phases say much about their tests, but has at least one. */
export async function listPhases(
  query: Query,
  runIds: readonly number[],
  { after = 0, limit, only }: PhasesPage = {},
): Promise<PhaseRow[]> {
  const rows = await query
    .selectFrom('phases')
    .innerJoin('definitions', 'definitions.id', 'phases.definition_id')
    .select(HEAD_COLUMNS.map((column) => `phases.${column}` as const))
    .select('definitions.name')
    .where('phases.run_id', 'in', runIds)
    .where('phases.id', '>', after)
    .$call((all) => (only ? all.where(only === 'steps' ? IS_STEP : IS_SKIPPED) : all))
    .orderBy('phases.run_id')
    .orderBy('phases.id')
    .$call((all) => (limit === undefined ? all : all.limit(limit)))
    .execute()
  const lengths = await measureTestFacts(query, rows)
  if (lengths.size === 0) return rows.map((row) => ({ ...row, ...NO_FACTS }))
  return addTestFacts(query, limit === undefined ? rows : takeFirst(rows, lengths))
}

export async function findRunsWithSkipped(query: Query, runIds: readonly number[]): Promise<Set<number>> {
  const rows = await query
    .selectFrom('phases')
    .select('run_id')
    .distinct()
    .where('run_id', 'in', runIds)
    .where(IS_SKIPPED)
    .execute()
  return new Set(rows.map(({ run_id: id }) => id))
}

type PhaseKeys = Pick<PhaseHead, 'run_id' | 'id'>

export async function addTestFacts<Row extends PhaseKeys>(
  query: Query,
  rows: readonly Row[],
): Promise<(Row & TestFactRows)[]> {
  if (rows.length === 0) return []
  const range = rangeOf(rows)
  const byPhase = <Fact extends { phase_id: number }>(facts: readonly Fact[]) =>
    groupBy(facts, ({ phase_id: id }) => id)
  const [places, tags, attempts, errors] = await Promise.all([
    listPlaces(query, range).then((all) => new Map(all.map((place) => [place.id, place]))),
    listTags(query, range).then(byPhase),
    listAttempts(query, range).then(byPhase),
    listErrors(query, range).then(byPhase),
  ])
  return rows.map((row) => ({
    ...row,
    place: places.get(row.id),
    tags: tags.get(row.id) ?? [],
    attempts: attempts.get(row.id) ?? [],
    errors: errors.get(row.id) ?? [],
  }))
}

interface PhaseRange {
  runIds: readonly number[]
  first: number
  last: number
}

function rangeOf(rows: readonly PhaseKeys[]): PhaseRange {
  const runIds = [...new Set(rows.map(({ run_id: id }) => id))]
  const [first, last] = rows.reduce(
    ([low, high], { id }) => [Math.min(low, id), Math.max(high, id)],
    [Infinity, 0],
  )
  return { runIds, first, last }
}

const HAS_PLACE = sql<SqlBool>`(coalesce(parent_index, file_id, owner_id, worker, more_errors) IS NOT NULL
  OR snippet IS NOT NULL)`

/** Where tests are declared, their owners, and their workers. */
async function listPlaces(query: Query, { runIds, first, last }: PhaseRange) {
  return query
    .selectFrom('phases')
    .leftJoin('definitions as files', 'files.id', 'phases.file_id')
    .leftJoin('definitions as owners', 'owners.id', 'phases.owner_id')
    .select(['phases.id', 'phases.parent_index', 'phases.line', 'phases.column_number', 'phases.more_errors'])
    .select(['phases.worker', 'phases.snippet', 'files.name as file', 'owners.name as owner'])
    .where('phases.run_id', 'in', runIds)
    .where((is) => is.between('phases.id', first, last))
    .where(HAS_PLACE)
    .execute()
}

export type PlaceRow = Awaited<ReturnType<typeof listPlaces>>[number]

async function listErrors(query: Query, { runIds, first, last }: PhaseRange) {
  return query
    .selectFrom('phase_errors')
    .innerJoin('errors', 'errors.id', 'phase_errors.error_id')
    .innerJoin('error_groups', 'error_groups.id', 'errors.group_id')
    .select(['phase_errors.phase_id', 'phase_errors.attempt'])
    .select(['error_groups.fingerprint', 'errors.message', 'errors.stack'])
    .select(['errors.file', 'errors.line', 'errors.column_number'])
    .select(['errors.expected', 'errors.actual', 'errors.diff', 'errors.snippet'])
    .where('phase_errors.run_id', 'in', runIds)
    .where((is) => is.between('phase_errors.phase_id', first, last))
    .orderBy('phase_errors.run_id')
    .orderBy('phase_errors.phase_id')
    .orderBy('phase_errors.attempt')
    .orderBy('phase_errors.position')
    .execute()
}

export type ErrorRow = Awaited<ReturnType<typeof listErrors>>[number]

async function listAttempts(query: Query, { runIds, first, last }: PhaseRange) {
  return query
    .selectFrom('phase_attempts')
    .selectAll()
    .where('run_id', 'in', runIds)
    .where((is) => is.between('phase_id', first, last))
    .orderBy('run_id')
    .orderBy('phase_id')
    .orderBy('attempt')
    .execute()
}

async function listTags(query: Query, { runIds, first, last }: PhaseRange) {
  return query
    .selectFrom('phase_tags')
    .innerJoin('definitions', 'definitions.id', 'phase_tags.tag_id')
    .select(['phase_tags.phase_id', 'phase_tags.description', 'definitions.name'])
    .where('run_id', 'in', runIds)
    .where((is) => is.between('phase_id', first, last))
    .orderBy('run_id')
    .orderBy('phase_id')
    .orderBy('position')
    .execute()
}

export type TagRow = Awaited<ReturnType<typeof listTags>>[number]

// Characters that each fact counts for beside its texts.
const LEAST_LENGTH = 100
const MAX_PAGE_LENGTH = 500_000

function selectLengths(isWanted: RawBuilder<SqlBool>) {
  return sql<{ run_id: number; phase_id: number; length: number }>`(
    SELECT run_id, phase_id, text_length + ${sql.lit(LEAST_LENGTH)} AS length
      FROM phase_errors JOIN errors ON errors.id = error_id WHERE ${isWanted}
    UNION ALL SELECT run_id, phase_id, length(name) + coalesce(length(description), 0) + ${sql.lit(LEAST_LENGTH)}
      FROM phase_tags JOIN definitions ON definitions.id = tag_id WHERE ${isWanted}
    UNION ALL SELECT run_id, phase_id, ${sql.lit(LEAST_LENGTH)} FROM phase_attempts WHERE ${isWanted}
    UNION ALL SELECT run_id, phase_id, coalesce(length(snippet), 0) + ${sql.lit(LEAST_LENGTH)}
      FROM (SELECT run_id, id AS phase_id, snippet FROM phases WHERE ${HAS_PLACE}) AS places WHERE ${isWanted})`
}

async function measureTestFacts(query: Query, rows: readonly PhaseKeys[]): Promise<Map<number, number>> {
  if (rows.length === 0) return new Map()
  const { runIds, first, last } = rangeOf(rows)
  const isWanted = sql<SqlBool>`run_id IN (${sql.join(runIds)}) AND phase_id BETWEEN ${first} AND ${last}`
  const lengths = await query
    .selectFrom(selectLengths(isWanted).as('facts'))
    .select((select) => ['phase_id', select.fn.sum<number>('length').as('length')])
    .groupBy('phase_id')
    .execute()
  return new Map(lengths.map(({ phase_id: id, length }) => [id, Number(length)]))
}

function takeFirst<Row extends PhaseKeys>(
  rows: readonly Row[],
  lengths: ReadonlyMap<number, number>,
): readonly Row[] {
  let total = 0
  const tooMany = rows.findIndex(({ id }) => (total += lengths.get(id) ?? 0) > MAX_PAGE_LENGTH)
  return tooMany < 0 ? rows : rows.slice(0, Math.max(tooMany, 1))
}

export async function countTestFacts(query: Query, runIds: readonly number[]): Promise<Map<number, number>> {
  if (runIds.length === 0) return new Map()
  const counts = await query
    .selectFrom(selectLengths(sql<SqlBool>`run_id IN (${sql.join(runIds)})`).as('facts'))
    .select((select) => ['run_id', select.fn.sum<number>('length').as('length')])
    .groupBy('run_id')
    .execute()
  return new Map(counts.map(({ run_id: id, length }) => [id, Math.ceil(Number(length) / ROW_LENGTH)]))
}

const MAX_FIRST_ERROR = 1_000

export async function listFirstErrors(query: Query, runIds: readonly number[]): Promise<Map<number, string>> {
  if (runIds.length === 0) return new Map()
  const rows = await query
    .selectFrom('runs')
    .innerJoin('errors', 'errors.id', 'runs.first_error_id')
    .select(['runs.id', sql<string>`substr(errors.message, 1, ${sql.lit(MAX_FIRST_ERROR)})`.as('message')])
    .where('runs.id', 'in', runIds)
    .execute()
  return new Map(rows.map(({ id, message }) => [id, message]))
}
