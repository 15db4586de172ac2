import { type RunListItem, selectRuns } from '@runledger/protocol'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { isDate, type RunFilter } from '../run-filter'
import { nextCursor } from './history'
import { queryKeys } from './query-keys'
import { service } from './service'

const PAGE_LIMIT = 50
const GROUP_PAGE_LIMIT = 100
const MAX_GROUP_PAGES = 20
export const REFRESH_MS = 5_000
export const GROUP_REFRESH_MS = 15_000

/**
 * The runs that a filter lets through, newest first, page by page. Read again when the window is looked at again, and, while
 * only the first page is shown, when there is another newest run.
 */
export function runListQuery(filter: RunFilter) {
  return infiniteQueryOptions({
    queryKey: queryKeys.runs(filter),
    queryFn: ({ pageParam, signal }) =>
      service.listRuns(
        {
          query: {
            ...toRunsQuery(filter, { cursor: pageParam, limit: PAGE_LIMIT }),
            include_failures: true,
          },
        },
        { signal },
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: nextCursor,
  })
}

/**
 * The id of the run that was received last of those that a filter lets through, null for none: it is asked for every few
 * seconds, so that nothing is read again while nothing comes in.
 */
export function newestRunQuery(filter: RunFilter, refreshMs: number) {
  return queryOptions({
    queryKey: queryKeys.newestRun(filter, refreshMs),
    queryFn: async ({ signal }) => {
      const wanted = { ...toRunsQuery(filter, { cursor: undefined, limit: 1 }), include_metadata: false }
      const { data } = await service.listRuns({ query: { ...wanted, sort_by: 'created_at' } }, { signal })
      return data[0]?.id ?? null
    },
    refetchInterval: refreshMs,
  })
}

export interface GroupRuns {
  runs: RunListItem[]
  /** Whether the group has more runs than were read. */
  isCut: boolean
}

/** All runs of a group, whatever else the list is filtered by: at most 2,000 of them. */
export function groupQuery(group: string) {
  return queryOptions({
    queryKey: queryKeys.group(group),
    queryFn: ({ signal }) => readGroup(group, signal),
  })
}

async function readGroup(group: string, signal: AbortSignal): Promise<GroupRuns> {
  const runs = new Map<string, RunListItem>()
  let cursor: number | undefined
  for (let page = 0; page < MAX_GROUP_PAGES; page += 1) {
    const query = toRunsQuery({ group, outcomes: [], words: '' }, { cursor, limit: GROUP_PAGE_LIMIT })
    const { data, meta } = await service.listRuns({ query }, { signal })
    for (const run of data) runs.set(run.id, run)
    if (!meta.has_more || meta.next_cursor === null) return { runs: [...runs.values()], isCut: false }
    cursor = meta.next_cursor
  }
  return { runs: [...runs.values()], isCut: true }
}

interface PageWanted {
  cursor: number | undefined
  limit: number
}

/** The query of `GET /v2/runs` for a filter; report variables come along, for the file and the framework. */
export function toRunsQuery(filter: RunFilter, wanted: PageWanted) {
  return selectRuns({ ...toPageQuery(filter), ...wanted })
}

function toPageQuery({ outcomes, words, after, before, ...facets }: RunFilter) {
  return {
    ...facets,
    after: after && (isDate(after) ? `${after}T00:00:00.000Z` : after),
    before: before && (isDate(before) ? `${before}T23:59:59.999Z` : before),
    outcome: outcomes,
    q: words === '' ? undefined : words,
  }
}
