import { queryOptions } from '@tanstack/react-query'
import { readTextStart } from './client'
import { queryKeys } from './query-keys'

/** How much of a text is shown in place; the whole is there to download. */
export const MAX_TEXT_BYTES = 512_000

/** The start of a text attachment. */
export function attachmentTextQuery(attachmentId: string, address: string) {
  return queryOptions({
    queryKey: queryKeys.attachmentText(attachmentId),
    queryFn: ({ signal }) => readTextStart(address, MAX_TEXT_BYTES, signal),
    staleTime: Infinity,
  })
}
