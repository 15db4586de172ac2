import {
  type Build,
  type BuildListItem,
  type BuildSummary,
  formatTimestampUs,
  MAX_CAUSES,
} from '@runledger/protocol'
import type { FileContext } from '../../files/attachments/file-context'
import type { Query } from '../../../storage/database/database'
import { groupBy } from '../../../storage/database/rows'
import type { ExecutionsTable } from '../../../storage/database/schema/executions'
import type { BuildsTable } from '../../../storage/database/schema/history'
import { formatGroupUrl } from '../runs/map'
import { listCauses } from './cause-store'
import { describeMissing } from './describe-missing'
import { listInfrastructureBuilds } from './infrastructure-store'
import {
  type BuildRecord,
  deriveBuildState,
  type Execution,
  findMissing,
  isPending,
  keyOfShard,
  type Missing,
  PATIENCE_US,
  type Shard,
} from './rules'
import {
  countResults,
  findBuild,
  findDefaultBranch,
  findPreviousBuild,
  listExecutionsOfBuilds,
  listLaterBuilds,
  listProcedureReferences,
  listReports,
  type ReportRow,
  type ResultCountsRow,
} from './store'

type BuildContext = Pick<FileContext, 'database' | 'clock' | 'publicUrl'>

interface ReadBuild extends BuildRecord {
  row: BuildsTable
  reports: readonly ReportRow[]
  rows: readonly ExecutionsTable[]
  missing: Missing
}

/** Undefined if nothing is on record of the group. */
export async function readBuild(context: BuildContext, group: string): Promise<Build | undefined> {
  const { query } = context.database
  const row = await findBuild(query, group)
  if (!row) return undefined
  const [build] = await readRecords(query, [row])
  const [item] = await mapBuilds(context, build ? [build] : [])
  if (!build || !item) return undefined
  const { causes, total } = await listCauses(query, row.id, MAX_CAUSES)
  const executions = build.executions
  const { duration_ms: _duration, ...facts } = item
  return {
    ...facts,
    ended_at: formatTimestampUs(endOf(build)),
    last_reported_at: formatTimestampUs(build.lastReportedAtUs),
    causes,
    causes_count: total,
    default_branch: row.default_branch ?? (await findDefaultBranchOf(query, build)),
    previous_group: (await findPreviousBuild(query, row))?.group_name ?? null,
    shards: countShards(build),
    executions: {
      begun: executions.length,
      ended: executions.filter(({ endedAtUs }) => endedAtUs !== null).length,
    },
  }
}

/** As other builds of its procedure name it. */
async function findDefaultBranchOf(query: Query, { reports, rows }: ReadBuild): Promise<string | null> {
  const [first] = [...reports, ...rows]
  return first ? findDefaultBranch(query, first.procedure_id) : null
}

export function summarizeBuild({ group, url, state, missing }: Build): BuildSummary {
  return { group, url, state, missing }
}

export async function listBuildItems(
  context: BuildContext,
  rows: readonly BuildsTable[],
): Promise<BuildListItem[]> {
  return mapBuilds(context, await readRecords(context.database.query, rows))
}

export interface ReportedBuild extends Pick<BuildRecord, 'lastReportedAtUs'> {
  id: number
  startedAtUs: number
  item: BuildListItem
}

export async function listReportedBuilds(
  context: BuildContext,
  rows: readonly BuildsTable[],
): Promise<ReportedBuild[]> {
  const builds = await readRecords(context.database.query, rows)
  const items = await mapBuilds(context, builds)
  return builds.flatMap(({ row, lastReportedAtUs }, index) => {
    const item = items[index]
    return item ? [{ id: row.id, startedAtUs: row.started_at_us, item, lastReportedAtUs }] : []
  })
}

async function mapBuilds(context: BuildContext, builds: readonly ReadBuild[]): Promise<BuildListItem[]> {
  const { query } = context.database
  const ids = builds.map(({ row }) => row.id)
  const [counts, procedures, infrastructure, states] = await Promise.all([
    countResults(query, ids),
    listProcedureReferences(query, ids),
    listInfrastructureBuilds(query, { buildIds: ids }),
    Promise.all(builds.map((build) => findState(query, build, context.clock()))),
  ])
  return builds.map((build, index) => {
    const { row, missing } = build
    const frameworks = new Set(build.reportedShards.map(({ framework }) => framework))
    return {
      group: row.group_name,
      url: formatGroupUrl(context.publicUrl, row.group_name),
      state: states[index] ?? 'running',
      missing: describeMissing(missing, frameworks.size),
      ...mapFacts(row),
      started_at: formatTimestampUs(startOf(build)),
      duration_ms: Math.max(0, (endOf(build) - startOf(build)) / 1000),
      procedures: procedures.get(row.id) ?? [],
      runs: { total: build.runs, failed: build.failedRuns },
      tests: counts.get(row.id) ?? NO_RESULTS,
      is_infrastructure: infrastructure.has(row.id),
    }
  })
}

const NO_RESULTS: ResultCountsRow = { passed: 0, flaky: 0, failed: 0, skipped: 0 }

function mapFacts(row: BuildsTable) {
  const {
    branch,
    git_commit: commit,
    commit_subject,
    author,
    pull_request,
    event,
    ci_build_url,
    repository,
  } = row
  return { branch, commit, commit_subject, author, pull_request, event, ci_build_url, repository }
}

async function readRecords(query: Query, rows: readonly BuildsTable[]): Promise<ReadBuild[]> {
  const [reports, executions] = await Promise.all([
    listReports(
      query,
      rows.map(({ id }) => id),
    ).then((all) => groupBy(all, ({ build_id: id }) => id)),
    listExecutionsOfBuilds(
      query,
      rows.map((row) => row.group_digest),
    ).then((all) => groupBy(all, (row) => row.group_digest)),
  ])
  return rows.flatMap((row) => {
    const ofBuild = reports.get(row.id) ?? []
    const begun = executions.get(row.group_digest) ?? []
    return ofBuild.length === 0 && begun.length === 0 ? [] : [createRecord(row, ofBuild, begun)]
  })
}

function createRecord(
  row: BuildsTable,
  reports: readonly ReportRow[],
  rows: readonly ExecutionsTable[],
): ReadBuild {
  const last = [
    ...reports.map((report) => report.last_created_at_us),
    ...rows.map((each) => Math.max(each.created_at_us, each.ended_at_us ?? 0)),
  ]
  const record: BuildRecord = {
    runs: sumOf(reports, ({ runs }) => runs),
    failedRuns: sumOf(reports, ({ failed }) => failed),
    reportedShards: reports.flatMap(({ shard }) => readShard(shard) ?? []),
    executions: rows.map(mapExecution),
    lastReportedAtUs: Math.max(...last),
  }
  return { ...record, row, reports, rows, missing: findMissing(record) }
}

function startOf({ reports, rows }: ReadBuild): number {
  return Math.min(...[...reports, ...rows].map((each) => each.started_at_us))
}

/** Without runs, the start. */
function endOf(build: ReadBuild): number {
  return Math.max(startOf(build), ...build.reports.map((report) => report.ended_at_us))
}

async function findState(query: Query, build: ReadBuild, nowUs: number): Promise<BuildSummary['state']> {
  const isLate = nowUs - build.lastReportedAtUs >= PATIENCE_US
  const isOvertaken = isPending(build.missing) && !isLate && (await hasLaterEnded(query, build.row))
  return deriveBuildState(build, build.missing, { nowUs, isOvertaken })
}

/** A later build of the branch, with the same repository and a common procedure. */
async function hasLaterEnded(query: Query, row: BuildsTable): Promise<boolean> {
  if (row.branch === null) return false
  const later = await readRecords(query, await listLaterBuilds(query, row))
  return later.some(({ missing }) => !isPending(missing))
}

function countShards({ reportedShards, executions, missing }: ReadBuild) {
  const ended = executions.flatMap(({ shard, endedAtUs }) => (shard && endedAtUs !== null ? shard : []))
  const reported = new Set([...reportedShards, ...ended].map(keyOfShard))
  const unended = missing.unended.filter(({ shard }) => shard && !reported.has(keyOfShard(shard)))
  return { reported: reported.size, expected: reported.size + missing.shards.length + unended.length }
}

function readShard(text: string | null): Shard | undefined {
  const [, framework, index, total] = /^(.*) (\d+)\/(\d+)$/s.exec(text ?? '') ?? []
  return framework === undefined ? undefined : { framework, index: Number(index), total: Number(total) }
}

function mapExecution(row: ExecutionsTable): Execution {
  const { framework, shard_index: index, shard_total: total } = row
  return {
    framework,
    shard: index === null || total === null ? undefined : { framework: framework ?? '', index, total },
    host: row.host,
    startedAtUs: row.started_at_us,
    endedAtUs: row.ended_at_us,
    missingRuns: row.missing_runs,
    job: row.ci_job,
    attempt: row.ci_attempt,
    environment: row.environment,
  }
}

function sumOf(reports: readonly ReportRow[], count: (report: ReportRow) => number): number {
  return reports.reduce((sum, report) => sum + count(report), 0)
}
