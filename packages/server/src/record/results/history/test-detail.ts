import {
  type BuildReference,
  type FlakyEvidence,
  type GetTestQuery,
  MAX_TEST_RESULTS,
  RECENT_RESULTS,
  type TestDetail,
  type TestResult,
  type TestSegment,
} from '@runledger/protocol'
import type { TestState } from '@runledger/statistics'
import { listInfrastructureBuilds } from '../builds/infrastructure-store'
import type { FileContext } from '../../files/attachments/file-context'
import type { Query } from '../../../storage/database/database'
import { parseDerivedUuid } from '../../../storage/database/keys'
import { FAILED, FLAKY, PASSED } from '../../../storage/database/schema/history'
import { type HttpError, notFound } from '../../../base/errors'
import { listErrorMessages } from '../tests/error-message-store'
import { findFailingRows } from './failing-rows'
import {
  findChanges,
  findEvidence,
  findMedian,
  findTestSegments,
  type FoundSegment,
  listCounted,
  mapBuildReference,
  mapRate,
  nameOutcome,
  readResults,
  type Result,
} from './results'
import { ALL_BRANCHES } from '../tests/result-joins'
import { mapChange, mapSeen } from './test-list'
import {
  type AskedResults,
  listNames,
  listResultsOfTest,
  type ResultRow,
  type TestName,
} from './recent-result-store'
import { findBranchId, listLoneFailuresOf } from './test-list-store'
import { readTestReferences } from '../tests/test-references'
import { findTest, listFingerprints, listTagsOfTest, type TestRow } from './test-store'

const MAX_ERRORS = 20
const MAX_BRANCHES = 50

/** `GET /v2/tests/{id}`. @throws HttpError NOT_FOUND */
export async function getTest(
  { database: { query }, clock }: FileContext,
  publicId: string,
  { branch, environment }: GetTestQuery,
): Promise<TestDetail> {
  const test = await findTestById(query, publicId)
  const names = (await listNames(query, [test.id])).get(test.id) ?? []
  const branchId = await findBranchId(query, branch)
  const rows =
    branchId === undefined
      ? []
      : await listResultsOfTest(query, names, { branchId, environment, limit: MAX_TEST_RESULTS })
  const infrastructure = await listInfrastructureBuilds(query, {
    buildIds: [...new Set(rows.map(({ build_id: id }) => id))],
  })
  const results = await readResults(query, rows, infrastructure)
  const counted = listCounted(results)
  const references = await readTestReferences(
    query,
    names.map(({ id }) => id),
  )
  const reference = references.get(test.id)
  if (!reference) throw testNotFound(publicId)
  const { segments, state } = findTestSegments(counted)
  const evidence = findEvidence(results, clock())
  return {
    ...reference,
    line: test.line,
    owner: test.owner,
    tags: await listTagsOfTest(query, rows[0]?.run_id, test.definition_id),
    ...mapSeen(names),
    branch: branch ?? null,
    ...listPlaces(await readAll(query, { names, branchId, environment }, results)),
    ...mapStatistics(counted, state),
    cost_minutes: evidence.length === 0 ? 0 : await sumCost(query, test.id, rows),
    results_list: await mapResults(query, results),
    segments: segments.map(mapSegment),
    failing_rows: findFailingRows(counted),
    changes: findChanges(counted).map(mapChange),
    flaky_evidence: mapEvidence(results, evidence),
    errors: await listErrors(query, results),
    aliases: [...references.values()].filter(({ id }) => id !== reference.id),
  }
}

/** The results of all branches and environments, which are those that were read where none was asked for. */
async function readAll(
  query: Query,
  {
    names,
    branchId,
    environment,
  }: Pick<AskedResults, 'environment'> & { names: readonly TestName[]; branchId: number | undefined },
  results: readonly Result[],
): Promise<readonly Result[]> {
  if (branchId === ALL_BRANCHES && environment === undefined) return results
  const rows = await listResultsOfTest(query, names, { branchId: ALL_BRANCHES, limit: MAX_TEST_RESULTS })
  return readResults(query, rows, new Set())
}

function testNotFound(publicId: string): HttpError {
  return notFound(`test with the id "${publicId}"`)
}

/** The test with this id, also where it is an earlier name of another one. @throws HttpError NOT_FOUND */
export async function findTestRow(query: Query, publicId: string): Promise<TestRow> {
  const key = parseDerivedUuid('test', publicId)?.run_id
  const test = key === undefined ? undefined : await findTest(query, key)
  if (!test) throw testNotFound(publicId)
  return test
}

/** The test, or the one that it is an earlier name of. @throws HttpError NOT_FOUND */
export async function findTestById(query: Query, publicId: string): Promise<TestRow> {
  const test = await findTestRow(query, publicId)
  return test.alias_of === null ? test : ((await findTest(query, test.alias_of)) ?? test)
}

function listPlaces(results: readonly Result[]): Pick<TestDetail, 'branches' | 'environments'> {
  const newest = results.toReversed()
  const branches = new Set(newest.flatMap(({ build }) => build.branch ?? []))
  const environments = new Set(newest.flatMap((result) => result.environment ?? []))
  return {
    branches: [...branches].slice(0, MAX_BRANCHES),
    environments: [...environments].slice(0, MAX_BRANCHES),
  }
}

function mapStatistics(counted: readonly Result[], state: TestState) {
  const passed = counted.filter(({ outcome }) => outcome === PASSED).map(({ duration_us: us }) => us / 1000)
  const failed = counted.filter(({ outcome }) => outcome === FAILED).length
  const flaky = counted.filter(({ outcome }) => outcome === FLAKY).length
  return {
    results: counted.length,
    failures: mapRate(failed + flaky, counted.length),
    flakes: mapRate(flaky, counted.length),
    state,
    mean_ms: passed.length === 0 ? null : passed.reduce((sum, ms) => sum + ms, 0) / passed.length,
    p50_ms: findMedian(passed.slice(-RECENT_RESULTS)),
  }
}

/** Minutes of the builds that failed because of this test alone. */
async function sumCost(query: Query, testId: number, rows: readonly ResultRow[]): Promise<number> {
  const failed = rows.filter(({ outcome }) => outcome === FAILED).map(({ build_id: id }) => id)
  if (failed.length === 0) return 0
  const alone = await listLoneFailuresOf(query, [...new Set(failed)])
  const own = alone.filter(({ test_id: id }) => id === testId)
  return own.reduce((sum, { duration_us: us }) => sum + us, 0) / 60_000_000
}

async function mapResults(query: Query, results: readonly Result[]): Promise<TestResult[]> {
  const fingerprints = await listFingerprints(
    query,
    results.flatMap(({ error_group_id: id }) => id ?? []),
  )
  return results.map((result) => ({
    run_id: result.run_public_id,
    build: mapBuildReference(result.build),
    environment: result.environment,
    outcome: nameOutcome(result.outcome),
    duration_ms: result.duration_us / 1000,
    fingerprint: fingerprints.get(result.error_group_id ?? 0) ?? null,
    is_infrastructure: result.isInfrastructure,
  }))
}

function mapSegment({ segment, results, border }: FoundSegment): TestSegment {
  const [first, last] = [results[0], results.at(-1)] as [Result, Result]
  const { rate = 0 } = segment.failureRate
  const reference = (build: Result['build'] | undefined): BuildReference | null =>
    build ? mapBuildReference(build) : null
  return {
    state: stateOfSegment(rate, segment.failureRate.high),
    first_build: mapBuildReference(first.build),
    last_build: mapBuildReference(last.build),
    earliest_first_build: reference(border?.[0]),
    latest_first_build: reference(border?.[1]),
    builds: new Set(results.map(({ build }) => build.id)).size,
    failures: mapRate(segment.counts.failed, segment.counts.results),
  }
}

/** Of a segment that is over: whether it passed, failed, or did both. */
function stateOfSegment(rate: number, high: number): TestSegment['state'] {
  if (rate >= 0.8) return 'broken'
  if (rate === 0) return high < 0.01 ? 'healthy' : 'unknown'
  return 'flaky'
}

export function mapEvidence(
  results: readonly Result[],
  evidence: ReturnType<typeof findEvidence>,
): FlakyEvidence[] {
  return evidence.toReversed().flatMap((one): FlakyEvidence[] => {
    const attempts = one.kind === 'passed-on-retry' ? [one.buildId] : one.failedBuildIds
    const result = results.findLast(
      ({ build, rerun, outcome }) =>
        attempts.includes(`${build.id} ${rerun ?? ''}`) && (outcome === FLAKY || outcome === FAILED),
    )
    return result
      ? [
          {
            kind: one.kind,
            build: mapBuildReference(result.build),
            run_id: result.run_public_id,
            commit: result.build.git_commit,
          },
        ]
      : []
  })
}

async function listErrors(query: Query, results: readonly Result[]): Promise<TestDetail['errors']> {
  const last = new Map<number, Result>()
  const counts = new Map<number, number>()
  for (const result of results) {
    if (result.error_group_id === null) continue
    last.set(result.error_group_id, result)
    counts.set(result.error_group_id, (counts.get(result.error_group_id) ?? 0) + 1)
  }
  const most = [...counts].toSorted(([, one], [, other]) => other - one).slice(0, MAX_ERRORS)
  const texts = await listErrorMessages(
    query,
    most.map(([id]) => ({ id, runId: last.get(id)?.run_id ?? 0 })),
  )
  return most.flatMap(([id, count]) => {
    const [text, result] = [texts.get(id), last.get(id)]
    return text && result
      ? [
          {
            fingerprint: text.fingerprint,
            message: text.message,
            count,
            last_build: mapBuildReference(result.build),
          },
        ]
      : []
  })
}
