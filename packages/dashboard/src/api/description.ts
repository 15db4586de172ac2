import type { OpenApiDocument } from '@runledger/protocol'
import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
import { readJson } from './client'
import { queryKeys } from './query-keys'

// Enough to tell it from a response of something else; the rest is as OpenAPI has it.
const DescriptionSchema = z.looseObject({
  openapi: z.string().startsWith('3.1'),
  paths: z.record(z.string(), z.looseObject({})),
  components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }),
})

export const descriptionQuery = queryOptions({
  queryKey: queryKeys.description(),
  queryFn: async ({ signal }) => {
    const description = await readJson(DescriptionSchema, { path: '/openapi.json', signal })
    return description as unknown as OpenApiDocument
  },
  staleTime: Infinity,
})
