import type { OpenApiDocument } from '@runledger/protocol'
import { queryOptions } from '@tanstack/react-query'
import { readJson } from './client'
import { queryKeys } from './query-keys'

export const descriptionQuery = queryOptions({
  queryKey: queryKeys.description(),
  queryFn: async ({ signal }) => (await readJson({ path: '/openapi.json', signal })) as OpenApiDocument,
  staleTime: Infinity,
})
