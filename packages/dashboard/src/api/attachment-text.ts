import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { readTextStart } from './client'
import { queryKeys } from './query-keys'

/** How much of a text is shown at first, and how much of it at most; the whole is there to download. */
export const START_BYTES = 2_000_000
export const MAX_TEXT_BYTES = 32_000_000

export function attachmentTextQuery(attachmentId: string, address: string, maxBytes: number) {
  return queryOptions({
    queryKey: queryKeys.attachmentText(attachmentId, maxBytes),
    queryFn: ({ signal }) => readTextStart(address, maxBytes, signal),
    staleTime: Infinity,
    // What is shown stays while more of it is read.
    placeholderData: keepPreviousData,
  })
}
