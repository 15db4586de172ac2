import { queryOptions } from '@tanstack/react-query'
import { ApiError } from './api-error'
import { queryKeys } from './query-keys'
import { GROUP_REFRESH_MS } from './run-list'
import { service } from './service'

/** The state of a build, null when it is not on record; polled, since it may change without a new run. */
export function buildQuery(group: string) {
  return queryOptions({
    queryKey: queryKeys.build(group),
    queryFn: ({ signal }) =>
      service.getBuild({ params: { group } }, { signal }).catch((error: unknown) => {
        if (error instanceof ApiError && error.statusCode === 404) return null
        throw error
      }),
    refetchInterval: GROUP_REFRESH_MS,
  })
}
