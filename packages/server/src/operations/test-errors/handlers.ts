import {
  type ErrorDetail,
  type ErrorListItem,
  type GetErrorQuery,
  type ListErrorsQuery,
  ListErrorsQuerySchema,
  MAX_ERROR_BRANCHES,
  type Page,
} from '@runledger/protocol'
import type { Context } from '../call/context'
import type { Query } from '../../storage/database/database'
import { groupBy } from '../../storage/database/rows'
import { pageFrom } from '../../storage/database/sorted-page'
import { notFound } from '../../base/errors'
import type { Handlers } from '../call/handler'
import { listFirstErrors } from '../../record/results/phases/fact-store'
import { mapTestError } from '../../record/results/phases/map'
import { mapRunHead } from '../../record/results/runs/map'
import { findRunHeads, type RunHeadRow } from '../../record/results/runs/store'
import {
  type Counted,
  createErrorFilter,
  findLastError,
  type GroupRow,
  listBranches,
  listDays,
  listGroups,
  listLastMessages,
  listLastRuns,
  listTests,
  type TestRow,
} from '../../record/results/test-errors/list-store'
import { limitByItems } from '../../record/catalogue/metadata/limits'
import { mapRunReference } from '../../record/catalogue/run-reference'

export const TEST_ERROR_HANDLERS: Handlers<'listErrors' | 'getError'> = {
  listErrors: ({ context, query }) => listErrorPage(context, query),
  getError: ({ context, params, query }) => getError(context, params.fingerprint, query),
}

/** `GET /v2/errors`. */
async function listErrorPage(context: Context, list: ListErrorsQuery): Promise<Page<ErrorListItem>> {
  const { query } = context.database
  const counted = await createErrorFilter(query, list)
  const rows = await listGroups(query, list, counted)
  const items = await readItems(query, rows.slice(0, list.limit), counted)
  const limit = limitByItems(context, items.values(), list.limit)
  return pageFrom(rows, limit, ({ id }) => items.get(id) as ErrorListItem)
}

const FINGERPRINT = /^[0-9a-f]{64}$/i

/** `GET /v2/errors/{fingerprint}`; 404 for one that no run has, or none that the filters leave. */
async function getError(
  { database: { query } }: Context,
  fingerprint: string,
  filters: GetErrorQuery,
): Promise<ErrorDetail> {
  const unknown = () => notFound(`error with the fingerprint "${fingerprint}"`)
  if (!FINGERPRINT.test(fingerprint)) throw unknown()
  const list = { ...ListErrorsQuerySchema.parse({ fingerprints: fingerprint, limit: 1 }), ...filters }
  const counted = await createErrorFilter(query, list)
  const [group] = await listGroups(query, list, counted)
  if (!group) throw unknown()
  const [items, error, days, runs] = await Promise.all([
    readItems(query, [group], counted),
    findLastError(query, group, counted),
    listDays(query, group, counted),
    listLastRuns(query, group, counted).then((ids) => readRuns(query, ids)),
  ])
  return { ...(items.get(group.id) as ErrorListItem), error: mapTestError(error), days, runs }
}

async function readRuns(query: Query, ids: readonly number[]): Promise<ErrorDetail['runs']> {
  const [heads, firstErrors] = await Promise.all([findRunHeads(query, ids), listFirstErrors(query, ids)])
  return heads.map((head) => ({ ...mapRunHead(head), first_error: firstErrors.get(head.id) }))
}

/** Groups of errors as they are listed, by their keys. */
async function readItems(
  query: Query,
  groups: readonly GroupRow[],
  counted: Counted,
): Promise<Map<number, ErrorListItem>> {
  const runIds = [...new Set(groups.flatMap(({ first_run: first, last_run: last }) => [first, last]))]
  // In parallel, so that the database gets them together.
  const [messages, tests, branches, heads] = await Promise.all([
    listLastMessages(query, groups, counted),
    listTests(query, groups, counted).then((all) => groupBy(all, ({ group_id: id }) => id)),
    listBranches(query, groups, counted).then((all) => groupBy(all, ({ group_id: id }) => id)),
    findRunHeads(query, runIds),
  ])
  const runs = new Map(heads.map((head) => [head.id, head]))
  const mapGroup = (group: GroupRow): ErrorListItem => ({
    fingerprint: group.fingerprint,
    message: messages.get(group.id) ?? '',
    count: group.occurrences,
    tests_count: group.tests,
    tests: (tests.get(group.id) ?? []).map(mapTest),
    first_run: mapRunReference(runs.get(group.first_run) as RunHeadRow),
    last_run: mapRunReference(runs.get(group.last_run) as RunHeadRow),
    branches: (branches.get(group.id) ?? []).slice(0, MAX_ERROR_BRANCHES).map(({ branch }) => branch),
  })
  return new Map(groups.map((group) => [group.id, mapGroup(group)]))
}

function mapTest(row: TestRow): ErrorListItem['tests'][number] {
  return {
    procedure: {
      id: row.procedure_public_id,
      identifier: row.procedure_identifier,
      name: row.procedure_name,
    },
    file: row.file,
    project: row.project,
    name: row.name,
    count: row.occurrences,
  }
}
