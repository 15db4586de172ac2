import type { ReportedBuild } from '../../record/results/builds/read-build'
import { listInfrastructureBuilds } from '../../record/results/builds/infrastructure-store'
import type { ProcedureRow } from '../../record/results/history/home-store'
import { listNames, listResults, type TestName } from '../../record/results/history/recent-result-store'
import { findEvidence, orderResults, readBuildRows, type Result } from '../../record/results/history/results'
import { findBranchId } from '../../record/results/history/test-list-store'
import { ALL_BRANCHES } from '../../record/results/tests/result-joins'
import { findLastRunId, listFailedTests } from '../../record/results/webhooks/result-store'
import type { Query } from '../../storage/database/database'
import { groupBy } from '../../storage/database/rows'
import { type BuildsTable, FLAKY } from '../../storage/database/schema/history'
import { type Judgement, judgeTest, type TestKind } from './judge-test'

export interface JudgedBuild {
  procedure: ProcedureRow
  branch: string
  build: ReportedBuild
  /** Builds of the procedure on the branch before it, without those of pull requests. */
  earlier: readonly ReportedBuild[]
  /** Builds of the branch that are not judged yet, because they are running or have just reported. */
  openBuilds: ReadonlySet<number>
}

export interface JudgedTest {
  kind: TestKind
  /** The key of the test. */
  id: number
  /** The keys of all its names. */
  keys: number[]
}

/** Results that are read of a test, up to the last run of the build and of those before it. */
const MAX_RESULTS = 300
const TESTS_AT_ONCE = 100

/** `bad` lists the tests that failed or were flaky in the build. */
export async function judgeTests(
  query: Query,
  judgedBuild: JudgedBuild,
  bad: readonly number[],
): Promise<JudgedTest[]> {
  const { procedure, build, earlier, branch } = judgedBuild
  // The results of an infrastructure build say nothing about the tests.
  const buildIds = earlier.filter(({ item }) => !item.is_infrastructure).map(({ id }) => id)
  const ids = [
    ...new Set([...bad, ...(await listFailedTests(query, { buildIds, procedureId: procedure.id }))]),
  ]
  const branchId = ids.length === 0 ? undefined : await findBranchId(query, branch)
  if (branchId === undefined) return []
  const upToRunId = await findLastRunId(
    query,
    [build, ...earlier].map(({ id }) => id),
  )
  const judged: JudgedTest[] = []
  for (let from = 0; from < ids.length; from += TESTS_AT_ONCE) {
    const names = await listNames(query, ids.slice(from, from + TESTS_AT_ONCE))
    judged.push(...(await judgeSome(query, { judgedBuild, names, branchId, upToRunId })))
  }
  return judged
}

interface Asked {
  judgedBuild: JudgedBuild
  names: ReadonlyMap<number, readonly TestName[]>
  branchId: number
  upToRunId: number
}

async function judgeSome(query: Query, asked: Asked): Promise<JudgedTest[]> {
  const { judgedBuild, names } = asked
  const results = await readResults(query, asked)
  const judged = [...results].flatMap(([id, found]): (JudgedTest & Judgement)[] => {
    const judgement = judgeTest(judgedBuild.build.id, {
      results: found.filter(isBefore(judgedBuild)),
      isWhole: found.length < MAX_RESULTS,
    })
    const keys = names.get(id)?.map((name) => name.id) ?? []
    return judgement ? [{ ...judgement, id, keys }] : []
  })
  const flaky = await listFlaky(query, judged, { ...asked, results })
  return judged.filter(({ id, doubtfulSince }) => !doubtfulSince || !flaky.has(id))
}

/** Tests that were flaky when they began to fail. It reads no later results, so that later judgements find the same. */
async function listFlaky(
  query: Query,
  judged: readonly (JudgedTest & Judgement)[],
  { names, results }: Asked & { results: ReadonlyMap<number, readonly Result[]> },
): Promise<Set<number>> {
  const flaky = new Set<number>()
  for (const [since, tests] of groupBy(judged, ({ doubtfulSince }) => doubtfulSince)) {
    if (!since) continue
    const everywhere = await readResults(query, {
      names: new Map(tests.map(({ id }) => [id, names.get(id) ?? []])),
      branchId: ALL_BRANCHES,
      upToRunId: await findLastRunId(query, [since.id]),
    })
    for (const { id } of tests)
      if ([results, everywhere].some((of) => hasEvidence(of.get(id) ?? [], since))) flaky.add(id)
  }
  return flaky
}

/** Whether results up to a build show that the test is flaky. A retry in that build says nothing about whether it was so before. */
function hasEvidence(results: readonly Result[], { id, started_at_us: startedAtUs }: BuildsTable): boolean {
  const until = results.filter(
    ({ build, outcome }) => build.started_at_us < startedAtUs || (build.id === id && outcome !== FLAKY),
  )
  return findEvidence(until, startedAtUs).length > 0
}

/** Whether a result is of the judged build or of one that counts as before it. */
function isBefore({ build, openBuilds }: JudgedBuild) {
  return ({ build: { id, started_at_us: startedAtUs, pull_request: request } }: Result) =>
    id === build.id || (startedAtUs < build.startedAtUs && request === null && !openBuilds.has(id))
}

async function readResults(
  query: Query,
  { names, branchId, upToRunId }: Omit<Asked, 'judgedBuild'>,
): Promise<Map<number, Result[]>> {
  const found = await listResults(query, names, { branchId, upToRunId, limit: MAX_RESULTS })
  const buildIds = new Set([...found.values()].flat().map(({ build_id: id }) => id))
  const [builds, infrastructure] = await Promise.all([
    readBuildRows(query, buildIds),
    listInfrastructureBuilds(query, { buildIds: [...buildIds] }),
  ])
  return new Map([...found].map(([id, rows]) => [id, orderResults(rows, builds, infrastructure)]))
}
