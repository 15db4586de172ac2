import { type CountedStep, countTests, type ListPhasesQuery, type TestCounts } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { anyOf, durationUs, isBetween, isOneOf, timeUs } from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import type { SortValues } from '../../../storage/database/sorted-page'
import { createSharedRunFilters, isOfProcedures, isOperatedBy } from '../filter-store'
import {
  findRecord,
  findRecordCondition,
  isOneOfRecords,
  isRunOfRecords,
  selectRecordPage,
} from '../record-store'
import { addTestFacts, HEAD_COLUMNS } from './fact-store'
import { IS_STEP, isFinalAttempt, joinPhases } from '../phase-query-store'

function selectPhases(query: Query) {
  return joinPhases(query)
    .selectAll('phases')
    .select('phase_definitions.name')
    .select(['runs.public_id as run_public_id', 'runs.outcome as run_outcome'])
    .select(['units.serial_number', 'units.sample'])
    .select(['procedures.public_id as procedure_public_id', 'procedures.name as procedure_name'])
}

const SORT_VALUES: SortValues<ListPhasesQuery['sort_by']> = {
  started_at: 'phases.started_at_us',
  duration: 'phases.duration_us',
  outcome: 'phases.outcome',
  serial_number: 'units.serial_number_folded',
  phase_name: 'phase_definitions.name',
}

const IS_FLAKY = sql<
  0 | 1
>`CASE WHEN phases.outcome = 'PASS' AND ${hasFailedBefore(sql.ref('phases.run_id'))} THEN 1 ELSE 0 END`

export async function listPhaseRows(query: Query, list: ListPhasesQuery) {
  return selectRecordPage(query, selectPhases(query).select(IS_FLAKY.as('is_flaky')), {
    table: 'phases',
    sortValues: SORT_VALUES,
    runFilters: createRunFilters(list),
    filters: createPhaseFilters(list),
    list,
    findCondition: (key) => findRecordCondition(query, 'phases', key),
  })
}

export type PhaseListRow = Awaited<ReturnType<typeof listPhaseRows>>[number]

function createRunFilters(list: ListPhasesQuery): Expression<SqlBool>[] {
  return [
    ...isOfProcedures([list.procedure_id]),
    ...createSharedRunFilters(list),
    ...isOperatedBy(list.operated_by_ids),
    ...isRunOfRecords('phases', list.ids),
    ...isOneOf('runs.outcome', list.run_outcomes),
  ]
}

function createPhaseFilters(list: ListPhasesQuery): Expression<SqlBool>[] {
  return [
    ...isOneOf('phase_definitions.name', list.names),
    ...isOneOf('phases.outcome', list.outcomes),
    ...isOneOfSamples(list.samples),
    ...isOneOfRecords('phases', list.ids),
    ...isBetween('phases.duration_us', durationUs(list.duration_min), durationUs(list.duration_max)),
    ...isBetween('phases.started_at_us', timeUs(list.started_after), timeUs(list.started_before)),
    ...isFinalAttempt(list),
  ]
}

function isOneOfSamples(samples: ListPhasesQuery['samples']): Expression<SqlBool>[] {
  if (!samples?.length) return []
  return [
    anyOf([
      ...isOneOf('units.sample', samples),
      ...(samples.includes('production') ? [sql<SqlBool>`units.sample IS NULL`] : []),
    ]),
  ]
}

export async function findPhase(query: Query, id: string) {
  const row = await findRecord(selectPhases(query), { table: 'phases', id })
  return row && (await addTestFacts(query, [row]))[0]
}

export const MAX_LISTED_MESSAGE = 1_000

/**
 * In the order sent, each with its index and the start of its error; of one that passed, the first error. Above the limit, failed
 * tests precede retried ones, and tests their steps.
 */
export async function listFailedOrRetriedSteps(query: Query, runId: number, limit: number) {
  const rows = await query
    .selectFrom((from) =>
      from
        .selectFrom('phases')
        .selectAll()
        .select(sql<number>`row_number() OVER (ORDER BY id) - 1`.as('position'))
        .where('run_id', '=', runId)
        .where(IS_STEP)
        .as('phases'),
    )
    .innerJoin('definitions', 'definitions.id', 'phases.definition_id')
    .leftJoin('definitions as files', 'files.id', 'phases.file_id')
    .select(HEAD_COLUMNS.map((column) => `phases.${column}` as const))
    .select(['phases.position', 'phases.parent_index', 'phases.line', 'phases.column_number'])
    .select(['definitions.name', 'files.name as file'])
    .select(
      sql<string | null>`(SELECT substr(errors.message, 1, ${sql.lit(MAX_LISTED_MESSAGE)})
        FROM phase_errors JOIN errors ON errors.id = phase_errors.error_id
        WHERE phase_errors.run_id = phases.run_id AND phase_errors.phase_id = phases.id
          AND (phases.outcome = 'PASS' OR phase_errors.attempt = phases.retry_count)
        ORDER BY phase_errors.attempt, phase_errors.position LIMIT 1)`.as('message'),
    )
    .where(sql<SqlBool>`(phases.outcome NOT IN ('PASS', 'SKIP') OR ${hasFailedBefore(sql`${runId}`)})`)
    .orderBy(sql`phases.kind IS NOT DISTINCT FROM 'step'`)
    .orderBy(sql`phases.outcome = 'PASS'`)
    .orderBy('phases.id')
    .limit(limit)
    .execute()
  return rows.toSorted((a, b) => a.position - b.position)
}

export type FailedOrRetriedStep = Awaited<ReturnType<typeof listFailedOrRetriedSteps>>[number]

export async function countTestsOfRun(query: Query, runId: number): Promise<TestCounts> {
  const rows = await query
    .selectFrom((from) =>
      from
        .selectFrom('phases')
        .select(['kind', 'outcome'])
        .select(
          sql<0 | 1>`CASE WHEN ${hasFailedBefore(sql`${runId}`)} THEN 1 ELSE 0 END`.as('has_failed_before'),
        )
        .select(sql<0 | 1>`CASE WHEN parent_index IS NULL THEN 0 ELSE 1 END`.as('is_within'))
        .where('run_id', '=', runId)
        .as('steps'),
    )
    .select(['kind', 'outcome', 'has_failed_before', 'is_within'])
    .select((select) => select.fn.countAll<number>().as('count'))
    .groupBy(['kind', 'outcome', 'has_failed_before', 'is_within'])
    .execute()
  return countTests(
    rows.map(({ kind, outcome, has_failed_before: hasFailed, is_within: isWithin, count }): CountedStep => ({
      kind,
      outcome,
      hasFailedBefore: hasFailed === 1,
      isWithin: isWithin === 1,
      count: Number(count),
    })),
  )
}

/** `hasFailedBefore` of protocol in SQL, for a row of `phases`; `runId` is the key of its run. */
export function hasFailedBefore(runId: Expression<number>) {
  return sql<SqlBool>`(phases.retry_count > 0 AND coalesce(
    (SELECT max(CASE WHEN earlier.outcome IN ('FAIL', 'ERROR') THEN 1 ELSE 0 END) FROM phase_attempts AS earlier
      WHERE earlier.run_id = ${runId} AND earlier.phase_id = phases.id AND earlier.attempt < phases.retry_count),
    1) = 1)`
}
