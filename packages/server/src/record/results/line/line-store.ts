import { sql } from 'kysely'
import type { Query, Transaction } from '../../../storage/database/database'
import { deleteValues, DIFFERENT_MEASUREMENT_DAYS, DIFFERENT_VALUES, insertValues } from './value-store'
import { DIFFERENT_LINE_DAYS, insertYields, subtractYields } from './yield-store'

const OF_UNIT = 'runs.unit_id = ? AND runs.procedure_id = ?'
const SUBTRACT_UNIT = subtractYields(OF_UNIT)
const INSERT_UNIT = insertYields(OF_UNIT)
const INSERT_VALUES_OF_RUN = insertValues('runs.id = ?')

interface CreatedRun {
  id: number
  unit_id: number
  procedure_id: number
}

/** Takes a unit's earlier runs of a procedure out of the yields; `addRunToLine` puts them back with the new one. */
export async function prepareLine(
  transaction: Transaction,
  unitId: number,
  procedureId: number,
): Promise<void> {
  await transaction.run(SUBTRACT_UNIT, [unitId, procedureId])
}

/** Adds a run, whose phases are stored, to the roll-ups of the line. */
export async function addRunToLine(transaction: Transaction, run: CreatedRun): Promise<void> {
  await transaction.run(INSERT_UNIT, [run.unit_id, run.procedure_id])
  for (const [index, text] of INSERT_VALUES_OF_RUN.entries())
    // The second names the run twice: once for measurements, once for phases.
    await transaction.run(text, index === 0 ? [run.id] : [run.id, run.id])
}

/** Takes runs out of the roll-ups of the line, changes or deletes them, and puts back what is left of them. */
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
          .where('build_id', 'is', null)
          .execute()
  if (runs.length === 0) return change()
  const list = (keys: readonly number[]) => [...new Set(keys)].join(', ')
  const procedures = list(runs.map(({ procedure_id: id }) => id))
  const ofUnits = `runs.unit_id IN (${list(runs.map(({ unit_id: id }) => id))}) AND runs.procedure_id IN (${procedures})`
  const ofRuns = `runs.id IN (${list(runIds)})`
  await runAll(query, [subtractYields(ofUnits), ...deleteValues(ofRuns)])
  const result = await change()
  await runAll(query, [
    insertYields(ofUnits),
    ...insertValues(ofRuns),
    `DELETE FROM line_days WHERE procedure_id IN (${procedures}) AND runs = 0`,
    `DELETE FROM measurement_days WHERE procedure_id IN (${procedures}) AND measured = 0`,
  ])
  return result
}

/** Makes the roll-ups of a procedure anew from its runs. */
export async function recountLine(query: Query, procedureId: number): Promise<void> {
  const ofProcedure = `runs.procedure_id = ${procedureId}`
  await runAll(query, [
    `DELETE FROM line_days WHERE procedure_id = ${procedureId}`,
    `DELETE FROM measurement_days WHERE procedure_id = ${procedureId}`,
    `DELETE FROM line_values WHERE phase_definition_id IN
      (SELECT id FROM definitions WHERE procedure_id = ${procedureId})`,
    insertYields(ofProcedure),
    ...insertValues(ofProcedure),
  ])
}

/** Selects something for each roll-up of the line that differs from a recount. */
export const DIFFERENT_LINE = [DIFFERENT_LINE_DAYS, DIFFERENT_MEASUREMENT_DAYS, DIFFERENT_VALUES]
  .map((text, index) => `SELECT 1 AS one FROM (${text}) AS different_${index}`)
  .join(' UNION ALL ')

async function runAll(query: Query, texts: readonly string[]): Promise<void> {
  for (const text of texts) await sql.raw(text).execute(query)
}
