import * as z from 'zod'
import { ReturnedTimeSchema, SampleSchema } from './common'
import { PhaseOutcomeSchema, RunOutcomeSchema } from './outcomes'
import { pageOf, pageQueryFields, queryBooleanOr, queryList, sortFields, FilterTextSchema } from './page'
import { PhaseSchema } from './run'
import { operatorFilterFields, periodFilterFields, runFilterFields } from './run-filter'

export const ListPhasesQuerySchema = z.object({
  ...pageQueryFields,
  ...runFilterFields,
  ...operatorFilterFields,
  ...periodFilterFields,
  procedure_id: z.string().min(1),
  names: queryList(FilterTextSchema),
  outcomes: queryList(PhaseOutcomeSchema),
  exclude_retries: queryBooleanOr(true),
  run_outcomes: queryList(RunOutcomeSchema),
  /** Ids of runs or of phases. */
  ids: queryList(FilterTextSchema),
  /** `production` stands for units that are no sample. */
  samples: queryList(z.enum(['production', ...SampleSchema.options])),
  ...sortFields(['started_at', 'duration', 'outcome', 'serial_number', 'phase_name']),
})
export type ListPhasesQuery = z.output<typeof ListPhasesQuerySchema>

export const PhaseListItemSchema = z.object({
  id: z.string(),
  name: z.string(),
  outcome: PhaseOutcomeSchema,
  started_at: ReturnedTimeSchema.nullable(),
  ended_at: ReturnedTimeSchema.nullable(),
  duration_ms: z.int().nullable(),
  retry_count: z.int(),
  is_final_attempt: z.boolean(),
  flaky: z.boolean().meta({ description: 'It passed after an attempt that failed' }),
  run_id: z.string(),
  run_outcome: RunOutcomeSchema,
  serial_number: z.string().nullable(),
  sample: SampleSchema.nullable(),
})
export type PhaseListItem = z.output<typeof PhaseListItemSchema>
export const PhasePageSchema = pageOf(PhaseListItemSchema)

export const PhaseDetailSchema = PhaseSchema.extend({
  run: z.object({ id: z.string(), serial_number: z.string().nullable() }),
  procedure: z.object({ id: z.string(), name: z.string() }),
})
export type PhaseDetail = z.output<typeof PhaseDetailSchema>
