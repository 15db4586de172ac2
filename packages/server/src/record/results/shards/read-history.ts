import { COUNTED_BUILDS, type FileSpan, learnStartUp, type ShardHistory } from '@runledger/statistics'
import type { Query } from '../../../storage/database/database'
import { groupBy } from '../../../storage/database/rows'
import { type FileRunRow, listRunsOfSuites, listSuitesOfFiles } from './duration-store'

/** Reads durations of these files in the last builds, and their start-up, in microseconds. */
export async function readShardHistory(
  query: Query,
  procedureId: number,
  files: readonly string[],
): Promise<ShardHistory> {
  const suites = await listSuitesOfFiles(query, procedureId, new Set(files))
  const fileOf = new Map(suites.map(({ id, file }) => [id, file]))
  const runs = await listRunsOfSuites(query, [...fileOf.keys()])
  const ofFiles = groupBy(runs, ({ suite_id: suite }) => fileOf.get(suite) ?? '')
  return {
    durations: new Map([...ofFiles].map(([file, ofFile]) => [file, listDurations(ofFile)])),
    startUp: learnStartUp(listExecutions(runs)),
  }
}

/** For each build, the sum over the file's projects. Several runs in one project count with their mean. */
function listDurations(runs: readonly FileRunRow[]): number[] {
  const builds = [...groupBy(runs, ({ build_id: build }) => build).values()]
  return builds
    .toSorted((one, other) => lastOf(one) - lastOf(other))
    .slice(-COUNTED_BUILDS)
    .map((ofBuild) =>
      [...groupBy(ofBuild, ({ suite_id: suite }) => suite).values()]
        .map(meanDuration)
        .reduce((sum, duration) => sum + duration),
    )
}

function lastOf(runs: readonly FileRunRow[]): number {
  return runs.reduce((last, { run_id: id }) => Math.max(last, id), 0)
}

function meanDuration(runs: readonly FileRunRow[]): number {
  return runs.reduce((sum, { duration_us: us }) => sum + us, 0) / runs.length
}

/** Lists the times of the files, grouped by shard and build. */
function listExecutions(runs: readonly FileRunRow[]): FileSpan[][] {
  const ofFiles = runs.filter(({ file_id: file }) => file !== null)
  const executions = groupBy(ofFiles, ({ build_id: build, shard, environment, rerun }) =>
    JSON.stringify([build, shard, environment, rerun]),
  )
  return [...executions.values()].map((ofExecution) =>
    ofExecution.map(({ started_at_us: start, duration_us: us }) => ({ start, end: start + us })),
  )
}
