import { firstLine, toPlainText } from '@runledger/presentation'
import {
  cutWell,
  type FailureVerdict,
  MAX_VERDICT_RUNS,
  MAX_WEBHOOK_TESTS,
  type Verdict,
  type WebhookData,
} from '@runledger/protocol'
import type { ReportedBuild } from '../../record/results/builds/read-build'
import { listInfrastructureBuilds } from '../../record/results/builds/infrastructure-store'
import type { ProcedureRow } from '../../record/results/history/home-store'
import { listNames, listResults, type ResultRow } from '../../record/results/history/recent-result-store'
import { findBranchId } from '../../record/results/history/test-list-store'
import { listErrorMessages } from '../../record/results/tests/error-message-store'
import { formatTestId, readTestReferences } from '../../record/results/tests/test-references'
import { listVerdicts } from '../../record/results/verdicts/list-verdicts'
import { type LastResult, listBadResults, listRanTests } from '../../record/results/webhooks/result-store'
import type { StorageContext } from '../../storage/context'
import type { Query } from '../../storage/database/database'
import { groupBy } from '../../storage/database/rows'
import { FAILED, FLAKY } from '../../storage/database/schema/history'
import { decideState, type Finding } from './finding'

export type BuildContext = Pick<StorageContext, 'database' | 'clock'> & { publicUrl: string }

export interface JudgedBuild {
  procedure: ProcedureRow
  branch: string
  build: ReportedBuild
  /** The last one before it of the procedure on the branch that can be compared. */
  previous: ReportedBuild | undefined
  /** How many infrastructure builds are directly before it. */
  infrastructureBefore: number
}

type TestKind = 'test.newly_failing' | 'test.fixed' | 'test.newly_flaky' | 'test.failing_in_a_row'
type TestsData = WebhookData<TestKind>
type ListedTest = TestsData['tests'][number]

/** Failures that were not there in the builds before it. */
const NEW_VERDICTS: readonly Verdict[] = ['new', 'first_seen', 'first_failure']
/** Builds in which a test failed before this one, for three in a row. */
const BUILDS_BEFORE = 2
/** Results before that decide whether a flaky test is newly so. */
const RECENT_RESULTS = 100

const DEFINITIONS: Readonly<Record<TestKind, string>> = {
  'test.newly_failing': 'Failed in this build, and not in the last build before it on the branch.',
  'test.fixed':
    'Failed in the build before this one on the branch, and ran in this one without failing. One pass of a flaky test does not count.',
  'test.newly_flaky': `Passed on a retry in this build, and neither failed nor was flaky in its last ${RECENT_RESULTS} results on the branch.`,
  'test.failing_in_a_row': 'Failed in this build and in exactly the two before it on the branch.',
}

/** Finds what messages a build that has ended or is incomplete may cause. */
export async function findInBuild(context: BuildContext, judged: JudgedBuild): Promise<Finding[]> {
  const { query } = context.database
  const state = findState(judged)
  if (judged.build.item.is_infrastructure) return [state]
  const bad = await listBadResults(query, {
    buildId: judged.build.id,
    procedureId: judged.procedure.id,
  })
  const { newlyFailing, inARow } = await listFailing(context, judged, bad)
  const tests: Record<TestKind, number[]> = {
    'test.newly_failing': newlyFailing,
    'test.fixed': await listFixed(context, judged, bad),
    'test.newly_flaky': await listNewlyFlaky(query, judged, bad),
    'test.failing_in_a_row': inARow,
  }
  const describe = await describeTests(context, bad, Object.values(tests).flat())
  return [
    state,
    ...(Object.entries(tests) as [TestKind, number[]][]).flatMap(([kind, keys]) =>
      keys.length === 0 ? [] : [createTestsFinding(judged, kind, keys.flatMap(describe))],
    ),
  ]
}

function findState({ procedure, build: { id, item, lastReportedAtUs } }: JudgedBuild): Finding {
  const data = {
    procedure: mapProcedure(procedure),
    build: mapBuild(item),
    state: item.state,
    missing: item.missing,
  }
  return {
    event: 'build.incomplete',
    procedureId: procedure.id,
    // Without the procedure: a build of several procedures causes one message.
    subject: `build ${id} state`,
    reportedAtUs: lastReportedAtUs,
    decide: (_webhook, sent) =>
      decideState(
        {
          isOn: item.state === 'incomplete',
          on: { type: 'build.incomplete', data },
          off: { type: 'build.completed', data },
        },
        sent,
      ),
  }
}

function createTestsFinding(
  { procedure, build: { id, item, lastReportedAtUs } }: JudgedBuild,
  kind: TestKind,
  tests: readonly ListedTest[],
): Finding {
  return {
    event: kind,
    procedureId: procedure.id,
    subject: `build ${id} ${procedure.id} ${kind}`,
    reportedAtUs: lastReportedAtUs,
    decide: (_webhook, sent) => {
      const sentIds = new Set(sent.flatMap(({ test_ids: ids }) => JSON.parse(ids) as string[]))
      const unsent = tests.filter((test) => !sentIds.has(test.id))
      if (unsent.length === 0) return undefined
      const listed = unsent.slice(0, MAX_WEBHOOK_TESTS)
      const data: TestsData = {
        procedure: mapProcedure(procedure),
        build: mapBuild(item),
        tests: listed,
        more: unsent.length - listed.length,
        definition: DEFINITIONS[kind],
      }
      return { content: { type: kind, data }, testIds: unsent.map((test) => test.id) }
    },
  }
}

function mapProcedure({ id_text: id, identifier, name }: ProcedureRow) {
  return { id, identifier, name }
}

function mapBuild({ group, url, branch, commit }: ReportedBuild['item']) {
  return { group, url, branch, commit }
}

/** Only tests whose last result in an environment of the build is a failure. */
async function listFailing(
  context: BuildContext,
  { infrastructureBefore }: JudgedBuild,
  bad: readonly LastResult[],
): Promise<{ newlyFailing: number[]; inARow: number[] }> {
  const failed = bad.filter(({ outcome }) => outcome === FAILED)
  const verdictOf = await readVerdicts(context, failed)
  const select = (isWanted: (verdict: FailureVerdict) => boolean) => [
    ...new Set(
      failed.flatMap((result) => {
        const verdict = verdictOf(result)
        return verdict && isWanted(verdict) ? [result.test_id] : []
      }),
    ),
  ]
  // Infrastructure builds send no messages about their failures.
  const countBefore = ({ failing_since: since }: FailureVerdict) =>
    (since?.builds ?? 0) - infrastructureBefore
  return {
    newlyFailing: select(
      (found) =>
        NEW_VERDICTS.includes(found.verdict) ||
        (found.verdict === 'already_failing' && infrastructureBefore > 0 && countBefore(found) <= 0),
    ),
    inARow: select((found) => countBefore(found) === BUILDS_BEFORE),
  }
}

/** An answer has a limited number of verdicts. */
const RUNS_AT_ONCE = 10

async function readVerdicts(
  context: BuildContext,
  failed: readonly LastResult[],
): Promise<(result: LastResult) => FailureVerdict | undefined> {
  const ids = [...new Set(failed.map(({ run_public_id: id }) => id))].slice(0, MAX_VERDICT_RUNS)
  const verdicts = new Map<string, FailureVerdict>()
  for (let from = 0; from < ids.length; from += RUNS_AT_ONCE) {
    const { data } = await listVerdicts(context, { ids: ids.slice(from, from + RUNS_AT_ONCE) })
    for (const verdict of data) verdicts.set(keyOf(verdict.run_id, verdict.name), verdict)
  }
  return ({ run_public_id: runId, name }) => verdicts.get(keyOf(runId, name))
}

function keyOf(runId: string, name: string): string {
  return `${runId} ${name}`
}

/** Failed in the build before, ran again in the same environments, and fails in none. A flaky test is not fixed by one pass. */
async function listFixed(
  context: BuildContext,
  { procedure: { id: procedureId }, build, previous }: JudgedBuild,
  bad: readonly LastResult[],
): Promise<number[]> {
  if (!previous) return []
  const { query } = context.database
  const failing = new Set(bad.filter(({ outcome }) => outcome === FAILED).map(({ test_id: id }) => id))
  const before = (await listBadResults(query, { buildId: previous.id, procedureId })).filter(
    ({ outcome, test_id: id }) => outcome === FAILED && !failing.has(id),
  )
  const byTest = groupBy(before, ({ test_id: id }) => id)
  const ran = await listRanTests(query, { buildId: build.id, procedureId }, [...byTest.keys()])
  const places = new Set(ran.map(({ test_id: id, environment }) => `${id} ${environment}`))
  const verdictOf = await readVerdicts(context, before)
  const isFixed = (result: LastResult) =>
    places.has(`${result.test_id} ${result.environment}`) && verdictOf(result)?.verdict !== 'flaky'
  return [...byTest].filter(([, results]) => results.every(isFixed)).map(([id]) => id)
}

async function listNewlyFlaky(
  query: Query,
  { build, branch }: JudgedBuild,
  bad: readonly LastResult[],
): Promise<number[]> {
  const flaky = bad.filter(({ outcome }) => outcome === FLAKY)
  const branchId = flaky.length === 0 ? undefined : await findBranchId(query, branch)
  if (branchId === undefined) return []
  const names = await listNames(
    query,
    flaky.map(({ test_id: id }) => id),
  )
  const results = await listResults(query, names, { branchId, limit: RECENT_RESULTS + 1 })
  const badOf = ({ test_id: id, run_id: runId }: LastResult): ResultRow[] =>
    (results.get(id) ?? []).filter(
      (row) => row.run_id < runId && row.build_id !== build.id && row.outcome >= FLAKY,
    )
  const buildIds = [...new Set(flaky.flatMap(badOf).map(({ build_id: id }) => id))]
  const infrastructure = await listInfrastructureBuilds(query, { buildIds })
  return [...groupBy(flaky, ({ test_id: id }) => id)]
    .filter(([, results]) => results.flatMap(badOf).every(({ build_id: id }) => infrastructure.has(id)))
    .map(([id]) => id)
}

const MAX_ERROR_LENGTH = 300
/** For the tests that messages of all kinds list. */
const MOST_ERRORS = 10 * MAX_WEBHOOK_TESTS

/** Describes tests by their keys; those of deleted procedures are left out. */
async function describeTests(
  { database: { query }, publicUrl }: BuildContext,
  bad: readonly LastResult[],
  keys: readonly number[],
): Promise<(key: number) => ListedTest[]> {
  const wanted = new Set(keys)
  const results = bad.filter(({ test_id: id }) => wanted.has(id))
  const asked = results.flatMap(({ error_group_id: id, run_id: runId }) =>
    id === null ? [] : [{ id, runId }],
  )
  const [references, messages] = await Promise.all([
    readTestReferences(query, [...wanted]),
    listErrorMessages(query, asked.slice(0, MOST_ERRORS)),
  ])
  const errors = new Map(results.map((result) => [result.test_id, messages.get(result.error_group_id ?? 0)]))
  return (key) => {
    const reference = references.get(key)
    if (!reference) return []
    const error = errors.get(key)
    return [
      {
        id: formatTestId(key),
        name: reference.name,
        file: reference.file,
        url: `${publicUrl}/tests/${reference.id}`,
        error: error ? cutWell(firstLine(toPlainText(error.message)), MAX_ERROR_LENGTH) : null,
      },
    ]
  }
}
