import * as z from 'zod'
import { optional } from '../optional'
import { TimestampSchema } from '../time-schema'
import { ReturnedTimeSchema, createdByFields, LogLevelSchema } from './common'
import { RunOutcomeSchema } from './outcomes'
import { pageOf, pageQueryFields, queryList, sortFields, FilterTextSchema } from './page'
import { runFilterFields } from './run-filter'

export const ListLogsQuerySchema = z.object({
  ...pageQueryFields,
  ...runFilterFields,
  procedure_ids: queryList(FilterTextSchema),
  search_query: optional(FilterTextSchema),
  levels: queryList(LogLevelSchema),
  timestamp_after: optional(TimestampSchema),
  timestamp_before: optional(TimestampSchema),
  source_files: queryList(FilterTextSchema),
  run_ids: queryList(FilterTextSchema),
  run_outcomes: queryList(RunOutcomeSchema),
  ...sortFields(['created_at', 'level', 'run_id', 'outcome']),
})
export type ListLogsQuery = z.output<typeof ListLogsQuerySchema>

export const LogSchema = z.object({
  id: z.string(),
  level: LogLevelSchema,
  message: z.string(),
  created_at: ReturnedTimeSchema,
  source_file: z.string().nullable(),
  line_number: z.int().nullable(),
  run: z.object({ id: z.string(), outcome: RunOutcomeSchema, started_at: ReturnedTimeSchema }),
  unit: z.object({ id: z.string(), serial_number: z.string() }),
  procedure: z.object({ id: z.string(), name: z.string() }),
  ...createdByFields,
})
export type Log = z.output<typeof LogSchema>
export const LogPageSchema = pageOf(LogSchema)
