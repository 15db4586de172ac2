import * as z from 'zod'
import { optional } from '../optional'
import { TimestampSchema } from '../time-schema'
import { BuildStateSchema, BuildSummarySchema } from './build'
import { ProcedureReferenceSchema, ReturnedTimeSchema } from './common'
import { FilterTextSchema, pageOf, pageQueryFields, queryList } from './page'
import { buildFactFields, InfrastructureSchema, ResultCountsSchema } from './build-facts'

export const ListBuildsQuerySchema = z.object({
  ...pageQueryFields,
  procedure_ids: queryList(FilterTextSchema),
  branches: queryList(FilterTextSchema),
  commits: queryList(FilterTextSchema).meta({ description: 'Whole, or the first characters' }),
  authors: queryList(FilterTextSchema),
  states: queryList(BuildStateSchema),
  started_after: optional(TimestampSchema),
  started_before: optional(TimestampSchema),
})
export type ListBuildsQuery = z.output<typeof ListBuildsQuerySchema>

export const BuildListItemSchema = BuildSummarySchema.extend({
  ...buildFactFields,
  started_at: ReturnedTimeSchema,
  duration_ms: z.number().meta({ description: 'From the start of its first run to the end of its last' }),
  procedures: z.array(ProcedureReferenceSchema),
  runs: z.object({ total: z.int(), failed: z.int() }),
  tests: ResultCountsSchema,
  is_infrastructure: InfrastructureSchema,
})
export type BuildListItem = z.output<typeof BuildListItemSchema>
export const BuildPageSchema = pageOf(BuildListItemSchema)
