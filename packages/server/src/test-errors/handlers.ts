import { type ErrorListItem, type ListErrorsQuery, MAX_ERROR_BRANCHES, type Page } from '@runledger/protocol'
import type { Context } from '../context'
import { groupBy } from '../database/rows'
import { pageFrom } from '../database/sorted-page'
import type { Handlers } from '../http/handler'
import { mapRunReference } from '../runs/map'
import { findRunHeads, type RunHeadRow } from '../runs/store'
import {
  createErrorFilter,
  listBranches,
  listGroups,
  listLastMessages,
  listTests,
  type TestRow,
} from './list-store'

export const TEST_ERROR_HANDLERS: Handlers<'listErrors'> = {
  listErrors: ({ context, query }) => listErrorPage(context, query),
}

/** `GET /v2/errors`. */
async function listErrorPage(
  { database: { query } }: Context,
  list: ListErrorsQuery,
): Promise<Page<ErrorListItem>> {
  const counted = await createErrorFilter(query, list)
  const rows = await listGroups(query, list, counted)
  const shown = rows.slice(0, list.limit)
  const runIds = [...new Set(shown.flatMap(({ first_run: first, last_run: last }) => [first, last]))]
  // Sent to the database together.
  const [messages, tests, branches, heads] = await Promise.all([
    listLastMessages(query, shown, counted),
    listTests(query, shown, counted).then((all) => groupBy(all, ({ group_id: id }) => id)),
    listBranches(query, shown, counted).then((all) => groupBy(all, ({ group_id: id }) => id)),
    findRunHeads(query, runIds),
  ])
  const runs = new Map(heads.map((head) => [head.id, head]))
  return pageFrom(rows, list.limit, (row) => ({
    fingerprint: row.fingerprint,
    message: messages.get(row.id) ?? '',
    count: row.occurrences,
    tests_count: row.tests,
    tests: (tests.get(row.id) ?? []).map(mapTest),
    first_run: mapRunReference(runs.get(row.first_run) as RunHeadRow),
    last_run: mapRunReference(runs.get(row.last_run) as RunHeadRow),
    branches: (branches.get(row.id) ?? []).slice(0, MAX_ERROR_BRANCHES).map(({ branch }) => branch),
  }))
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
