import { type Expression, sql, type SqlBool } from 'kysely'
import { US_PER_DAY } from '../../../base/clock'
import { allOf } from '../../../storage/database/conditions'
import type { Query, Transaction } from '../../../storage/database/database'
import { isInList } from '../../../storage/database/rows'
import type { RunsTable } from '../../../storage/database/schema/runs'
import { deleteValues, DIFFERENT_MEASUREMENT_DAYS, DIFFERENT_VALUES, insertValues } from './value-store'
import { DIFFERENT_LINE_DAYS, insertYields, IS_OF_LINE, subtractYields } from './yield-store'

/** Runs whose counts a further run may change: the unit's first two, its last, and those of the day. A unit may have thousands. */
const OF_UNIT = `runs.id IN (SELECT id FROM runs WHERE unit_id = ? AND started_at_us >= ? AND started_at_us < ?
    UNION ALL SELECT CAST(? AS bigint) UNION ALL SELECT CAST(? AS bigint) UNION ALL SELECT CAST(? AS bigint))
  AND runs.unit_id = ? AND runs.procedure_id = ?`
const SUBTRACT_UNIT = subtractYields(OF_UNIT)
const INSERT_UNIT = insertYields(OF_UNIT)
const INSERT_VALUES_OF_RUN = insertValues('runs.id = ?')

const selectEnd = (order: string, limit: number): string => `SELECT id FROM (SELECT runs.id FROM runs
  WHERE ${IS_OF_LINE} AND unit_id = ? AND procedure_id = ? ORDER BY started_at_us ${order}, id ${order} LIMIT ${limit}) AS ${order}_end`
const SELECT_ENDS = `${selectEnd('ASC', 2)} UNION ALL ${selectEnd('DESC', 1)}`

type CreatedRun = Pick<RunsTable, 'id' | 'unit_id' | 'procedure_id' | 'started_at_us'>

/** Of a unit, without the run that is about to be stored. */
export type OpenCounts = readonly number[]

/** Takes out the counts that a run may change; `addRunToLine` puts them back with the run. */
export async function prepareLine(transaction: Transaction, run: CreatedRun): Promise<OpenCounts> {
  const unit = [run.unit_id, run.procedure_id]
  const ends = await transaction.all<{ id: number }>(SELECT_ENDS, [...unit, ...unit])
  const ids = ends.map(({ id }) => id)
  if (ids.length > 0) await transaction.run(SUBTRACT_UNIT, listValues(run, ids))
  return ids
}

/** The phases must be stored. */
export async function addRunToLine(
  transaction: Transaction,
  run: CreatedRun,
  open: OpenCounts,
): Promise<void> {
  await transaction.run(INSERT_UNIT, listValues(run, open))
  for (const [index, text] of INSERT_VALUES_OF_RUN.entries())
    // The second statement names the run twice: for measurements and for phases.
    await transaction.run(text, index === 0 ? [run.id] : [run.id, run.id])
}

function listValues(run: CreatedRun, [first = run.id, second = run.id, last = run.id]: OpenCounts): number[] {
  const day = Math.floor(run.started_at_us / US_PER_DAY) * US_PER_DAY
  return [run.unit_id, day, day + US_PER_DAY, first, second, last, run.unit_id, run.procedure_id]
}

/** Takes the runs out of the roll-ups during `change`, and puts back what is left. */
export async function changeLine<Result>(
  query: Query,
  runIds: readonly number[],
  change: () => Promise<Result>,
): Promise<Result> {
  const runs =
    runIds.length === 0
      ? []
      : await query
          .selectFrom('runs')
          .select(['unit_id', 'procedure_id'])
          .distinct()
          .where('id', 'in', runIds)
          .where('is_of_line', '=', 1)
          .execute()
  if (runs.length === 0) return change()
  const procedures = [...new Set(runs.map(({ procedure_id: id }) => id))]
  const units = [...new Set(runs.map(({ unit_id: id }) => id))]
  const ofUnits = allOf([
    isInList(query, 'runs.unit_id', units),
    isInList(query, 'runs.procedure_id', procedures),
  ])
  const ofRuns = isInList(query, 'runs.id', runIds)
  await runEach(query, [SUBTRACT_YIELDS], ofUnits)
  await runEach(query, DELETE_VALUES, ofRuns)
  const result = await change()
  await runEach(query, [INSERT_YIELDS], ofUnits)
  await runEach(query, INSERT_VALUES, ofRuns)
  await runEach(query, DELETE_EMPTY, isInList(query, 'procedure_id', procedures))
  return result
}

export async function recountLine(query: Query, procedureId: number): Promise<void> {
  await runEach(query, DELETE_ALL, sql`procedure_id = ${procedureId}`)
  await runEach(query, [INSERT_YIELDS, ...INSERT_VALUES], sql`runs.procedure_id = ${procedureId}`)
}

/** A placeholder for a condition in the statements below. */
const CONDITION = ':condition'
const SUBTRACT_YIELDS = subtractYields(CONDITION)
const INSERT_YIELDS = insertYields(CONDITION)
const DELETE_VALUES = deleteValues(CONDITION)
const INSERT_VALUES = insertValues(CONDITION)
const DELETE_EMPTY = [
  `DELETE FROM line_days WHERE ${CONDITION} AND runs = 0`,
  `DELETE FROM measurement_days WHERE ${CONDITION} AND measured = 0`,
]
const DELETE_ALL = [
  `DELETE FROM line_days WHERE ${CONDITION}`,
  `DELETE FROM measurement_days WHERE ${CONDITION}`,
  `DELETE FROM line_values WHERE phase_definition_id IN (SELECT id FROM definitions WHERE ${CONDITION})`,
]

export const DIFFERENT_LINE = [DIFFERENT_LINE_DAYS, DIFFERENT_MEASUREMENT_DAYS, DIFFERENT_VALUES]
  .map((text, index) => `SELECT 1 AS one FROM (${text}) AS different_${index}`)
  .join(' UNION ALL ')

/** Runs each statement with `condition` instead of `CONDITION`. */
async function runEach(
  query: Query,
  texts: readonly string[],
  condition: Expression<SqlBool>,
): Promise<void> {
  for (const text of texts) {
    const parts = text.split(CONDITION).map((part) => sql.raw(part))
    await sql`${sql.join(parts, sql`(${condition})`)}`.execute(query)
  }
}
