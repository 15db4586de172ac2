import * as z from 'zod'
import { DurationSchema } from './duration-schema'
import { optional } from './optional'
import { refusing } from './refused-members'
import { testFactFields } from './resources/test-facts'
import { TextSchema, UnitOfMeasureSchema } from './text-schema'
import { TimestampSchema } from './time-schema'

const stepFields = {
  name: TextSchema,
  step_passed: z.boolean(),
  started_at: TimestampSchema,
  duration: DurationSchema,
  measurement_unit: optional(UnitOfMeasureSchema),
  ...testFactFields,
}

const AS_PHASE = 'send it with one of phases'

const OF_PHASES = {
  outcome: 'send step_passed',
  ended_at: 'send duration',
  measured_value: 'send measurement_value',
  units: 'send measurement_unit',
  lower_limit: 'send limit_low',
  upper_limit: 'send limit_high',
  measurements: AS_PHASE,
  docstring: AS_PHASE,
  retry_count: AS_PHASE,
}

/** One step of a run with its optional measurement and limits (docs/interface.md#steps). */
export const StepSchema = refusing(
  {
    ...stepFields,
    measurement_value: optional(z.number()),
    limit_low: optional(z.number()),
    limit_high: optional(z.number()),
  },
  OF_PHASES,
)

const NumericTextSchema = z
  .string()
  .regex(/^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i, 'must be a number')
  .transform(Number)
  .refine(Number.isFinite, 'must be a finite number')

const LenientNumberSchema = optional(z.union([z.number(), NumericTextSchema]))

/** The lenient path also takes measured values and limits as numeric text (docs/interface.md#run-creation-in-v1). */
export const LenientStepSchema = refusing(
  {
    ...stepFields,
    measurement_value: LenientNumberSchema,
    limit_low: LenientNumberSchema,
    limit_high: LenientNumberSchema,
  },
  OF_PHASES,
)

export type Step = z.output<typeof StepSchema>
