import { type BuildListItem, type ListBuildsQuery, MAX_PAGE_LIMIT, type Page } from '@runledger/protocol'
import { listBuildItems } from '../../record/results/builds/read-build'
import { listBuilds } from '../../record/results/builds/store'
import type { Context } from '../call/context'
import type { Handlers } from '../call/handler'
import { addAlias, removeAlias } from '../../record/results/history/aliases'
import { compareBuilds, listBuildTests } from '../../record/results/history/build-tests'
import { getHome } from '../../record/results/history/home'
import { search } from '../../record/results/history/search'
import { getTest } from '../../record/results/history/test-detail'
import { listTests } from '../../record/results/history/test-list'

export const HISTORY_HANDLERS: Handlers<
  | 'getHome'
  | 'search'
  | 'listBuilds'
  | 'listBuildTests'
  | 'compareBuilds'
  | 'listTests'
  | 'getTest'
  | 'addTestAlias'
  | 'removeTestAlias'
> = {
  getHome: ({ context }) => getHome(context),
  search: ({ context, query }) => search(context, query.query),
  listBuilds: ({ context, query }) => listBuildPage(context, query),
  listBuildTests: ({ context, params, query }) => listBuildTests(context, params.group, query),
  compareBuilds: ({ context, query }) => compareBuilds(context, query),
  listTests: ({ context, query }) => listTests(context, query),
  getTest: ({ context, params, query }) => getTest(context, params.id, query),
  addTestAlias: ({ context, params, body }) =>
    context.database.write((transaction) => addAlias(transaction, params.id, body.test_id)),
  removeTestAlias: ({ context, params }) =>
    context.database.write((transaction) => removeAlias(transaction, params.id, params.test_id)),
}

/** States depend on the time: builds are read until enough have one that is asked for, or as many as these were read. */
const MAX_READ_BUILDS = 1_000

async function listBuildPage(context: Context, list: ListBuildsQuery): Promise<Page<BuildListItem>> {
  const found: BuildListItem[] = []
  let cursor = list.cursor
  for (let read = 0; ; read += MAX_PAGE_LIMIT) {
    const limit = list.states ? MAX_PAGE_LIMIT : list.limit
    const rows = await listBuilds(context.database.query, { ...list, limit, cursor })
    const shown = rows.slice(0, limit)
    const items = await listBuildItems(context, shown)
    for (const [index, item] of items.entries()) {
      if (list.states && !list.states.includes(item.state)) continue
      found.push(item)
      const hasMore = index < shown.length - 1 || rows.length > limit
      if (found.length === list.limit)
        return {
          data: found,
          meta: { has_more: hasMore, next_cursor: hasMore ? (shown[index]?.id ?? null) : null },
        }
    }
    cursor = shown.at(-1)?.id
    const hasMore = rows.length > limit
    if (!hasMore || read + limit >= MAX_READ_BUILDS)
      return { data: found, meta: { has_more: hasMore, next_cursor: hasMore ? (cursor ?? null) : null } }
  }
}
