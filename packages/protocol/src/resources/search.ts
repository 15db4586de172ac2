import * as z from 'zod'
import { FilterTextSchema } from './page'

export const SEARCH_KINDS = [
  'test',
  'build',
  'commit',
  'branch',
  'author',
  'owner',
  'unit',
  'batch',
  'error',
] as const

/** Most results of each kind. */
export const MAX_FOUND = 5

export const SearchQuerySchema = z.object({
  query: FilterTextSchema.min(2).meta({
    description: 'A text within the name, from 2 characters; case does not matter',
  }),
})
export type SearchQuery = z.output<typeof SearchQuerySchema>

export const FoundSchema = z.object({
  kind: z.enum(SEARCH_KINDS),
  id: z.string().meta({
    description:
      'Of a test its id, of a build its group, of an error its fingerprint; of the others their name',
  }),
  title: z.string(),
  detail: z
    .string()
    .nullable()
    .meta({ description: 'What tells it from others of its name, such as the file' }),
})
export type Found = z.output<typeof FoundSchema>

export const SearchResultSchema = z.object({ data: z.array(FoundSchema) })
export type SearchResult = z.output<typeof SearchResultSchema>
