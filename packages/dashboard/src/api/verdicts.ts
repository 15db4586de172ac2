import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { queryKeys } from './query-keys'
import { service } from './service'

const STALE_MS = 5 * 60_000

export function runVerdictsQuery(id: string) {
  return queryOptions({
    queryKey: queryKeys.verdicts(id, 1),
    queryFn: ({ signal }) => service.listVerdicts({ query: { ids: id } }, { signal }),
    staleTime: STALE_MS,
  })
}

/** The same of all runs of a group; asked again when more of them failed. */
export function groupVerdictsQuery(group: string, failedRuns: number) {
  return queryOptions({
    queryKey: queryKeys.verdicts(group, failedRuns),
    queryFn: ({ signal }) => service.listVerdicts({ query: { group } }, { signal }),
    staleTime: STALE_MS,
    placeholderData: keepPreviousData,
    enabled: failedRuns > 0,
  })
}
