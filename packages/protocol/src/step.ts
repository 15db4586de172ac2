import * as z from 'zod'
import { DurationSchema } from './duration-schema'
import { optional } from './optional'
import { TextSchema } from './text-schema'
import { TimestampSchema } from './time-schema'

const stepFields = {
  name: TextSchema,
  step_passed: z.boolean(),
  started_at: TimestampSchema,
  duration: DurationSchema,
  measurement_unit: optional(TextSchema),
  limit_low: optional(z.number()),
  limit_high: optional(z.number()),
}

/** One step of a run with its optional measurement and limits (specification 2.3). */
export const StepSchema = z.object({ ...stepFields, measurement_value: optional(z.number()) })

const NumericTextSchema = z
  .string()
  .regex(/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i, 'must be a number')
  .transform(Number)
  .refine(Number.isFinite, 'must be a finite number')

/** The same on the lenient path, where a measured value may come as a numeric string (contract decisions, v1). */
export const LenientStepSchema = z.object({
  ...stepFields,
  measurement_value: optional(z.union([z.number(), NumericTextSchema])),
})

export type Step = z.output<typeof StepSchema>
