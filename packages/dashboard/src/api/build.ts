import { queryOptions } from '@tanstack/react-query'
import { ApiError } from './api-error'
import { queryKeys } from './query-keys'
import { GROUP_REFRESH_MS } from './run-list'
import { service } from './service'

/** What has become of a build, null where nothing is on record of it; asked again, since it may change without a run. */
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
