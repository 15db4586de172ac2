import type { BuildReference, LineBuild, Rate } from '@runledger/protocol'
import { formatTimestampUs, type TestOutcome } from '@runledger/protocol'
import {
  findDurationChanges,
  findSegments,
  findTestState,
  type HistoryResult,
  isSlowdown,
  listFlakyEvidence,
  type PlacedResult,
  type Segment,
  type TestState,
  wilsonInterval,
} from '@runledger/statistics'
import type { Query } from '../../../storage/database/database'
import { isInList } from '../../../storage/database/rows'
import { type BuildsTable, FAILED, FLAKY, PASSED, SKIPPED } from '../../../storage/database/schema/history'
import type { ResultRow } from './recent-result-store'

export interface Result extends ResultRow {
  build: BuildsTable
  isInfrastructure: boolean
}

export async function readResults(
  query: Query,
  rows: readonly ResultRow[],
  infrastructure: ReadonlySet<number>,
): Promise<Result[]> {
  const builds = await readBuildRows(query, new Set(rows.map(({ build_id: id }) => id)))
  return orderResults(rows, builds, infrastructure)
}

export async function readBuildRows(
  query: Query,
  ids: ReadonlySet<number>,
): Promise<Map<number, BuildsTable>> {
  if (ids.size === 0) return new Map()
  const builds = await query
    .selectFrom('builds')
    .selectAll()
    .where(isInList(query, 'id', [...ids]))
    .execute()
  return new Map(builds.map((build) => [build.id, build]))
}

export function orderResults(
  rows: readonly ResultRow[],
  builds: ReadonlyMap<number, BuildsTable>,
  infrastructure: ReadonlySet<number>,
): Result[] {
  return rows
    .flatMap((row): Result[] => {
      const build = builds.get(row.build_id)
      return build ? [{ ...row, build, isInfrastructure: infrastructure.has(row.build_id) }] : []
    })
    .toSorted(
      (one, other) => one.build.started_at_us - other.build.started_at_us || one.run_id - other.run_id,
    )
}

const OUTCOMES: Readonly<Record<number, TestOutcome>> = {
  [SKIPPED]: 'skipped',
  [PASSED]: 'passed',
  [FLAKY]: 'flaky',
  [FAILED]: 'failed',
}

export function nameOutcome(outcome: number): TestOutcome {
  return OUTCOMES[outcome] ?? 'skipped'
}

const LETTERS: Readonly<Record<number, string>> = {
  [SKIPPED]: 's',
  [PASSED]: 'p',
  [FLAKY]: 'r',
  [FAILED]: 'f',
}

export function drawResults(results: readonly Result[]): string {
  return results
    .map(({ outcome, isInfrastructure }) =>
      isInfrastructure && outcome === FAILED ? 'i' : (LETTERS[outcome] ?? 's'),
    )
    .join('')
}

/** Rates and segments count these. */
export function listCounted(results: readonly Result[]): Result[] {
  return results.filter(({ outcome, isInfrastructure }) => outcome !== SKIPPED && !isInfrastructure)
}

export function mapRate(count: number, of: number): Rate {
  const { rate, low, high } = wilsonInterval(count, of)
  return of === 0
    ? { count, of, rate: null, low: null, high: null }
    : { count, of, rate: rate ?? null, low: low ?? null, high: high ?? null }
}

export interface FoundSegment {
  segment: Segment
  results: readonly Result[]
  /** It began between these builds, at 99 %. */
  border: readonly [earliest: BuildsTable, latest: BuildsTable] | undefined
}

/** A build is a position, which its results share. */
export function findTestSegments(counted: readonly Result[]): { segments: FoundSegment[]; state: TestState } {
  const builds = [...new Map(counted.map(({ build }) => [build.id, build])).values()]
  const positions = new Map(builds.map((build, index) => [build.id, index + 1]))
  const history = counted.map(({ build, outcome }): HistoryResult => ({
    position: positions.get(build.id) ?? 0,
    failed: outcome !== PASSED,
    ...(outcome === FLAKY ? { retry: 'passed' as const } : {}),
  }))
  const segments = findSegments(history)
  return {
    segments: segments.map((segment) => ({
      segment,
      results: counted.slice(segment.from, segment.to),
      border: findBorder(segment, builds),
    })),
    state: findTestState(history, segments),
  }
}

function findBorder({ border }: Segment, builds: readonly BuildsTable[]): FoundSegment['border'] {
  if (!border) return undefined
  // After position `after`: from the next one on.
  const [earliest, latest] = [builds[border.after], builds[border.upTo - 1]]
  return earliest && latest ? [earliest, latest] : undefined
}

/** Of passed first attempts in the environment that has most of them. */
export function findChanges(counted: readonly Result[]) {
  const passed = counted.filter(({ outcome }) => outcome === PASSED)
  const main = mostCommon(passed.map(({ environment }) => environment))
  const inMain = passed.filter(({ environment }) => environment === main)
  return findDurationChanges(inMain.map(({ duration_us: us }) => us / 1000))
    .filter(
      (change) =>
        isSlowdown(change) ||
        isSlowdown({ ...change, changePercent: -change.changePercent, changeMs: -change.changeMs }),
    )
    .map((change) => ({ ...change, build: inMain[change.index]?.build }))
}

function mostCommon(texts: readonly (string | null)[]): string | null | undefined {
  const counts = new Map<string | null, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0]
}

export function findEvidence(results: readonly Result[], nowUs: number) {
  const placed = results
    .filter(({ outcome }) => outcome !== SKIPPED)
    .map(({ build, rerun, environment, outcome, started_at_us: us, isInfrastructure }): PlacedResult => ({
      first: outcome === PASSED ? 'passed' : 'failed',
      last: outcome === FAILED ? 'failed' : 'passed',
      infrastructure: isInfrastructure,
      buildId: `${build.id} ${rerun ?? ''}`,
      commit: build.git_commit ?? undefined,
      environment: environment ?? '',
      atMs: us / 1000,
    }))
  return listFlakyEvidence(placed, { builds: 100, days: 14, nowMs: nowUs / 1000 })
}

export function findMedian(numbers: readonly number[]): number | null {
  if (numbers.length === 0) return null
  const sorted = numbers.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

export function mapLineBuild(build: BuildsTable): LineBuild {
  return { ...mapBuildReference(build), commit_subject: build.commit_subject }
}

export function mapBuildReference(build: BuildsTable): BuildReference {
  return {
    group: build.group_name,
    branch: build.branch,
    commit: build.git_commit,
    author: build.author,
    started_at: formatTimestampUs(build.started_at_us),
  }
}
