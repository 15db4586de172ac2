import { firstLine, toPlainText } from '@runledger/presentation'
import { cutWell, MAX_WEBHOOK_TESTS, type WebhookData } from '@runledger/protocol'
import type { ReportedBuild } from '../../record/results/builds/read-build'
import type { ProcedureRow } from '../../record/results/history/home-store'
import { listErrorMessages } from '../../record/results/tests/error-message-store'
import { formatTestId, readTestReferences } from '../../record/results/tests/test-references'
import { type BadResult, listBadResults } from '../../record/results/webhooks/result-store'
import type { StorageContext } from '../../storage/context'
import { groupBy } from '../../storage/database/rows'
import { decideState, type Finding } from './finding'
import type { TestKind } from './judge-test'
import { type JudgedBuild, type JudgedTest, judgeTests } from './judge-tests'

export type BuildContext = Pick<StorageContext, 'database' | 'clock'> & { publicUrl: string }

type TestsData = WebhookData<TestKind>

interface DescribedTest {
  listed: TestsData['tests'][number]
  /** The ids that it has or had under other names. */
  ids: string[]
}

const DEFINITIONS: Readonly<Record<TestKind, string>> = {
  'test.newly_failing':
    'Began to fail in this build of the branch: before it, the test failed in no environment. Infrastructure builds and flaky tests do not count.',
  'test.fixed':
    'Failed before on the branch, and has now passed in each environment in which it failed. Infrastructure builds do not count, nor do tests that were flaky when they began to fail, unless they failed three times in a row.',
  'test.newly_flaky':
    'Passed on a retry in this build, and neither failed nor was flaky in its results before it on the branch, at most the last 300.',
  'test.failing_in_a_row':
    'Failed in this build and in the two before it on the branch that ran it in the same environment. Infrastructure builds do not count.',
}

/** Finds what messages a build that has ended or is incomplete may cause. */
export async function findInBuild(context: BuildContext, judged: JudgedBuild): Promise<Finding[]> {
  const { query } = context.database
  const state = findState(judged)
  if (judged.build.item.is_infrastructure) return [state]
  const bad = await listBadResults(query, {
    buildIds: [judged.build.id],
    procedureId: judged.procedure.id,
  })
  const tests = await judgeTests(
    query,
    judged,
    bad.map(({ test_id: id }) => id),
  )
  const describe = await describeTests(context, bad, tests)
  return [
    state,
    ...[...groupBy(tests, ({ kind }) => kind)].map(([kind, ofKind]) =>
      createTestsFinding(judged, kind, ofKind.flatMap(describe)),
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
  tests: readonly DescribedTest[],
): Finding {
  return {
    event: kind,
    procedureId: procedure.id,
    subject: `build ${id} ${procedure.id} ${kind}`,
    reportedAtUs: lastReportedAtUs,
    decide: (_webhook, sent) => {
      const sentIds = new Set(sent.flatMap(({ test_ids: ids }) => JSON.parse(ids) as string[]))
      const unsent = tests.filter(({ ids }) => !ids.some((each) => sentIds.has(each)))
      if (unsent.length === 0) return undefined
      const listed = unsent.slice(0, MAX_WEBHOOK_TESTS).map((test) => test.listed)
      const data: TestsData = {
        procedure: mapProcedure(procedure),
        build: mapBuild(item),
        tests: listed,
        more: unsent.length - listed.length,
        definition: DEFINITIONS[kind],
      }
      return { content: { type: kind, data }, testIds: unsent.map((test) => test.listed.id) }
    },
  }
}

function mapProcedure({ id_text: id, identifier, name }: ProcedureRow) {
  return { id, identifier, name }
}

function mapBuild({ group, url, branch, commit }: ReportedBuild['item']) {
  return { group, url, branch, commit }
}

const MAX_ERROR_LENGTH = 300
/** Enough for the tests that the messages of all kinds list. */
const MOST_ERRORS = 10 * MAX_WEBHOOK_TESTS

/** Tests of deleted procedures are left out. */
async function describeTests(
  { database: { query }, publicUrl }: BuildContext,
  bad: readonly BadResult[],
  tests: readonly JudgedTest[],
): Promise<(test: JudgedTest) => DescribedTest[]> {
  const wanted = new Set(tests.map(({ id }) => id))
  const results = bad.filter(({ test_id: id }) => wanted.has(id))
  const asked = results.flatMap(({ error_group_id: id, run_id: runId }) =>
    id === null ? [] : [{ id, runId }],
  )
  const [references, messages] = await Promise.all([
    readTestReferences(query, [...wanted]),
    listErrorMessages(query, asked.slice(0, MOST_ERRORS)),
  ])
  const errors = new Map(results.map((result) => [result.test_id, messages.get(result.error_group_id ?? 0)]))
  return ({ id, keys }) => {
    const reference = references.get(id)
    if (!reference) return []
    const error = errors.get(id)
    const listed = {
      id: formatTestId(id),
      name: reference.name,
      file: reference.file,
      url: `${publicUrl}/tests/${reference.id}`,
      error: error ? cutWell(firstLine(toPlainText(error.message)), MAX_ERROR_LENGTH) : null,
    }
    return [{ listed, ids: [id, ...keys].map(formatTestId) }]
  }
}
