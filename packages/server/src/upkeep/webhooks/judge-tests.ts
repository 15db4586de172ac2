import type { ReportedBuild } from '../../record/results/builds/read-build'
import { listInfrastructureBuilds } from '../../record/results/builds/infrastructure-store'
import { listNames, listResults, type TestName } from '../../record/results/history/recent-result-store'
import { findEvidence, orderResults, readBuildRows, type Result } from '../../record/results/history/results'
import { findBranchId } from '../../record/results/history/test-list-store'
import { ALL_BRANCHES } from '../../record/results/tests/result-joins'
import { findLastRunId, listFailedTests } from '../../record/results/webhooks/result-store'
import type { StorageContext } from '../../storage/context'
import type { Query } from '../../storage/database/database'
import { FLAKY } from '../../storage/database/schema/history'
import { type Judgement, judgeTest, type TestKind } from './judge-test'

export interface BuildInLine {
  procedureId: number
  branch: string
  build: ReportedBuild
  /** Builds of the procedure on the branch before it, without those of pull requests. */
  earlier: readonly ReportedBuild[]
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
  context: Pick<StorageContext, 'database' | 'clock'>,
  line: BuildInLine,
  bad: readonly number[],
): Promise<JudgedTest[]> {
  const { query } = context.database
  const { procedureId, build, earlier, branch } = line
  const buildIds = earlier.filter(isComparable).map(({ id }) => id)
  const ids = [...new Set([...bad, ...(await listFailedTests(query, { buildIds, procedureId }))])]
  const branchId = ids.length === 0 ? undefined : await findBranchId(query, branch)
  if (branchId === undefined) return []
  const upToRunId = await findLastRunId(
    query,
    [build, ...earlier].map(({ id }) => id),
  )
  const judged: JudgedTest[] = []
  for (let from = 0; from < ids.length; from += TESTS_AT_ONCE) {
    const names = await listNames(query, ids.slice(from, from + TESTS_AT_ONCE))
    judged.push(...(await judgeSome(context, { line, names, branchId, upToRunId })))
  }
  return judged
}

/** The results of an infrastructure build say nothing about the tests. */
function isComparable({ item }: ReportedBuild): boolean {
  return item.state !== 'running' && !item.is_infrastructure
}

interface Asked {
  line: BuildInLine
  names: ReadonlyMap<number, readonly TestName[]>
  branchId: number
  upToRunId: number
}

async function judgeSome(
  { database: { query }, clock }: Pick<StorageContext, 'database' | 'clock'>,
  asked: Asked,
): Promise<JudgedTest[]> {
  const { line, names } = asked
  const results = await readResults(query, asked)
  const judged = [...results].flatMap(([id, found]): (JudgedTest & Judgement)[] => {
    const judgement = judgeTest(line.build.id, {
      results: found.filter(isInLine(line)),
      isWhole: found.length < MAX_RESULTS,
    })
    const keys = names.get(id)?.map((name) => name.id) ?? []
    return judgement ? [{ ...judgement, id, keys }] : []
  })
  const doubtful = judged
    .filter(({ isDoubtful }) => isDoubtful)
    .map(({ id }) => [id, names.get(id) ?? []] as const)
  const everywhere = await readResults(query, { ...asked, names: new Map(doubtful), branchId: ALL_BRANCHES })
  const isKnownFlaky = (id: number) => {
    // A retry in this build says nothing about whether it was flaky before.
    const others = everywhere
      .get(id)
      ?.filter(({ build, outcome }) => build.id !== line.build.id || outcome !== FLAKY)
    return findEvidence(others ?? [], clock()).length > 0
  }
  return judged.filter(({ id, isDoubtful }) => !isDoubtful || !isKnownFlaky(id))
}

/** Results of earlier builds that are still running would be judged too early. */
function isInLine({ build, earlier }: BuildInLine) {
  const running = new Set(earlier.filter(({ item }) => item.state === 'running').map(({ id }) => id))
  return ({ build: { id, started_at_us: startedAtUs, pull_request: request } }: Result) =>
    id === build.id || (startedAtUs < build.startedAtUs && request === null && !running.has(id))
}

async function readResults(
  query: Query,
  { names, branchId, upToRunId }: Omit<Asked, 'line'>,
): Promise<Map<number, Result[]>> {
  const found = await listResults(query, names, { branchId, upToRunId, limit: MAX_RESULTS })
  const buildIds = new Set([...found.values()].flat().map(({ build_id: id }) => id))
  const [builds, infrastructure] = await Promise.all([
    readBuildRows(query, buildIds),
    listInfrastructureBuilds(query, { buildIds: [...buildIds] }),
  ])
  return new Map([...found].map(([id, rows]) => [id, orderResults(rows, builds, infrastructure)]))
}
