import * as z from 'zod'
import { optional } from '../optional'
import { ReturnedTimeSchema, MeasurementTypeSchema, SampleSchema } from './common'
import { MeasurementOutcomeSchema, MeasurementSchema, ValidatorSchema } from './measurement'
import { RunOutcomeSchema } from './outcomes'
import {
  pageOf,
  pageQueryFields,
  QueryBooleanSchema,
  queryBooleanOr,
  queryList,
  sortFields,
  FilterTextSchema,
} from './page'
import { operatorFilterFields, periodFilterFields, runFilterFields } from './run-filter'

export const ListMeasurementsQuerySchema = z.object({
  ...pageQueryFields,
  ...runFilterFields,
  ...operatorFilterFields,
  ...periodFilterFields,
  procedure_id: z.string().min(1),
  phase_name: optional(z.string()),
  measurement_name: optional(z.string()),
  phase_names: queryList(FilterTextSchema),
  /** Outcomes of runs. */
  outcomes: queryList(RunOutcomeSchema),
  /** Ids of runs or of measurements. */
  ids: queryList(FilterTextSchema),
  exclude_retries: queryBooleanOr(true),
  value_min: optional(z.coerce.number()),
  value_max: optional(z.coerce.number()),
  value_bool: z.preprocess((value) => value ?? undefined, QueryBooleanSchema.optional()),
  value_strings: queryList(FilterTextSchema),
  measurement_outcomes: queryList(MeasurementOutcomeSchema),
  measurement_types: queryList(MeasurementTypeSchema),
  ...sortFields(['started_at', 'value', 'outcome', 'serial_number', 'phase_name', 'measurement_name']),
})
export type ListMeasurementsQuery = z.output<typeof ListMeasurementsQuerySchema>

export const MeasurementListItemSchema = z.object({
  id: z.string(),
  phase_name: z.string(),
  measurement_name: z.string(),
  started_at: ReturnedTimeSchema.nullable(),
  value: z.number().nullable(),
  bool_value: z.boolean().nullable(),
  string_value: z.string().nullable(),
  units: z.string().nullable(),
  measurement_outcome: MeasurementOutcomeSchema,
  run_id: z.string(),
  serial_number: z.string().nullable(),
  sample: SampleSchema.nullable(),
  measurement_type: MeasurementTypeSchema,
  retry_count: z.int(),
  is_final_attempt: z.boolean(),
  validators: z.array(ValidatorSchema).nullable(),
})
export type MeasurementListItem = z.output<typeof MeasurementListItemSchema>
export const MeasurementPageSchema = pageOf(MeasurementListItemSchema)

export const MeasurementDetailSchema = MeasurementSchema.extend({
  phase: z.object({ id: z.string(), name: z.string() }),
  run: z.object({ id: z.string(), outcome: z.string().nullable(), serial_number: z.string().nullable() }),
  procedure: z.object({ id: z.string(), name: z.string() }),
})
export type MeasurementDetail = z.output<typeof MeasurementDetailSchema>
