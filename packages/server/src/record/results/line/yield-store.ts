import { US_PER_DAY } from '../../../base/clock'

const KEYS = ['procedure_id', 'day', 'batch_id', 'station_id', 'version_id', 'revision_id', 'is_sample']
export const COUNTS = [
  'units',
  'first_passed',
  'second_passed',
  'last_passed',
  'day_units',
  'day_passed',
  'runs',
  'passed_runs',
] as const
const COLUMNS = [...KEYS, ...COUNTS].join(', ')

/** Completed runs whose unit is not the tested software itself. */
export const IS_OF_LINE = "runs.is_of_line = 1 AND runs.outcome <> 'ABORTED'"
const DAY = `runs.started_at_us / ${US_PER_DAY}`

/** The condition selects all runs of a unit in a procedure, or none. */
function selectYields(condition: string): string {
  const count = (when: string) => `count(*) FILTER (WHERE ${when})`
  return `SELECT ${KEYS.join(', ')}, ${count('pass = 1')} AS units,
      ${count('pass = 1 AND passed = 1')} AS first_passed,
      ${count('pass = 1 AND (passed = 1 OR next_passed = 1)')} AS second_passed,
      ${count('pass = 1 AND last_passed = 1')} AS last_passed,
      ${count('pass_of_day = 1')} AS day_units, ${count('pass_of_day = 1 AND passed = 1')} AS day_passed,
      count(*) AS runs, ${count('passed = 1')} AS passed_runs
    FROM (SELECT *, row_number() OVER of_unit AS pass, row_number() OVER of_day AS pass_of_day,
        lead(passed) OVER of_unit AS next_passed,
        first_value(passed) OVER (PARTITION BY procedure_id, unit_id ORDER BY started_at_us DESC, id DESC) AS last_passed
      FROM (SELECT runs.id, runs.unit_id, runs.procedure_id, runs.started_at_us, ${DAY} AS day,
          coalesce(runs.batch_id, 0) AS batch_id, coalesce(runs.created_by_station_id, 0) AS station_id,
          coalesce(runs.version_id, 0) AS version_id, runs.revision_id,
          CASE WHEN units.sample IS NULL THEN 0 ELSE 1 END AS is_sample,
          CASE WHEN runs.outcome = 'PASS' THEN 1 ELSE 0 END AS passed
        FROM runs JOIN units ON units.id = runs.unit_id WHERE ${IS_OF_LINE} AND ${condition}) AS completed
      WINDOW of_unit AS (PARTITION BY procedure_id, unit_id ORDER BY started_at_us, id),
        of_day AS (PARTITION BY procedure_id, unit_id, day ORDER BY started_at_us, id)) AS passes
    GROUP BY ${KEYS.join(', ')}`
}

export function insertYields(condition: string): string {
  return `INSERT INTO line_days (${COLUMNS}) SELECT * FROM (${selectYields(condition)}) AS found WHERE 1 = 1
    ON CONFLICT (${KEYS.join(', ')}) DO UPDATE SET
      ${COUNTS.map((name) => `${name} = line_days.${name} + excluded.${name}`).join(', ')}`
}

export function subtractYields(condition: string): string {
  return `UPDATE line_days SET ${COUNTS.map((name) => `${name} = line_days.${name} - gone.${name}`).join(', ')}
    FROM (${selectYields(condition)}) AS gone
    WHERE ${KEYS.map((name) => `line_days.${name} = gone.${name}`).join(' AND ')}`
}

const ALL = selectYields('1 = 1')

export const DIFFERENT_LINE_DAYS = `SELECT * FROM (${ALL} EXCEPT SELECT ${COLUMNS} FROM line_days) AS missing
  UNION ALL SELECT * FROM (SELECT ${COLUMNS} FROM line_days EXCEPT ${ALL}) AS wrong`
