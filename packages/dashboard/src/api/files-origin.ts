import { OPERATION_ROUTES } from '@runledger/protocol'
import { queryOptions } from '@tanstack/react-query'
import { isReachable } from './client'
import { queryKeys } from './query-keys'

const ASK_AGAIN_MS = 60_000

/** Whether this browser reaches the origin where attachments are opened: its port may be closed, or not forwarded. */
export function filesOriginQuery(origin: string) {
  return queryOptions({
    queryKey: queryKeys.filesOrigin(origin),
    queryFn: ({ signal }) => isReachable(origin + OPERATION_ROUTES.getHealth.path, signal),
    staleTime: ASK_AGAIN_MS,
    retry: false,
  })
}
