import { type BuildListItem, type ListBuildsQuery, MAX_PAGE_LIMIT, type Page } from '@runledger/protocol'
import { limitByItems } from '../../record/catalogue/metadata/limits'
import { listBuildItems } from '../../record/results/builds/read-build'
import { listBuilds } from '../../record/results/builds/store'
import type { Context } from '../call/context'
import type { Handlers } from '../call/handler'
import { addAlias, removeAlias } from '../../record/results/history/aliases'
import { compareBuilds, listBuildTests } from '../../record/results/history/build-tests'
import { explainFailures } from '../../record/results/explanations/explain'
import { getHome } from '../../record/results/history/home'
import { listHomeLines } from '../../record/results/line/home-lines'
import { search } from '../../record/results/history/search'
import { findTestRow, getTest } from '../../record/results/history/test-detail'
import { readTestReferences } from '../../record/results/tests/test-references'
import { listTests } from '../../record/results/history/test-list'

export const HISTORY_HANDLERS: Handlers<
  | 'getHome'
  | 'search'
  | 'listBuilds'
  | 'listBuildTests'
  | 'compareBuilds'
  | 'explainFailures'
  | 'listTests'
  | 'getTest'
  | 'addTestAlias'
  | 'removeTestAlias'
> = {
  getHome: async ({ context }) => {
    const [home, lines] = await Promise.all([getHome(context), listHomeLines(context)])
    return { ...home, lines }
  },
  search: ({ context, query }) => search(context, query.query),
  listBuilds: ({ context, query }) => listBuildPage(context, query),
  listBuildTests: ({ context, params, query }) => listBuildTests(context, params.group, query),
  compareBuilds: ({ context, query }) => compareBuilds(context, query),
  explainFailures: ({ context, query }) => explainFailures(context, query),
  listTests: ({ context, query }) => listTests(context, query),
  getTest: ({ context, params, query }) => getTest(context, params.id, query),
  addTestAlias: ({ context, params, body }) =>
    changeAlias(context, { id: params.id, test_id: body.test_id }, addAlias),
  removeTestAlias: ({ context, params }) => changeAlias(context, params, removeAlias),
}

async function changeAlias(
  { database, recordChange }: Context,
  { id, test_id: earlierId }: { id: string; test_id: string },
  change: typeof addAlias,
): Promise<{ id: string }> {
  return database.write(async (transaction) => {
    const earlier = await findTestRow(transaction.query, earlierId)
    const later = await findTestRow(transaction.query, id)
    const changed = await change(transaction, id, earlierId)
    const names = await readTestReferences(transaction.query, [earlier.id, later.id])
    const alias = { earlier_name: names.get(earlier.id)?.name ?? earlierId, earlier_id: earlierId }
    await recordChange(transaction, {
      kind: 'test',
      ...changed,
      name: names.get(later.id)?.name ?? id,
      before: change === addAlias ? {} : alias,
      after: change === addAlias ? alias : {},
    })
    return changed
  })
}

/** States depend on the time, so builds are read until enough match, or this many were read. */
const MAX_READ_BUILDS = 1_000

async function listBuildPage(context: Context, list: ListBuildsQuery): Promise<Page<BuildListItem>> {
  const found: FoundBuild[] = []
  let next: number | null | undefined = list.cursor
  for (
    let read = 0;
    next !== null && found.length < list.limit && read < MAX_READ_BUILDS;
    read += MAX_PAGE_LIMIT
  ) {
    const limit = list.states ? MAX_PAGE_LIMIT : list.limit
    const page = await readBuildPage(context, { ...list, limit, cursor: next })
    found.push(...page.builds)
    next = page.next
  }
  const items = found.slice(0, list.limit).map(({ item }) => item)
  const limit = limitByItems(context, items, list.limit)
  const end = found.length > limit ? (found[limit - 1]?.id ?? null) : (next ?? null)
  return { data: items.slice(0, limit), meta: { has_more: end !== null, next_cursor: end } }
}

interface FoundBuild {
  id: number
  item: BuildListItem
}

/** Also returns after which build the next page begins. */
async function readBuildPage(
  context: Context,
  list: ListBuildsQuery,
): Promise<{ builds: FoundBuild[]; next: number | null }> {
  const rows = await listBuilds(context.database.query, list)
  const shown = rows.slice(0, list.limit)
  const items = new Map((await listBuildItems(context, shown)).map((item) => [item.group, item]))
  const builds = shown.flatMap(({ id, group_name: group }): FoundBuild[] => {
    const item = items.get(group)
    return item && (list.states?.includes(item.state) ?? true) ? [{ id, item }] : []
  })
  return { builds, next: rows.length > list.limit ? (shown.at(-1)?.id ?? null) : null }
}
