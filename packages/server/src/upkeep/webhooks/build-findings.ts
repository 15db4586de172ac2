import { firstLine, toPlainText } from '@runledger/presentation'
import { cutWell, MAX_WEBHOOK_TESTS, type WebhookData } from '@runledger/protocol'
import type { ReportedBuild } from '../../record/results/builds/read-build'
import { listInfrastructureBuilds } from '../../record/results/builds/infrastructure-store'
import type { ProcedureRow } from '../../record/results/history/home-store'
import { listNames, listResults } from '../../record/results/history/recent-result-store'
import { orderResults, readBuildRows } from '../../record/results/history/results'
import { findBranchId } from '../../record/results/history/test-list-store'
import { listErrorMessages } from '../../record/results/tests/error-message-store'
import { formatTestId, readTestReferences } from '../../record/results/tests/test-references'
import { type LastResult, listBadResults } from '../../record/results/webhooks/result-store'
import type { StorageContext } from '../../storage/context'
import { groupBy } from '../../storage/database/rows'
import { decideState, type Finding } from './finding'
import { judgeTest, type TestKind } from './judge-test'

export type BuildContext = Pick<StorageContext, 'database' | 'clock'> & { publicUrl: string }

export interface JudgedBuild {
  procedure: ProcedureRow
  branch: string
  build: ReportedBuild
  /** The last one before it of the procedure on the branch that is no infrastructure build. */
  previous: ReportedBuild | undefined
}

type TestsData = WebhookData<TestKind>
type ListedTest = TestsData['tests'][number]

const DEFINITIONS: Readonly<Record<TestKind, string>> = {
  'test.newly_failing':
    'Failed in this build, and not in the last build before it on the branch that ran the test. Infrastructure builds and flaky tests do not count.',
  'test.fixed':
    'Failed in the last build before this one on the branch that ran the test, and ran in this one without failing. Infrastructure builds do not count, nor does one pass of a flaky test.',
  'test.newly_flaky':
    'Passed on a retry in this build, and neither failed nor was flaky in its results before it on the branch, at most the last 300.',
  'test.failing_in_a_row':
    'Failed in this build and in exactly the two before it on the branch that ran the test. Infrastructure builds do not count.',
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
  const tests = await judgeTests(context, judged, bad)
  const describe = await describeTests(context, bad, [...tests.values()].flat())
  return [
    state,
    ...[...tests].map(([kind, keys]) => createTestsFinding(judged, kind, keys.flatMap(describe))),
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

/** Results on the branch that are read of a test. */
const MAX_RESULTS = 300

async function judgeTests(
  { database: { query }, clock }: BuildContext,
  { procedure: { id: procedureId }, branch, build, previous }: JudgedBuild,
  bad: readonly LastResult[],
): Promise<Map<TestKind, number[]>> {
  const before = previous ? await listBadResults(query, { buildId: previous.id, procedureId }) : []
  const ids = [...new Set([...bad, ...before].map(({ test_id: id }) => id))]
  const branchId = ids.length === 0 ? undefined : await findBranchId(query, branch)
  if (branchId === undefined) return new Map()
  const found = await listResults(query, await listNames(query, ids), { branchId, limit: MAX_RESULTS })
  const buildIds = new Set([...found.values()].flat().map(({ build_id: id }) => id))
  const builds = await readBuildRows(query, buildIds)
  const infrastructure = await listInfrastructureBuilds(query, { buildIds: [...buildIds] })
  const judged = ids.flatMap((id) => {
    const rows = found.get(id) ?? []
    const results = orderResults(rows, builds, infrastructure).filter(
      ({ build: { id: buildId, started_at_us: startedAtUs, pull_request: request } }) =>
        buildId === build.id || (startedAtUs < build.startedAtUs && request === null),
    )
    const kinds = judgeTest(build.id, { results, isWhole: rows.length < MAX_RESULTS, nowUs: clock() })
    return kinds.map((kind) => ({ kind, id }))
  })
  const byKind = groupBy(judged, ({ kind }) => kind)
  return new Map([...byKind].map(([kind, tests]) => [kind, tests.map(({ id }) => id)]))
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
