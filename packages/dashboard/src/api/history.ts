import type { CompareBuildsQuery, OperationInput, OperationName } from '@runledger/protocol'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { queryKeys } from './query-keys'
import { service } from './service'

const PAGE_LIMIT = 50
const REFRESH_MS = 15_000
const STALE_MS = 60_000

type FilterOf<Name extends OperationName> =
  OperationInput<Name> extends { query?: infer Query } ? NonNullable<Query> : never

/** The cursor of the next page, undefined after the last. */
export function nextCursor<Cursor>({ meta }: { meta: { has_more: boolean; next_cursor: Cursor | null } }) {
  return meta.has_more ? (meta.next_cursor ?? undefined) : undefined
}

export const homeQuery = queryOptions({
  queryKey: queryKeys.home(),
  queryFn: ({ signal }) => service.getHome({}, { signal }),
  refetchInterval: REFRESH_MS,
})

/** Records that contain a text; none for fewer than two characters. */
export function searchQuery(text: string) {
  const query = text.trim()
  return queryOptions({
    queryKey: queryKeys.search(query),
    queryFn: ({ signal }) => service.search({ query: { query } }, { signal }),
    enabled: query.length >= 2,
    placeholderData: keepPreviousData,
    staleTime: STALE_MS,
  })
}

export function buildListQuery(filter: FilterOf<'listBuilds'>) {
  return infiniteQueryOptions({
    queryKey: queryKeys.builds(filter),
    queryFn: ({ pageParam, signal }) =>
      service.listBuilds({ query: { ...filter, cursor: pageParam, limit: PAGE_LIMIT } }, { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
  })
}

/** The branches of the last builds of a procedure, the last one first. */
export function branchesQuery(procedure: string | undefined) {
  return queryOptions({
    queryKey: queryKeys.branches(procedure),
    queryFn: async ({ signal }) => {
      const { data } = await service.listBuilds(
        { query: { procedure_ids: procedure, limit: 100 } },
        { signal },
      )
      return [...new Set(data.map(({ branch }) => branch).filter((branch) => branch !== null))]
    },
    staleTime: STALE_MS,
  })
}

export const proceduresQuery = queryOptions({
  queryKey: queryKeys.procedures(),
  queryFn: ({ signal }) => service.listProcedures({ query: { limit: 100 } }, { signal }),
  staleTime: STALE_MS,
})

export function buildTestsQuery(group: string, filter: FilterOf<'listBuildTests'>) {
  return infiniteQueryOptions({
    queryKey: queryKeys.buildTests(group, filter),
    queryFn: ({ pageParam, signal }) =>
      service.listBuildTests(
        { params: { group }, query: { ...filter, cursor: pageParam, limit: 100 } },
        { signal },
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: nextCursor,
    placeholderData: keepPreviousData,
  })
}

export function comparisonQuery(query: CompareBuildsQuery) {
  return queryOptions({
    queryKey: queryKeys.comparison(query),
    queryFn: ({ signal }) => service.compareBuilds({ query }, { signal }),
    staleTime: STALE_MS,
  })
}

export function testListQuery(filter: FilterOf<'listTests'>) {
  return infiniteQueryOptions({
    queryKey: queryKeys.tests(filter),
    queryFn: ({ pageParam, signal }) =>
      service.listTests({ query: { ...filter, cursor: pageParam, limit: PAGE_LIMIT } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursor,
    placeholderData: keepPreviousData,
  })
}

export function testQuery(
  id: string,
  query: { branch?: string | undefined; environment?: string | undefined },
) {
  return queryOptions({
    queryKey: queryKeys.test(id, query),
    queryFn: ({ signal }) => service.getTest({ params: { id }, query }, { signal }),
    placeholderData: keepPreviousData,
  })
}

export function errorListQuery(filter: FilterOf<'listErrors'>) {
  return infiniteQueryOptions({
    queryKey: queryKeys.errors(filter),
    queryFn: ({ pageParam, signal }) =>
      service.listErrors({ query: { ...filter, cursor: pageParam, limit: PAGE_LIMIT } }, { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: nextCursor,
    placeholderData: keepPreviousData,
  })
}

export function errorQuery(fingerprint: string) {
  return queryOptions({
    queryKey: queryKeys.error(fingerprint),
    queryFn: ({ signal }) => service.getError({ params: { fingerprint }, query: {} }, { signal }),
  })
}
