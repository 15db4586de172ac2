import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { OperationInput } from '@runledger/protocol'
import { nextCursor } from './history'
import { queryKeys } from './query-keys'
import { service } from './service'

type Filter = NonNullable<OperationInput<'listQuarantine'>['query']>

/** The live entries of a test or an error: at most as many as a procedure may have, of each procedure. */
export function quarantineQuery(filter: Filter) {
  return queryOptions({
    queryKey: queryKeys.quarantine('live', filter),
    queryFn: ({ signal }) => service.listQuarantine({ query: { ...filter, limit: 100 } }, { signal }),
  })
}

export function quarantinePagesQuery(filter: Filter) {
  return infiniteQueryOptions({
    queryKey: queryKeys.quarantine('pages', filter),
    queryFn: ({ pageParam, signal }) =>
      service.listQuarantine({ query: { ...filter, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: nextCursor,
  })
}
