import {
  type ExplainFailuresQuery,
  type Explanation,
  type FailureExplanation,
  type FailureVerdict,
  ListBuildsQuerySchema,
  MAX_EXPLAINED_ITEMS,
  type TestReference,
} from '@runledger/protocol'
import { formatRerun } from '@runledger/presentation'
import type { FileContext } from '../../files/attachments/file-context'
import { HttpError, notFound } from '../../../base/errors'
import type { Query } from '../../../storage/database/database'
import { type BuildsTable, FAILED, FLAKY } from '../../../storage/database/schema/history'
import { mapMetadata } from '../../catalogue/metadata/store'
import { listBuildItems } from '../builds/read-build'
import { findBuild, listBuilds } from '../builds/store'
import { findLastBuild } from '../history/build-test-store'
import { readBuildRows } from '../history/results'
import { findTestById } from '../history/test-detail'
import { listNames, listResultsOfTest } from '../history/recent-result-store'
import { findBranchId } from '../history/test-list-store'
import { runNotFound } from '../runs/map'
import { findRun, findRunHeads, listMetadata } from '../runs/store'
import { readTestReferences } from '../tests/test-references'
import { listVerdicts } from '../verdicts/list-verdicts'
import { findBuildOfRun, findTestOfResult } from './cause-store'
import { findFailedStep } from './failed-step'
import { type ExplainedCause, listExplainedCauses } from './list-causes'
import { readPast } from './read-past'
import { readSameError } from './same-error'

interface Found {
  build: BuildsTable | undefined
  test: TestReference | undefined
  causes: readonly ExplainedCause[]
  failures: number
}

/** @throws HttpError NOT_FOUND */
export async function explainFailures(
  context: FileContext,
  asked: ExplainFailuresQuery,
): Promise<Explanation> {
  const { query } = context.database
  const { build, test, causes, failures } = await findAsked(query, asked)
  const shown = causes.slice(0, asked.limit)
  const [item] = await listBuildItems(context, build ? [build] : [])
  const heads = await findRunHeads(
    query,
    shown.map(({ runId }) => runId),
  )
  const ids = heads.map(({ public_id: id }) => id)
  const verdicts = ids.length === 0 ? [] : (await listVerdicts(context, { ids, group: undefined })).data
  const explained = await Promise.all(shown.map((cause) => explainCause(context, cause, verdicts)))
  return {
    build: item ?? null,
    test: test ?? null,
    failures_count: failures,
    causes_count: causes.length,
    failures: explained.flatMap((one) => one ?? []),
  }
}

async function findAsked(query: Query, asked: ExplainFailuresQuery): Promise<Found> {
  if (asked.run_id !== undefined) {
    const run = await findRun(query, asked.run_id)
    if (!run) throw runNotFound(asked.run_id)
    const buildId = await findBuildOfRun(query, run.id)
    return { ...(await readCauses(query, { runId: run.id })), build: await readBuildRow(query, buildId) }
  }
  if (asked.test_id !== undefined) return findAskedTest(query, asked.test_id, asked.branch)
  const build = await findAskedBuild(query, asked)
  if (!build) return { build: undefined, test: undefined, causes: [], failures: 0 }
  return { ...(await readCauses(query, { buildId: build.id })), build }
}

async function readCauses(query: Query, scope: Parameters<typeof listExplainedCauses>[1]) {
  return { ...(await listExplainedCauses(query, scope)), test: undefined }
}

async function readBuildRow(query: Query, id: number | undefined): Promise<BuildsTable | undefined> {
  return id === undefined ? undefined : (await readBuildRows(query, new Set([id]))).get(id)
}

async function findAskedBuild(
  query: Query,
  { group, branch, procedure_id: procedure }: ExplainFailuresQuery,
): Promise<BuildsTable | undefined> {
  if (group !== undefined) {
    const build = await findBuild(query, group)
    if (!build) throw notFound(`build with the group "${group}"`)
    return build
  }
  if (branch !== undefined) {
    const build = await findLastBuild(query, branch, procedure)
    if (!build) throw new HttpError('NOT_FOUND', `No build of the branch "${branch}" is on record.`)
    return build
  }
  const [last] = await listBuilds(query, ListBuildsQuerySchema.parse({ procedure_ids: procedure, limit: 1 }))
  return last
}

const MAX_RESULTS = 500

/** Finds the test's last failure, or else its last pass on a retry. */
async function findAskedTest(query: Query, id: string, branch: string | undefined): Promise<Found> {
  const row = await findTestById(query, id)
  const names = (await listNames(query, [row.id])).get(row.id) ?? []
  const branchId = await findBranchId(query, branch)
  const results =
    branchId === undefined ? [] : await listResultsOfTest(query, names, { branchId, limit: MAX_RESULTS })
  const failure =
    results.find(({ outcome }) => outcome === FAILED) ?? results.find(({ outcome }) => outcome === FLAKY)
  const cause = failure && { runId: failure.run_id, testId: row.id, tests: 1, others: [] }
  return {
    build: await readBuildRow(query, failure?.build_id),
    test: (await readTestReferences(query, [row.id])).get(row.id),
    causes: cause ? [cause] : [],
    failures: cause ? 1 : 0,
  }
}

async function explainCause(
  context: FileContext,
  cause: ExplainedCause,
  verdicts: readonly FailureVerdict[],
): Promise<FailureExplanation | undefined> {
  const { query } = context.database
  const { runId } = cause
  const [head] = await findRunHeads(query, [runId])
  const found = cause.testId === undefined ? undefined : await findTestOfResult(query, runId, cause.testId)
  const step = await findFailedStep(query, runId, found?.name)
  if (!head) return undefined
  const metadata = mapMetadata(await listMetadata(query, [runId]))
  const references = await readTestReferences(query, [...(found ? [found.id] : []), ...cause.others])
  const test = found && references.get(found.id)
  const past =
    found &&
    (await readPast(context, {
      testId: found.id,
      procedureId: found.procedure_id,
      runId,
      failedAttempts: step?.retries ?? 0,
      mergeBase: textOf(metadata['git_merge_base']),
    }))
  const name = test?.name ?? step?.name ?? head.procedure_name
  const file = test?.file ?? textOf(metadata['file']) ?? null
  const sameError = step?.error && (await readSameError(query, step.error.fingerprint, { name, file }))
  return {
    name,
    test: test ?? null,
    owner: found?.owner ?? step?.owner ?? null,
    run_id: head.public_id,
    step: step?.step ?? null,
    failed_in: step?.failed_in ?? null,
    outcome: found?.outcome === FLAKY ? 'flaky' : 'failed',
    declared_at: step?.declared_at ?? null,
    error: step?.error ?? null,
    tests_in_build: {
      count: cause.tests,
      others: cause.others.flatMap((id) => references.get(id) ?? []).slice(0, MAX_EXPLAINED_ITEMS),
    },
    same_error: sameError ?? null,
    verdict: verdicts.find(({ phase_id: id }) => id === step?.phaseId) ?? null,
    past: past ?? null,
    rerun: formatRerun({ metadata, name: found?.name ?? null, file: textOf(metadata['file']) ?? file }),
  }
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === '' ? undefined : String(value as string)
}
