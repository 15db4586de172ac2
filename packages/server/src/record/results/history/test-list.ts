import {
  formatTimestampUs,
  type ListTestsQuery,
  type TestListItem,
  type TestPage,
  type TestState,
} from '@runledger/protocol'
import { isSlowdown, SLOWDOWN_LIMITS } from '@runledger/statistics'
import type { FileContext } from '../../files/attachments/file-context'
import type { Query } from '../../../storage/database/database'
import { listOwners } from './build-test-store'
import { PASSED } from '../../../storage/database/schema/history'
import { US_PER_DAY } from '../../../base/clock'
import { HttpError } from '../../../base/errors'
import { limitByItems } from '../../catalogue/metadata/limits'
import {
  type CountedTest,
  type CountedTests,
  countTests,
  readRecent,
  readStates,
  stateOfPassing,
} from './counted-tests'
import {
  drawResults,
  findChanges,
  findMedian,
  findTestSegments,
  listCounted,
  mapBuildReference,
  mapRate,
  type Result,
} from './results'
import { listNames, type TestName } from './recent-result-store'
import type { TestSums } from './test-list-store'
import { readTestReferences } from '../tests/test-references'

/** `GET /v2/tests`. */
export async function listTests(context: FileContext, list: ListTestsQuery): Promise<TestPage> {
  const { query } = context.database
  const counted = await countTests(context, list)
  const matching = list.states ? await filterByState(query, counted, list.states) : counted.tests
  const sorted = list.sort_by === 'name' ? matching : sortTests(matching, list.sort_by, list.sort_order)
  const from = readOffset(list.cursor)
  const items = await mapTests(context, sorted.slice(from, from + list.limit), counted)
  const end = from + limitByItems(context, items, list.limit)
  const hasMore = sorted.length > end
  return {
    data: items.slice(0, end - from).filter((item) => item !== null),
    meta: { total: sorted.length, has_more: hasMore, next_cursor: hasMore ? String(end) : null },
  }
}

/** Lists of tests change with every run: a cursor is a place in the order, and not of one test. */
function readOffset(cursor: string | undefined): number {
  if (cursor === undefined || cursor === '') return 0
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  const message = `must be the meta.next_cursor of the page before; received "${cursor}"`
  throw new HttpError('BAD_REQUEST', `The cursor ${message}.`, { issues: [{ path: ['cursor'], message }] })
}

const rateOf = (count: number, { passed, flaky, failed }: TestSums) =>
  count / Math.max(1, passed + flaky + failed)
const meanOf = (us: number, count: number) => (count === 0 ? 0 : us / count / 1000)

type Compare = (one: CountedTest, other: CountedTest) => number

/** The database sorts by name. */
type SortBy = Exclude<ListTestsQuery['sort_by'], 'name'>

function sortTests(
  tests: readonly CountedTest[],
  sortBy: SortBy,
  order: ListTestsQuery['sort_order'],
): CountedTest[] {
  const compare = COMPARISONS[sortBy]
  return tests.toSorted(
    (one, other) => (order === 'desc' ? compare(other, one) : compare(one, other)) || one.id - other.id,
  )
}

function by(valueOf: (test: CountedTest) => number): Compare {
  return (one, other) => valueOf(one) - valueOf(other)
}

const byCost = by(({ costMinutes }) => costMinutes)
const byFlakyBuilds = by(({ flaky, contradictions }) => flaky + contradictions)

const COMPARISONS: Readonly<Record<SortBy, Compare>> = {
  flaky: (one, other) => byFlakyBuilds(one, other) || byCost(one, other),
  failing: by((test) => rateOf(test.failed + test.flaky, test)),
  slow: by(({ passed_us: us, passed }) => meanOf(us, passed)),
  slower: by(growthOf),
  cost: byCost,
}

const LEAST_HALF = 5

/** By how much the mean of the second half of the period is above that of the first: 0.2 is 20 %. 0 where it is not worth showing. */
export function growthOf(test: TestSums): number {
  const early = test.passed - test.late_passed
  if (early < LEAST_HALF || test.late_passed < LEAST_HALF) return 0
  const before = meanOf(test.passed_us - test.late_passed_us, early)
  const after = meanOf(test.late_passed_us, test.late_passed)
  const isShown =
    after - before >= SLOWDOWN_LIMITS.ms && after >= before * (1 + SLOWDOWN_LIMITS.percent / 100)
  return isShown ? after / before - 1 : 0
}

async function filterByState(
  query: Query,
  counted: CountedTests,
  wanted: readonly TestState[],
): Promise<CountedTest[]> {
  const states = await readStates(query, counted)
  return counted.tests.filter(({ id }) => wanted.includes(states.get(id) ?? 'unknown'))
}

async function mapTests(
  { database: { query } }: FileContext,
  tests: readonly CountedTest[],
  counted: CountedTests,
): Promise<(TestListItem | null)[]> {
  const ids = tests.map(({ id }) => id)
  const [references, owners, names, recent] = await Promise.all([
    readTestReferences(query, ids),
    listOwners(query, ids),
    listNames(query, ids),
    readRecent(query, tests, counted),
  ])
  return tests.map((test) => {
    const reference = references.get(test.id)
    const known = names.get(test.id)
    if (!reference || !known) return null
    return {
      ...reference,
      owner: owners.get(test.id) ?? null,
      ...mapSeen(known),
      ...mapStatistics(test, recent.get(test.id) ?? []),
    }
  })
}

function mapStatistics(test: CountedTest, results: readonly Result[]) {
  const countedResults = listCounted(results)
  const change = findChanges(countedResults).findLast((one) => isSlowdown(one))
  const n = test.passed + test.flaky + test.failed
  return {
    results: n,
    failures: mapRate(test.failed + test.flaky, n),
    flakes: mapRate(test.flaky, n),
    state: test.failed + test.flaky === 0 ? stateOfPassing(test) : findTestSegments(countedResults).state,
    mean_ms: test.passed === 0 ? null : meanOf(test.passed_us, test.passed),
    cost_minutes: test.costMinutes,
    p50_ms: findMedian(
      countedResults.filter(({ outcome }) => outcome === PASSED).map(({ duration_us: us }) => us / 1000),
    ),
    recent: drawResults(results),
    change: change ? mapChange(change) : null,
  }
}

export function mapChange(change: ReturnType<typeof findChanges>[number]) {
  return {
    build: change.build ? mapBuildReference(change.build) : null,
    before_ms: change.meanBeforeMs,
    after_ms: change.meanAfterMs,
    ratio: change.changePercent / 100,
    p_value: change.pValue,
  }
}

/** When a test was first and last seen, under any of its names. */
export function mapSeen(names: readonly TestName[]) {
  const lastDay = Math.max(...names.map(({ last_seen_day: day }) => day))
  return {
    first_seen_at: formatTimestampUs(Math.min(...names.map(({ first_seen_us: us }) => us))),
    last_seen_at: formatTimestampUs(lastDay * US_PER_DAY),
  }
}
