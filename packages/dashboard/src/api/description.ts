import type { OpenApiDocument } from '@runledger/protocol'
import { queryOptions } from '@tanstack/react-query'
import { ApiError } from './api-error'
import { readJson } from './client'
import { queryKeys } from './query-keys'

export const descriptionQuery = queryOptions({
  queryKey: queryKeys.description(),
  queryFn: async ({ signal }) => {
    const description = await readJson({ path: '/openapi.json', signal })
    if ('openapi' in description && 'paths' in description) return description as OpenApiDocument
    throw new ApiError(200, 'The service’s response to /openapi.json is not an OpenAPI document.')
  },
  staleTime: Infinity,
})
