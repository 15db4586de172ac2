import type {
  BuildTest,
  CompareBuildsQuery,
  ComparedTest,
  Comparison,
  ListBuildTestsQuery,
  Page,
  ResultCounts,
  TestReference,
} from '@runledger/protocol'
import { countResults, findBuild } from '../builds/store'
import type { FileContext } from '../../files/attachments/file-context'
import type { Query } from '../../../storage/database/database'
import type { BuildsTable } from '../../../storage/database/schema/history'
import { HttpError, notFound } from '../../../base/errors'
import { limitByItems } from '../../catalogue/metadata/limits'
import { listErrorMessages } from '../tests/error-message-store'
import {
  type Change,
  type ChangedTest,
  findLastBuild,
  listBuildResults,
  listChangedTests,
  listNewErrors,
  listOwners,
  type NewError,
} from './build-test-store'
import { mapBuildReference, nameOutcome } from './results'
import { readTestReferences } from '../tests/test-references'

/** @throws HttpError NOT_FOUND */
async function findBuildOf(query: Query, group: string): Promise<BuildsTable> {
  const build = await findBuild(query, group)
  if (!build) throw notFound(`build with the group "${group}"`)
  return build
}

/** `GET /v2/builds/{group}/tests`. @throws HttpError NOT_FOUND */
export async function listBuildTests(
  context: FileContext,
  group: string,
  list: ListBuildTestsQuery,
): Promise<Page<BuildTest>> {
  const { query } = context.database
  const build = await findBuildOf(query, group)
  const { rows, next } = await listBuildResults(query, build.id, list)
  const ids = rows.map(({ test_id: id }) => id)
  const [references, owners, errors] = await Promise.all([
    readTestReferences(query, ids),
    listOwners(query, ids),
    listErrorMessages(
      query,
      rows.flatMap(({ error_group_id: id, run_id: runId }) => (id === null ? [] : [{ id, runId }])),
    ),
  ])
  const items = rows.map((row): BuildTest | null => {
    const test = references.get(row.test_id)
    const error = errors.get(row.error_group_id ?? 0)
    return test
      ? {
          test,
          run_id: row.public_id,
          outcome: nameOutcome(row.outcome),
          duration_ms: row.duration_us / 1000,
          owner: owners.get(row.test_id) ?? null,
          error: error ? { fingerprint: error.fingerprint, message: error.message } : null,
        }
      : null
  })
  const limit = limitByItems(context, items, rows.length)
  const end = limit < rows.length ? (list.cursor ?? 0) + limit : next
  return {
    data: items.slice(0, limit).filter((item) => item !== null),
    meta: { has_more: end !== null, next_cursor: end },
  }
}

/** `GET /v2/comparison`. @throws HttpError NOT_FOUND */
export async function compareBuilds(
  { database: { query } }: FileContext,
  asked: CompareBuildsQuery,
): Promise<Comparison> {
  const base = await findSide(query, {
    group: asked.base,
    branch: asked.base_branch,
    procedure: asked.procedure_id,
  })
  const head = await findSide(query, {
    group: asked.head,
    branch: asked.head_branch,
    procedure: asked.procedure_id,
  })
  const compared = { baseId: base.id, headId: head.id, procedure: asked.procedure_id }
  const [changed, errors, counts] = await Promise.all([
    listChangedTests(query, compared),
    listNewErrors(query, compared, MAX_NEW_ERRORS),
    countResults(query, [base.id, head.id]),
  ])
  const references = await readTestReferences(
    query,
    changed.map(({ test_id: id }) => id),
  )
  const list = (change: Change) => {
    const rows = changed.filter((row) => row.change === change)
    return { total: rows[0]?.total ?? 0, data: rows.flatMap((row) => mapChanged(row, references)) }
  }
  return {
    base: mapBuildReference(base),
    head: mapBuildReference(head),
    counts: { base: counts.get(base.id) ?? NONE, head: counts.get(head.id) ?? NONE },
    newly_failing: list('newly_failing'),
    still_failing: list('still_failing'),
    fixed: list('fixed'),
    slower: list('slower'),
    new: list('new'),
    gone: list('gone'),
    new_errors: await describeErrors(query, errors),
  }
}

const NONE: ResultCounts = { passed: 0, flaky: 0, failed: 0, skipped: 0 }

interface Side {
  group: string | undefined
  branch: string | undefined
  procedure: string | undefined
}

async function findSide(query: Query, { group, branch = '', procedure }: Side): Promise<BuildsTable> {
  if (group !== undefined) return findBuildOf(query, group)
  const build = await findLastBuild(query, branch, procedure)
  if (build) return build
  throw new HttpError('NOT_FOUND', `No build of the branch "${branch}" is on record.`)
}

function mapChanged(row: ChangedTest, references: ReadonlyMap<number, TestReference>): ComparedTest[] {
  const test = references.get(row.test_id)
  if (!test) return []
  return [
    {
      test,
      base: mapCompared(row.base_run, row.base_outcome, row.base_us),
      head: mapCompared(row.head_run, row.head_outcome, row.head_us),
    },
  ]
}

function mapCompared(
  runId: string | null,
  outcome: number | null,
  durationUs: number | null,
): ComparedTest['base'] {
  if (runId === null || outcome === null || durationUs === null) return null
  return { outcome: nameOutcome(outcome), duration_ms: durationUs / 1000, run_id: runId }
}

const MAX_NEW_ERRORS = 50

async function describeErrors(query: Query, errors: readonly NewError[]): Promise<Comparison['new_errors']> {
  const texts = await listErrorMessages(query, errors)
  return errors.flatMap(({ id, tests }) => {
    const text = texts.get(id)
    return text ? [{ fingerprint: text.fingerprint, message: text.message, tests_count: tests }] : []
  })
}
