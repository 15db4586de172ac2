import type {
  BuildTest,
  CompareBuildsQuery,
  ComparedTest,
  Comparison,
  ListBuildTestsQuery,
  Page,
  ResultCounts,
} from '@runledger/protocol'
import { MAX_COMPARED_TESTS } from '@runledger/protocol'
import { SLOWDOWN_LIMITS } from '@runledger/statistics'
import { countResults, findBuild } from '../builds/store'
import type { FileContext } from '../../files/attachments/file-context'
import type { Query } from '../../../storage/database/database'
import { type BuildsTable, FAILED, PASSED, SKIPPED } from '../../../storage/database/schema/history'
import { HttpError, notFound } from '../../../base/errors'
import { limitByItems } from '../../catalogue/metadata/limits'
import { listErrorMessages } from '../tests/error-message-store'
import {
  type BuildResultRow,
  findLastBuild,
  listBuildResults,
  listOwners,
  listResultsOfBuild,
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
  const [before, after, counts] = await Promise.all([
    listResultsOfBuild(query, base.id, asked.procedure_id),
    listResultsOfBuild(query, head.id, asked.procedure_id),
    countResults(query, [base.id, head.id]),
  ])
  const pairs = [...new Set([...before.keys(), ...after.keys()])].map((id) => ({
    id,
    base: before.get(id),
    head: after.get(id),
  }))
  const select = async (
    holds: (base: BuildResultRow | undefined, head: BuildResultRow | undefined) => boolean,
  ) => {
    const found = pairs.filter((pair) => holds(pair.base, pair.head))
    return { total: found.length, data: await mapPairs(query, found.slice(0, MAX_COMPARED_TESTS)) }
  }
  return {
    base: mapBuildReference(base),
    head: mapBuildReference(head),
    counts: { base: counts.get(base.id) ?? NONE, head: counts.get(head.id) ?? NONE },
    newly_failing: await select((one, other) => hasFailed(other) && one !== undefined && hasPassed(one)),
    still_failing: await select((one, other) => hasFailed(other) && hasFailed(one)),
    fixed: await select((one, other) => hasFailed(one) && hasPassed(other)),
    slower: await select(isSlower),
    new: await select((one, other) => one === undefined && other !== undefined),
    gone: await select((one, other) => one !== undefined && other === undefined),
    new_errors: await listNewErrors(query, before, after),
  }
}

const NONE: ResultCounts = { passed: 0, flaky: 0, failed: 0, skipped: 0 }

const hasFailed = (row: BuildResultRow | undefined) => row?.outcome === FAILED
const hasPassed = (row: BuildResultRow | undefined) =>
  row !== undefined && row.outcome !== FAILED && row.outcome !== SKIPPED

function isSlower(base: BuildResultRow | undefined, head: BuildResultRow | undefined): boolean {
  if (base?.outcome !== PASSED || head?.outcome !== PASSED) return false
  const grownMs = (head.duration_us - base.duration_us) / 1000
  return (
    grownMs >= SLOWDOWN_LIMITS.ms && grownMs >= (base.duration_us / 1000) * (SLOWDOWN_LIMITS.percent / 100)
  )
}

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

interface Pair {
  id: number
  base: BuildResultRow | undefined
  head: BuildResultRow | undefined
}

async function mapPairs(query: Query, pairs: readonly Pair[]): Promise<ComparedTest[]> {
  const references = await readTestReferences(
    query,
    pairs.map(({ id }) => id),
  )
  return pairs.flatMap(({ id, base, head }): ComparedTest[] => {
    const test = references.get(id)
    return test ? [{ test, base: mapCompared(base), head: mapCompared(head) }] : []
  })
}

function mapCompared(row: BuildResultRow | undefined): ComparedTest['base'] {
  return row
    ? { outcome: nameOutcome(row.outcome), duration_ms: row.duration_us / 1000, run_id: row.public_id }
    : null
}

const MAX_NEW_ERRORS = 50

async function listNewErrors(
  query: Query,
  before: ReadonlyMap<number, BuildResultRow>,
  after: ReadonlyMap<number, BuildResultRow>,
): Promise<Comparison['new_errors']> {
  const known = new Set([...before.values()].map(({ error_group_id: id }) => id))
  const found = new Map<number, { runId: number; tests: number }>()
  for (const { error_group_id: id, run_id: runId } of after.values()) {
    if (id === null || known.has(id)) continue
    found.set(id, { runId, tests: (found.get(id)?.tests ?? 0) + 1 })
  }
  const most = [...found].toSorted(([, one], [, other]) => other.tests - one.tests).slice(0, MAX_NEW_ERRORS)
  const texts = await listErrorMessages(
    query,
    most.map(([id, { runId }]) => ({ id, runId })),
  )
  return most.flatMap(([id, { tests }]) => {
    const text = texts.get(id)
    return text ? [{ fingerprint: text.fingerprint, message: text.message, tests_count: tests }] : []
  })
}
