import type { ListAuditEntriesQuery } from '@runledger/protocol'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { nextCursor } from './history'
import { queryKeys } from './query-keys'
import { service } from './service'

const STALE_MS = 60_000
/** Deliveries change by themselves. */
const REFRESH_MS = 5_000

export const keysQuery = infiniteQueryOptions({
  queryKey: queryKeys.managed('keys'),
  queryFn: ({ pageParam, signal }) => service.listKeys({ query: { cursor: pageParam } }, { signal }),
  initialPageParam: undefined as number | undefined,
  getNextPageParam: nextCursor,
})

/** All of them: a service has at most 50. */
export const webhooksQuery = queryOptions({
  queryKey: queryKeys.managed('webhooks'),
  queryFn: ({ signal }) => service.listWebhooks({ query: { limit: 100 } }, { signal }),
})

export function deliveriesQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: queryKeys.managed('deliveries', id),
    queryFn: ({ pageParam, signal }) =>
      service.listWebhookDeliveries({ params: { id }, query: { cursor: pageParam, limit: 20 } }, { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
  })
}

export const projectsQuery = infiniteQueryOptions({
  queryKey: queryKeys.managed('projects'),
  queryFn: ({ pageParam, signal }) => service.listProcedures({ query: { cursor: pageParam } }, { signal }),
  initialPageParam: undefined as number | undefined,
  getNextPageParam: nextCursor,
})

export const managedStationsQuery = infiniteQueryOptions({
  queryKey: queryKeys.managed('stations'),
  queryFn: ({ pageParam, signal }) => service.listStations({ query: { cursor: pageParam } }, { signal }),
  initialPageParam: undefined as number | undefined,
  getNextPageParam: nextCursor,
})

export const settingsQuery = queryOptions({
  queryKey: queryKeys.managed('settings'),
  queryFn: ({ signal }) => service.getSettings({}, { signal }),
})

export const peopleQuery = queryOptions({
  queryKey: queryKeys.managed('people'),
  queryFn: ({ signal }) => service.listUsers({ query: {} }, { signal }),
})

export const sessionsQuery = queryOptions({
  queryKey: queryKeys.managed('sessions'),
  queryFn: ({ signal }) => service.listSessions({}, { signal }),
})

export function auditQuery(filter: Partial<ListAuditEntriesQuery>) {
  return infiniteQueryOptions({
    queryKey: queryKeys.audit(filter),
    queryFn: ({ pageParam, signal }) =>
      service.listAuditEntries({ query: { ...filter, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: nextCursor,
  })
}

export const stationsQuery = queryOptions({
  queryKey: queryKeys.stations(),
  queryFn: ({ signal }) => service.listStations({ query: { limit: 100 } }, { signal }),
  staleTime: STALE_MS,
})
