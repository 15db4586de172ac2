import { type ListTestsQuery, RECENT_RESULTS, type TestState } from '@runledger/protocol'
import { upperBoundWithoutFailure } from '@runledger/statistics'
import { listInfrastructureBuilds } from '../builds/infrastructure-store'
import { US_PER_DAY, US_PER_MS } from '../../../base/clock'
import type { FileContext } from '../../files/attachments/file-context'
import type { Query } from '../../../storage/database/database'
import { groupBy } from '../../../storage/database/rows'
import { firstKeyAt } from '../../../storage/database/keys'
import { findTestSegments, listCounted, orderResults, readBuildRows, type Result } from './results'
import { listNames, listResults } from './recent-result-store'
import {
  countContradictions,
  findBranchId,
  listLoneFailures,
  type LoneFailure,
  type Period,
  sumTests,
  sumTestsOfBuilds,
  type TestFilter,
  type TestSums,
} from './test-list-store'

/** A test as lists compare it. */
export interface CountedTest extends TestSums {
  /** Builds in which it failed where it passed on the same commit. */
  contradictions: number
  costMinutes: number
}

/** The tests with results in a period, without infrastructure builds. Sorted only if `sort_by` is `name`. */
export interface CountedTests {
  tests: CountedTest[]
  infrastructure: ReadonlySet<number>
  branchId: number
}

type Asked = TestFilter & Pick<ListTestsQuery, 'branch' | 'days'>

/** What is looked up once for all tests of a branch. */
interface BranchFacts {
  infrastructure: ReadonlySet<number>
  contradictions: ReadonlyMap<number, number>
  /** By the test that failed alone. */
  loneFailures: ReadonlyMap<number, LoneFailure[]>
}

export async function countTests(
  { database: { query }, clock }: Pick<FileContext, 'database' | 'clock'>,
  asked: Asked,
): Promise<CountedTests> {
  const branchId = await findBranchId(query, asked.branch)
  if (branchId === undefined) return { tests: [], infrastructure: new Set(), branchId: 0 }
  const fromDay = Math.floor(clock() / US_PER_DAY) - asked.days + 1
  const period = { branchId, fromDay, lateDay: fromDay + Math.floor(asked.days / 2) }
  const { infrastructure, contradictions, loneFailures } = await readBranchFacts(query, period)
  const [sums, left] = await Promise.all([
    sumTests(query, period, asked),
    sumTestsOfBuilds(query, infrastructure, period),
  ])
  const leftById = new Map(left.map((row) => [row.id, row]))
  const tests = sums
    .map((test) => subtract(test, leftById.get(test.id)))
    .map((test): CountedTest => {
      const found = contradictions.get(test.id) ?? 0
      const isFlaky = test.flaky > 0 || found > 0
      const ofTest = isFlaky ? (loneFailures.get(test.id) ?? []) : []
      const costUs = ofTest.reduce((sum, { duration_us: us }) => sum + us, 0)
      return { ...test, contradictions: found, costMinutes: costUs / 60_000_000 }
    })
  return { tests, infrastructure, branchId }
}

async function readBranchFacts(query: Query, { branchId, fromDay }: Period): Promise<BranchFacts> {
  const since = { branchId, afterRunId: firstKeyAt(Math.floor((fromDay * US_PER_DAY) / US_PER_MS)) }
  const infrastructure = await listInfrastructureBuilds(query, since)
  const [contradictions, alone] = await Promise.all([
    countContradictions(query, since, infrastructure),
    listLoneFailures(query, since),
  ])
  return { infrastructure, contradictions, loneFailures: groupBy(alone, ({ test_id: id }) => id) }
}

function subtract(test: TestSums, left: Omit<TestSums, 'procedure_id'> | undefined): TestSums {
  if (!left) return test
  return {
    id: test.id,
    procedure_id: test.procedure_id,
    passed: test.passed - left.passed,
    flaky: test.flaky - left.flaky,
    failed: test.failed - left.failed,
    passed_us: test.passed_us - left.passed_us,
    late_passed: test.late_passed - left.late_passed,
    late_passed_us: test.late_passed_us - left.late_passed_us,
  }
}

const HEALTHY_BELOW = 0.01
/** Most tests whose last results are read to find their states. */
const MAX_EXAMINED = 300

/** Without a failure the counts tell the state. */
export function stateOfPassing({ passed }: TestSums): TestState {
  return upperBoundWithoutFailure(passed) < HEALTHY_BELOW ? 'healthy' : 'unknown'
}

/** States of all these tests; of those that failed, the ones that failed most are examined. */
export async function readStates(
  query: Query,
  { tests, ...counted }: CountedTests,
): Promise<Map<number, TestState>> {
  const failing = tests
    .filter(({ failed, flaky }) => failed + flaky > 0)
    .toSorted((one, other) => other.failed + other.flaky - one.failed - one.flaky)
    .slice(0, MAX_EXAMINED)
  const recent = await readRecent(query, failing, counted)
  const states = new Map(tests.map((test) => [test.id, stateOfPassing(test)]))
  for (const { id } of failing) states.set(id, findTestSegments(listCounted(recent.get(id) ?? [])).state)
  return states
}

/** The last results of these tests, the oldest first. */
export async function readRecent(
  query: Query,
  tests: readonly CountedTest[],
  { branchId, infrastructure }: Omit<CountedTests, 'tests'>,
): Promise<Map<number, Result[]>> {
  const names = await listNames(
    query,
    tests.map(({ id }) => id),
  )
  const lists = await listResults(query, names, { branchId, limit: RECENT_RESULTS })
  const rows = [...lists.values()].flat()
  const builds = await readBuildRows(query, new Set(rows.map(({ build_id: id }) => id)))
  return new Map([...lists].map(([id, list]) => [id, orderResults(list, builds, infrastructure)]))
}
