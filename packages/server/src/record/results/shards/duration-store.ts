import { sql } from 'kysely'
import type { Query } from '../../../storage/database/database'

/** A run of a file. Times are in microseconds. */
export interface FileRunRow {
  suite_id: number
  run_id: number
  build_id: number
  /** Null for a run of several files. */
  file_id: number | null
  shard: string | null
  environment: string | null
  rerun: string | null
  started_at_us: number
  /** In a run of several files, the duration of the file's tests. */
  duration_us: number
}

/** Enough for ten builds, unless a build runs a file several times. */
const RUNS_OF_SUITE = 20

/** Lists the last runs of each suite. */
export async function listRunsOfSuites(query: Query, suiteIds: readonly number[]): Promise<FileRunRow[]> {
  if (suiteIds.length === 0) return []
  const last = query.engine.firstsOfEach(
    suiteIds,
    (suite) => sql`SELECT run_id AS key FROM test_results WHERE suite_id = ${suite}
      GROUP BY run_id ORDER BY run_id DESC LIMIT ${sql.lit(RUNS_OF_SUITE)}`,
  )
  const suite = sql.ref('owners.value')
  const { rows } =
    await sql<FileRunRow>`SELECT ${suite} AS suite_id, runs.id AS run_id, runs.build_id, runs.file_id,
      runs.shard, runs.environment, runs.rerun, runs.started_at_us,
      CASE WHEN runs.file_id IS NOT NULL THEN runs.duration_us ELSE (SELECT sum(duration_us) FROM test_results
        WHERE test_results.suite_id = ${suite} AND test_results.run_id = runs.id) END AS duration_us
    FROM ${last} CROSS JOIN live_runs AS runs
    WHERE runs.id = firsts.value AND runs.build_id IS NOT NULL`.execute(query)
  return rows.map((row) => ({ ...row, suite_id: Number(row.suite_id), duration_us: Number(row.duration_us) }))
}

/** A file has a suite in each of its projects. */
export async function listSuitesOfFiles(
  query: Query,
  procedureId: number,
  files: ReadonlySet<string>,
): Promise<{ id: number; file: string }[]> {
  const rows = await query
    .selectFrom('suites')
    .innerJoin('definitions', 'definitions.id', 'suites.file_id')
    .select(['suites.id', 'definitions.name as file'])
    .where('suites.procedure_id', '=', procedureId)
    .execute()
  return rows.filter(({ file }) => files.has(file))
}
