import * as z from 'zod'
import { DurationSchema } from './duration-schema'
import { optional } from './optional'
import { LenientStepSchema, StepSchema } from './step'
import { IdentifierSchema, recordOf, TextSchema } from './text-schema'
import { TimestampSchema } from './time-schema'
import { SubUnitSchema, UnitUnderTestSchema } from './unit-under-test'

const runFields = {
  procedure_id: IdentifierSchema,
  unit_under_test: UnitUnderTestSchema,
  run_passed: z.boolean(),
  started_at: optional(TimestampSchema),
  sub_units: optional(z.array(SubUnitSchema)),
  report_variables: optional(recordOf(TextSchema)),
  attachments: optional(z.array(TextSchema)),
}

/** Run creation on the specification's path (2.1): `duration` is required. */
export const CreateRunRequestSchema = z.object({
  ...runFields,
  duration: DurationSchema,
  steps: optional(z.array(StepSchema)),
})

/** Run creation on the lenient path: `duration` defaults to `PT0S`. */
export const LenientCreateRunRequestSchema = z.object({
  ...runFields,
  duration: optional(DurationSchema).transform((duration) => duration ?? 'PT0S'),
  steps: optional(z.array(LenientStepSchema)),
})

export type CreateRunRequest = z.output<typeof CreateRunRequestSchema>

/**
 * Answer to run creation. A service of the bare specification answers only `url` (2.4): whatever else it answers under
 * our names, in a form that is not ours, counts as absent, for the run is on record.
 */
export const CreateRunAnswerSchema = z.object({
  url: z.string(),
  id: optional(z.string()).catch(undefined),
  message: optional(z.string()).catch(undefined),
  warnings: optional(z.array(z.string())).catch(undefined),
  group_url: optional(z.string()).catch(undefined),
})
export type CreateRunAnswer = z.output<typeof CreateRunAnswerSchema>
