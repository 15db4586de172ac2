import { MAX_EXPLAINED_ITEMS, type TestPast } from '@runledger/protocol'
import type { FileContext } from '../../files/attachments/file-context'
import type { Query } from '../../../storage/database/database'
import { FAILED, FLAKY } from '../../../storage/database/schema/history'
import { listInfrastructureBuilds } from '../builds/infrastructure-store'
import {
  findEvidence,
  findTestSegments,
  listCounted,
  mapLineBuild,
  mapRate,
  nameOutcome,
  readResults,
  type Result,
} from '../history/results'
import { listNames, listResultsOfTest, type TestName } from '../history/recent-result-store'
import { findBranchId } from '../history/test-list-store'
import { mapEvidence } from '../history/test-detail'
import { ALL_BRANCHES } from '../tests/result-joins'
import { readTestReferences } from '../tests/test-references'
import { countBuildsBetween } from './fact-store'
import { judge } from './judge'
import { findFailingRow, joinLine } from './line'

/** Of each branch. */
const MAX_RESULTS = 300

export interface FailedResult {
  testId: number
  procedureId: number
  runId: number
  failedAttempts: number
  /** Report variable `git_merge_base` of the run. */
  mergeBase: string | undefined
}

/** Undefined if the failure is not on record. */
export async function readPast(
  { database: { query }, clock }: FileContext,
  failed: FailedResult,
): Promise<TestPast | undefined> {
  const names = (await listNames(query, [failed.testId])).get(failed.testId) ?? []
  const everywhere = await readAll(query, names, failed.runId)
  const failure = everywhere.find(({ run_id: id }) => id === failed.runId)
  if (!failure) return undefined
  const { branch, default_branch: defaultBranch } = failure.build
  const own = everywhere.filter(({ build }) => build.branch === branch)
  const isOnBranch = branch !== null && defaultBranch !== null && branch !== defaultBranch
  const ofDefault = isOnBranch ? everywhere.filter(({ build }) => build.branch === defaultBranch) : []
  const results = joinLine(own, ofDefault, failed.mergeBase)
  const row = findFailingRow({ results, failure })
  const counted = listCounted(own)
  const evidence = findEvidence(everywhere, clock())
  const last = listCounted(ofDefault).at(-1)
  return {
    last_passed: row.lastPassed ? mapLineBuild(row.lastPassed.build) : null,
    first_failed: mapLineBuild(row.first.build),
    failing_builds: row.builds,
    unknown_between: await countUnknown(query, row.lastPassed, { ...failed, first: row.first }),
    fixed_by: row.fixedBy ? mapLineBuild(row.fixedBy.build) : null,
    is_first_seen: isFirst(names, failure),
    earlier_names: await listEarlierNames(query, names, failed.testId),
    default_branch:
      last && defaultBranch !== null
        ? { branch: defaultBranch, outcome: nameOutcome(last.outcome), build: mapLineBuild(last.build) }
        : null,
    ...mapRates(counted),
    flaky_evidence: mapEvidence(everywhere, evidence).slice(0, MAX_EXPLAINED_ITEMS),
    flaky_evidence_count: evidence.length,
    judgement: await judge(query, { ...failed, results, failure, everywhere }),
  }
}

function mapRates(counted: readonly Result[]) {
  const count = (...outcomes: number[]) => counted.filter(({ outcome }) => outcomes.includes(outcome)).length
  return {
    results: counted.length,
    failures: mapRate(count(FAILED, FLAKY), counted.length),
    flakes: mapRate(count(FLAKY), counted.length),
    state: findTestSegments(counted).state,
  }
}

/** The last results on any branch; those of the failure's and its default branch; those before the failure. */
async function readAll(query: Query, names: readonly TestName[], runId: number): Promise<Result[]> {
  const list = (branchId: number, upToRunId?: number) =>
    listResultsOfTest(query, names, { branchId, upToRunId, limit: MAX_RESULTS })
  const branches = await listBranchIds(query, runId)
  const last = (await Promise.all([ALL_BRANCHES, ...branches].map((id) => list(id)))).flat()
  const isThere = last.some(({ run_id: id }) => id === runId)
  const before = isThere ? [] : (await Promise.all(branches.map((id) => list(id, runId)))).flat()
  const rows = [...new Map([...last, ...before].map((row) => [row.run_id, row])).values()]
  const buildIds = [...new Set(rows.map(({ build_id: id }) => id))]
  return readResults(query, rows, await listInfrastructureBuilds(query, { buildIds }))
}

/** Of the branch of a run and the default branch of its build. */
async function listBranchIds(query: Query, runId: number): Promise<number[]> {
  const row = await query
    .selectFrom('live_runs as runs')
    .innerJoin('builds', 'builds.id', 'runs.build_id')
    .select(['runs.branch_id', 'builds.default_branch'])
    .where('runs.id', '=', runId)
    .executeTakeFirst()
  const branch = row?.default_branch ?? undefined
  const ofDefault = branch === undefined ? undefined : await findBranchId(query, branch)
  return [...new Set([row?.branch_id ?? 0, ...(ofDefault === undefined ? [] : [ofDefault])])]
}

async function countUnknown(
  query: Query,
  lastPassed: Result | undefined,
  { first, procedureId }: { first: Result; procedureId: number },
): Promise<number> {
  if (!lastPassed) return 0
  return countBuildsBetween(query, {
    branch: first.build.branch,
    procedureId,
    afterUs: lastPassed.build.started_at_us,
    beforeUs: first.build.started_at_us,
  })
}

/** A test keeps when it was first seen, even after its runs are deleted. */
function isFirst(names: readonly TestName[], { build }: Result): boolean {
  return Math.min(...names.map((name) => name.first_seen_us)) >= build.started_at_us
}

async function listEarlierNames(query: Query, names: readonly TestName[], testId: number) {
  const others = names.map(({ id }) => id).filter((id) => id !== testId)
  const references = await readTestReferences(query, others)
  return [...references.values()].slice(0, MAX_EXPLAINED_ITEMS)
}
