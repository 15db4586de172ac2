import { type RawBuilder, sql } from 'kysely'
import { US_PER_DAY } from '../../../base/clock'
import type { Engine } from '../../../storage/database/engine'
import type { Query, Transaction } from '../../../storage/database/database'
import { FAILED, FLAKY, PASSED, SKIPPED } from '../../../storage/database/schema/history'
import { hasFailedBefore } from '../phases/store'
import { ALL_BRANCHES } from '../tests/result-joins'

/** One result for each test and run: the worst of its phases. The error is the first of the last attempt, else the first of all. */
function selectResults(runIds: readonly number[]) {
  const outcome = sql`CASE WHEN phases.outcome = 'SKIP' THEN ${sql.lit(SKIPPED)}
    WHEN phases.outcome <> 'PASS' THEN ${sql.lit(FAILED)}
    WHEN ${hasFailedBefore(sql.ref('phases.run_id'))} THEN ${sql.lit(FLAKY)} ELSE ${sql.lit(PASSED)} END`
  const error = sql`(SELECT group_id FROM phase_errors
      WHERE phase_errors.run_id = phases.run_id AND phase_errors.phase_id = phases.id
      ORDER BY CASE WHEN attempt = phases.retry_count THEN 0 ELSE 1 END, attempt, position LIMIT 1)`
  return sql`SELECT runs.id AS run_id, runs.procedure_id, coalesce(runs.branch_id, 0) AS branch_id, runs.started_at_us,
      coalesce(runs.project_id, 0) AS project_id, coalesce(phases.file_id, runs.file_id, 0) AS file_id,
      phases.definition_id, min(phases.id) AS first_phase_id, max(${outcome}) AS outcome,
      sum(phases.duration_us) AS duration_us, max(${error}) AS error_group_id,
      max(phases.line) AS line, max(phases.owner_id) AS owner_id
    FROM runs JOIN phases ON phases.run_id = runs.id
    WHERE runs.id IN (${sql.join(runIds)}) AND runs.build_id IS NOT NULL
      AND phases.kind IN ('test', 'skipped') AND phases.is_final_attempt = 1
    GROUP BY runs.id, runs.procedure_id, runs.branch_id, runs.started_at_us, runs.project_id,
      coalesce(phases.file_id, runs.file_id, 0), phases.definition_id`
}

const OF_SUITE = sql`suites.procedure_id = found.procedure_id AND suites.file_id = found.file_id
  AND suites.project_id = found.project_id`

const COLUMNS_OF_DAYS = 'procedure_id, branch_id, day, test_id, passed, flaky, failed, passed_us'

/** Once for the branch of each run, and once for all branches. */
function selectDaysText(ofRuns: string): string {
  const branch = `CASE scopes.value WHEN 0 THEN coalesce(runs.branch_id, 0) ELSE ${ALL_BRANCHES} END`
  const count = (outcome: number) => `count(*) FILTER (WHERE test_results.outcome = ${outcome})`
  return `SELECT runs.procedure_id, ${branch} AS branch_id, runs.started_at_us / ${US_PER_DAY} AS day, test_id,
      ${count(PASSED)} AS passed, ${count(FLAKY)} AS flaky, ${count(FAILED)} AS failed,
      sum(CASE WHEN test_results.outcome = ${PASSED} THEN test_results.duration_us ELSE 0 END) AS passed_us
    FROM runs JOIN run_suites ON run_suites.run_id = runs.id
      JOIN test_results ON test_results.suite_id = run_suites.suite_id AND test_results.run_id = runs.id
      CROSS JOIN (SELECT 0 AS value UNION ALL SELECT 1) AS scopes
    WHERE ${ofRuns} AND test_results.outcome <> ${SKIPPED}
    GROUP BY runs.procedure_id, ${branch}, runs.started_at_us / ${US_PER_DAY}, test_id`
}

function selectDays(runIds: readonly number[]) {
  const [before = '', after = ''] = selectDaysText('runs.id IN (?)').split('?')
  return sql`${sql.raw(before)}${sql.join(runIds)}${sql.raw(after)}`
}

/** The only placeholder is the key of a procedure without roll-ups. */
export const INSERT_DAYS_OF_PROCEDURE = `INSERT INTO test_days (${COLUMNS_OF_DAYS}) ${selectDaysText('runs.procedure_id = ?')}`

const ALL_DAYS = selectDaysText('1 = 1')

export const DIFFERENT_DAYS = `SELECT * FROM (${ALL_DAYS} EXCEPT SELECT ${COLUMNS_OF_DAYS} FROM test_days) AS missing
  UNION ALL SELECT * FROM (SELECT ${COLUMNS_OF_DAYS} FROM test_days EXCEPT ${ALL_DAYS}) AS wrong`

const COUNTED = ['passed', 'flaky', 'failed', 'passed_us'] as const

const ADDED = COUNTED.map(
  (name) => sql`${sql.ref(name)} = test_days.${sql.ref(name)} + excluded.${sql.ref(name)}`,
)

/** The phases must be stored. */
export async function insertResults(transaction: Transaction, runIds: readonly number[]): Promise<void> {
  for (const text of writeInserts(transaction.query, runIds.length)) await transaction.run(text, runIds)
}

const texts = new WeakMap<Engine, Map<number, string[]>>()

/** The only values are the keys of the runs. Making the texts takes longer than running them. */
function writeInserts(query: Query, runs: number): string[] {
  const ofEngine = texts.get(query.engine) ?? new Map<number, string[]>()
  texts.set(query.engine, ofEngine)
  const written =
    ofEngine.get(runs) ??
    createInserts(Array.from({ length: runs }, (_, index) => index)).map((one) => one.compile(query).sql)
  ofEngine.set(runs, written)
  return written
}

function createInserts(runIds: readonly number[]): RawBuilder<unknown>[] {
  const found = sql`(${selectResults(runIds)}) AS found`
  const count = (outcome: number) => sql`count(*) FILTER (WHERE outcome = ${sql.lit(outcome)})`
  return [
    sql`INSERT INTO suites (id, procedure_id, project_id, file_id)
    SELECT min(first_phase_id), procedure_id, project_id, file_id FROM ${found} WHERE 1 = 1
    GROUP BY procedure_id, project_id, file_id
    ON CONFLICT (procedure_id, file_id, project_id) DO NOTHING`,
    sql`INSERT INTO tests (id, suite_id, definition_id, first_seen_us, last_seen_day, line, owner_id)
    SELECT min(first_phase_id), suites.id, definition_id, min(started_at_us),
      max(started_at_us / ${sql.lit(US_PER_DAY)}), max(line), max(owner_id)
    FROM ${found} JOIN suites ON ${OF_SUITE} WHERE 1 = 1 GROUP BY suites.id, definition_id
    ON CONFLICT (suite_id, definition_id) DO UPDATE SET
      first_seen_us = CASE WHEN excluded.first_seen_us < tests.first_seen_us
        THEN excluded.first_seen_us ELSE tests.first_seen_us END,
      last_seen_day = CASE WHEN excluded.last_seen_day > tests.last_seen_day
        THEN excluded.last_seen_day ELSE tests.last_seen_day END,
      line = coalesce(excluded.line, tests.line), owner_id = coalesce(excluded.owner_id, tests.owner_id)
    WHERE excluded.first_seen_us < tests.first_seen_us OR excluded.last_seen_day > tests.last_seen_day
      OR excluded.line <> tests.line OR excluded.owner_id <> tests.owner_id
      OR (tests.line IS NULL AND excluded.line IS NOT NULL)
      OR (tests.owner_id IS NULL AND excluded.owner_id IS NOT NULL)`,
    sql`INSERT INTO test_results (suite_id, run_id, test_id, outcome, duration_us, error_group_id)
    SELECT suites.id, run_id, tests.id, outcome, duration_us, error_group_id
    FROM ${found} JOIN suites ON ${OF_SUITE}
      JOIN tests ON tests.suite_id = suites.id AND tests.definition_id = found.definition_id`,
    sql`INSERT INTO run_suites (run_id, suite_id, skipped, passed, flaky, failed)
    SELECT run_id, suites.id, ${count(SKIPPED)}, ${count(PASSED)}, ${count(FLAKY)}, ${count(FAILED)}
    FROM ${found} JOIN suites ON ${OF_SUITE} GROUP BY run_id, suites.id`,
    sql`INSERT INTO test_days (procedure_id, branch_id, day, test_id, passed, flaky, failed, passed_us)
    SELECT * FROM (${selectDays(runIds)}) AS days WHERE 1 = 1
    ON CONFLICT (procedure_id, branch_id, day, test_id) DO UPDATE SET ${sql.join(ADDED)}`,
  ]
}

/** The rows must still be there. */
export async function deleteResults(query: Query, runIds: readonly number[]): Promise<void> {
  const left = COUNTED.map(
    (name) => sql`${sql.ref(name)} = test_days.${sql.ref(name)} - gone.${sql.ref(name)}`,
  )
  await sql`UPDATE test_days SET ${sql.join(left)} FROM (${selectDays(runIds)}) AS gone
    WHERE test_days.procedure_id = gone.procedure_id AND test_days.branch_id = gone.branch_id
      AND test_days.day = gone.day AND test_days.test_id = gone.test_id`.execute(query)
  await sql`DELETE FROM test_days WHERE passed = 0 AND flaky = 0 AND failed = 0
    AND (procedure_id, branch_id, day, test_id) IN
      (SELECT procedure_id, branch_id, day, test_id FROM (${selectDays(runIds)}) AS gone)`.execute(query)
  await sql`DELETE FROM test_results WHERE (suite_id, run_id) IN
    (SELECT suite_id, run_id FROM run_suites WHERE run_id IN (${sql.join(runIds)}))`.execute(query)
  await query.deleteFrom('run_suites').where('run_id', 'in', runIds).execute()
}
