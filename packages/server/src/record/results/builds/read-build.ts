import { type Build, type BuildSummary, formatTimestampUs } from '@runledger/protocol'
import type { FileContext } from '../../files/attachments/file-context'
import type { Query } from '../../../storage/database/database'
import type { ExecutionsTable } from '../../../storage/database/schema/executions'
import { formatGroupUrl } from '../runs/map'
import { describeMissing } from './describe-missing'
import {
  type BuildRecord,
  deriveBuildState,
  type Execution,
  findMissing,
  isPending,
  keyOfShard,
  PATIENCE_US,
  type Shard,
} from './rules'
import { listExecutions, listLaterGroups, listReports, type ReportRow } from './store'

/** The records of a group, and their origin. */
interface ReadGroup extends BuildRecord {
  group: string
  reports: ReportRow[]
  rows: ExecutionsTable[]
  firstReportedAtUs: number
}

/** `GET /v2/builds/{group}`; undefined where nothing is on record of the group. */
export async function readBuild(
  { database: { query }, clock, publicUrl }: Pick<FileContext, 'database' | 'clock' | 'publicUrl'>,
  group: string,
): Promise<Build | undefined> {
  const read = await readGroup(query, group)
  if (!read) return undefined
  const { reports, rows, executions } = read
  const missing = findMissing(read)
  const nowUs = clock()
  const isLate = nowUs - read.lastReportedAtUs >= PATIENCE_US
  const isOvertaken = isPending(missing) && !isLate && (await hasLaterEnded(query, read))
  const shards = new Set([...read.reportedShards, ...listEndedShards(executions)].map(keyOfShard))
  const unendedShards = missing.unended.filter(({ shard }) => shard && !shards.has(keyOfShard(shard)))
  const frameworks = new Set([...reports, ...rows].map(({ framework }) => framework))
  const started = [...reports, ...rows].map((row) => row.started_at_us)
  return {
    group,
    url: formatGroupUrl(publicUrl, group),
    state: deriveBuildState(read, missing, { nowUs, isOvertaken }),
    missing: describeMissing(missing, frameworks.size),
    branch: findFact(read, 'git_branch'),
    commit: findFact(read, 'git_commit'),
    ci_build_url: findFact(read, 'ci_build_url'),
    started_at: formatTimestampUs(Math.min(...started)),
    last_reported_at: formatTimestampUs(read.lastReportedAtUs),
    runs: { total: read.runs, failed: read.failedRuns },
    shards: { reported: shards.size, expected: shards.size + missing.shards.length + unendedShards.length },
    executions: {
      begun: executions.length,
      ended: executions.filter(({ endedAtUs }) => endedAtUs !== null).length,
    },
  }
}

export function summarizeBuild({ group, url, state, missing }: Build): BuildSummary {
  return { group, url, state, missing }
}

async function readGroup(query: Query, group: string): Promise<ReadGroup | undefined> {
  const reports = await listReports(query, group)
  const rows = await listExecutions(query, group)
  if (reports.length === 0 && rows.length === 0) return undefined
  const first = [...reports.map((row) => row.first_created_at_us), ...rows.map((row) => row.created_at_us)]
  const last = [
    ...reports.map((row) => row.last_created_at_us),
    ...rows.map((row) => Math.max(row.created_at_us, row.ended_at_us ?? 0)),
  ]
  return {
    group,
    reports,
    rows,
    runs: sumOf(reports, ({ runs }) => runs),
    failedRuns: sumOf(reports, ({ failed }) => failed),
    reportedShards: reports.flatMap((row) => readShard(row) ?? []),
    executions: rows.map(mapExecution),
    firstReportedAtUs: Math.min(...first),
    lastReportedAtUs: Math.max(...last),
  }
}

const MAX_LATER_BUILDS = 10

/** Whether a later build of the branch, of the same repository and of one of the same procedures, has ended. */
async function hasLaterEnded(query: Query, build: ReadGroup): Promise<boolean> {
  const branch = findFact(build, 'git_branch')
  if (branch === null) return false
  const procedureIds = [...new Set([...build.reports, ...build.rows].map((row) => row.procedure_id))]
  const { group, firstReportedAtUs: afterUs } = build
  const groups = await listLaterGroups(query, { group, branch, procedureIds, afterUs })
  for (const each of groups.slice(0, MAX_LATER_BUILDS)) {
    const later = await readGroup(query, each)
    if (!later || later.firstReportedAtUs <= afterUs) continue
    if (findFact(later, 'repository') !== findFact(build, 'repository')) continue
    if (!isPending(findMissing(later))) return true
  }
  return false
}

function findFact(
  { reports, rows }: ReadGroup,
  name: 'git_branch' | 'git_commit' | 'ci_build_url' | 'repository',
): string | null {
  return [...reports, ...rows].find((row) => row[name] !== null)?.[name] ?? null
}

function readShard({ framework, shard, shard_index, shard_total }: ReportRow): Shard | undefined {
  const text = shard_index !== null && shard_total !== null ? `${shard_index}/${shard_total}` : (shard ?? '')
  const [, index, total] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []
  return index === undefined
    ? undefined
    : { framework: framework ?? '', index: Number(index), total: Number(total) }
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

function listEndedShards(executions: readonly Execution[]): Shard[] {
  return executions.flatMap(({ shard, endedAtUs }) => (shard && endedAtUs !== null ? shard : []))
}

function sumOf(reports: readonly ReportRow[], count: (report: ReportRow) => number): number {
  return reports.reduce((sum, report) => sum + count(report), 0)
}
