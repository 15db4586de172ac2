import { US_PER_DAY } from '../../../base/clock'
import { IS_OF_LINE } from './yield-store'

const KEYS = ['procedure_id', 'day', 'phase_definition_id', 'definition_id']
const DAY_COLUMNS = [...KEYS, 'measured', 'failed'].join(', ')
const VALUE_KEYS = 'phase_definition_id, definition_id, started_at_us, run_id, id'
const VALUE_COLUMNS = `${VALUE_KEYS}, value, limit_low, limit_high, failed`

const DAY = `runs.started_at_us / ${US_PER_DAY}`
const FROM_MEASUREMENTS = `FROM runs JOIN measurements ON measurements.run_id = runs.id
    JOIN phases ON phases.run_id = runs.id AND phases.id = measurements.phase_id
    JOIN units ON units.id = runs.unit_id`
const IS_LAST_ATTEMPT = `${IS_OF_LINE} AND phases.is_final_attempt = 1`

/** How often the measurements and phases of runs were taken, and how often they failed. The condition is about runs. */
function selectDays(condition: string): string {
  const of = `${IS_LAST_ATTEMPT} AND units.sample IS NULL AND ${condition}`
  return `SELECT runs.procedure_id, ${DAY} AS day, phases.definition_id AS phase_definition_id, measurements.definition_id,
      count(*) AS measured, count(*) FILTER (WHERE measurements.outcome = 'FAIL') AS failed
    ${FROM_MEASUREMENTS} WHERE ${of}
    GROUP BY runs.procedure_id, ${DAY}, phases.definition_id, measurements.definition_id
    UNION ALL SELECT runs.procedure_id, ${DAY} AS day, phases.definition_id AS phase_definition_id, 0 AS definition_id,
      count(*) AS measured, count(*) FILTER (WHERE phases.outcome IN ('FAIL', 'ERROR')) AS failed
    FROM runs JOIN phases ON phases.run_id = runs.id JOIN units ON units.id = runs.unit_id
    WHERE ${of} AND phases.outcome <> 'SKIP' GROUP BY runs.procedure_id, ${DAY}, phases.definition_id`
}

function selectValues(condition: string): string {
  return `SELECT phases.definition_id AS phase_definition_id, measurements.definition_id, runs.started_at_us,
      runs.id AS run_id, measurements.id, measurements.number_value AS value, measurements.limit_low,
      measurements.limit_high, CASE WHEN measurements.outcome = 'FAIL' THEN 1 ELSE 0 END AS failed
    ${FROM_MEASUREMENTS} WHERE ${IS_LAST_ATTEMPT} AND measurements.value_type = 'numeric'
      AND measurements.number_value IS NOT NULL AND ${condition}`
}

export function insertValues(condition: string): string[] {
  return [
    `INSERT INTO line_values (${VALUE_COLUMNS}) ${selectValues(condition)}`,
    `INSERT INTO measurement_days (${DAY_COLUMNS}) SELECT * FROM (${selectDays(condition)}) AS found WHERE 1 = 1
    ON CONFLICT (${KEYS.join(', ')}) DO UPDATE SET measured = measurement_days.measured + excluded.measured,
      failed = measurement_days.failed + excluded.failed`,
  ]
}

export function deleteValues(condition: string): string[] {
  return [
    `UPDATE measurement_days SET measured = measurement_days.measured - gone.measured,
      failed = measurement_days.failed - gone.failed
    FROM (${selectDays(condition)}) AS gone
    WHERE ${KEYS.map((name) => `measurement_days.${name} = gone.${name}`).join(' AND ')}`,
    `DELETE FROM line_values WHERE (${VALUE_KEYS}) IN
      (SELECT ${VALUE_KEYS} FROM (${selectValues(condition)}) AS gone)`,
  ]
}

const ALL_DAYS = selectDays('1 = 1')
const ALL_VALUES = selectValues('1 = 1')

export const DIFFERENT_MEASUREMENT_DAYS = `SELECT * FROM
    (SELECT * FROM (${ALL_DAYS}) AS counted EXCEPT SELECT ${DAY_COLUMNS} FROM measurement_days) AS missing
  UNION ALL SELECT * FROM
    (SELECT ${DAY_COLUMNS} FROM measurement_days EXCEPT SELECT * FROM (${ALL_DAYS}) AS counted) AS wrong`

export const DIFFERENT_VALUES = `SELECT * FROM (${ALL_VALUES} EXCEPT SELECT ${VALUE_COLUMNS} FROM line_values) AS missing
  UNION ALL SELECT * FROM (SELECT ${VALUE_COLUMNS} FROM line_values EXCEPT ${ALL_VALUES}) AS wrong`
