import * as z from 'zod'
import { MAX_LINE_DAYS } from './limits'
import { YIELD_GROUPS, RULE_SETS } from './choices'
import { describedAs } from '../openapi'
import { optional } from '../optional'
import { BatchReferenceSchema, ProcedureReferenceSchema, ReturnedTimeSchema } from './common'
import { RateSchema } from './rate'
import { FilterTextSchema, QueryIntegerSchema, queryList } from './page'

export const DEFAULT_LINE_DAYS = 28

export type YieldGroup = (typeof YIELD_GROUPS)[number]

export const lineDaysField = {
  days: QueryIntegerSchema.pipe(z.number().min(1).max(MAX_LINE_DAYS))
    .default(DEFAULT_LINE_DAYS)
    .meta(describedAs({ type: 'integer', minimum: 1, maximum: MAX_LINE_DAYS, default: DEFAULT_LINE_DAYS })),
}

const periodFields = {
  procedure_id: FilterTextSchema.min(1).meta({ description: 'Identifier or UUID of a procedure' }),
  ...lineDaysField,
}

/** Most rows of a list of the line. */
export const MAX_LINE_ROWS = 1_000

const HasMoreSchema = z.boolean().meta({ description: `There are more than these ${MAX_LINE_ROWS} rows` })

const procedureFields = { procedure: ProcedureReferenceSchema, days: z.int() }

export const ListYieldsQuerySchema = z.object({
  ...periodFields,
  by: z
    .enum(YIELD_GROUPS)
    .nullish()
    .transform((by) => by ?? ('day' as const))
    .meta(describedAs({ type: 'string', enum: YIELD_GROUPS, default: 'day' })),
})
export type ListYieldsQuery = z.output<typeof ListYieldsQuerySchema>

/** Shares of units that passed; a unit counts with its first run ever (docs/statistics.md#yields). */
export const yieldFields = {
  first_pass: RateSchema.meta({ description: 'Units that passed their first run ever' }),
  second_pass: RateSchema.meta({ description: 'Units that passed their first or second run' }),
  last_pass: RateSchema.meta({ description: 'Units whose last run passed' }),
  first_pass_of_day: RateSchema.meta({
    description: 'Units that passed their first run of the day, on each day',
  }),
  runs: RateSchema.meta({ description: 'Runs that passed' }),
}

export const YieldRowSchema = z.object({
  key: z.string().nullable().meta({
    description:
      'A day, the Monday of a week, or the name of a batch, station, version or revision; null without one',
  }),
  id: z.string().nullable().meta({ description: 'Of the station, with `by=station`; else null' }),
  ...yieldFields,
})
export type YieldRow = z.output<typeof YieldRowSchema>

export const YieldListSchema = z.object({
  ...procedureFields,
  by: z.enum(YIELD_GROUPS),
  total: z.object(yieldFields),
  samples: z
    .object(yieldFields)
    .meta({ description: 'Units that are marked as samples, which count in nothing else' }),
  data: z.array(YieldRowSchema),
  has_more: HasMoreSchema,
})
export type YieldList = z.output<typeof YieldListSchema>

export const ListLineFailuresQuerySchema = z.object(periodFields)
export type ListLineFailuresQuery = z.output<typeof ListLineFailuresQuerySchema>

export const LineFailureSchema = z.object({
  phase: z.string(),
  measurement: z.string().nullable().meta({ description: 'null for a step without measurements' }),
  unit: z.string().nullable(),
  failures: RateSchema,
  has_numbers: z.boolean().meta({ description: 'Its numbers are on record, for `GET /v2/line/measurement`' }),
  share: z.number().meta({ description: 'Its part in all failures, from 0 to 1' }),
  cumulative: z.number().meta({ description: 'Its share and those before it' }),
})
export type LineFailure = z.output<typeof LineFailureSchema>

export const LineFailureListSchema = z.object({
  ...procedureFields,
  data: z.array(LineFailureSchema),
  has_more: HasMoreSchema,
})
export type LineFailureList = z.output<typeof LineFailureListSchema>

const measurementFields = {
  ...periodFields,
  phase: FilterTextSchema.min(1),
  measurement: optional(FilterTextSchema).meta({
    description: 'Its name; without it, that of the phase, as of a step of v1',
  }),
}

export type RuleSet = (typeof RULE_SETS)[number]

export const GetLineMeasurementQuerySchema = z.object({
  ...measurementFields,
  batch_numbers: queryList(FilterTextSchema),
  stations: queryList(FilterTextSchema),
  versions: queryList(FilterTextSchema),
  rules: z
    .enum(RULE_SETS)
    .nullish()
    .transform((rules) => rules ?? ('western_electric' as const))
    .meta(describedAs({ type: 'string', enum: RULE_SETS, default: 'western_electric' })),
  limits_until: optional(FilterTextSchema).meta({
    description: 'Control limits come only from values up to this time, as frozen limits do',
  }),
})
export type GetLineMeasurementQuery = z.output<typeof GetLineMeasurementQuerySchema>

export const ControlLimitsSchema = z.object({ center: z.number(), lower: z.number(), upper: z.number() })

const IndexSchema = z
  .object({ value: z.number(), low: z.number(), high: z.number() })
  .meta({ description: 'An index with its 95 % interval' })

const CapabilitySchema = z.object({
  sigma: z.number(),
  spread: IndexSchema.nullable().meta({ description: 'Cp or Pp; null with one limit' }),
  centered: IndexSchema.meta({ description: 'Cpk or Ppk' }),
  expected_outside: z.number().meta({ description: 'Share outside the limits, were the values normal' }),
})

/** Only the last values of the period are read. */
export const MAX_LINE_VALUES = 3_000

const HasMoreValuesSchema = z
  .boolean()
  .meta({ description: `The period has more values than the last ${MAX_LINE_VALUES}` })

export const LineMeasurementSchema = z.object({
  ...procedureFields,
  phase: z.string(),
  measurement: z.string(),
  unit: z.string().nullable(),
  limits: z
    .object({ low: z.number().nullable(), high: z.number().nullable() })
    .meta({ description: 'Those of the last value' }),
  n: z.int(),
  has_more: HasMoreValuesSchema,
  failed: z.int(),
  mean: z.number().nullable(),
  standard_deviation: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  control: z
    .object({
      values: z.int().meta({ description: 'How many values the limits come from' }),
      individuals: ControlLimitsSchema,
      moving_ranges: ControlLimitsSchema,
      sigma: z.number(),
    })
    .nullable(),
  rules: z.enum(RULE_SETS).meta({ description: 'The rules that were looked for' }),
  in_control: z.boolean().nullable().meta({ description: 'No rule is broken; null below two values' }),
  violations: z.array(z.object({ rule: z.int(), index: z.int() })),
  within: CapabilitySchema.nullable().meta({
    description: 'Cp and Cpk; null for a process that is not in control, or without limits',
  }),
  overall: CapabilitySchema.nullable().meta({ description: 'Pp and Ppk' }),
  normality: z.object({ statistic: z.number(), p_value: z.number() }).nullable(),
  histogram: z.array(z.object({ from: z.number(), to: z.number(), count: z.int() })),
  drifts: z
    .array(
      z.object({
        index: z.int(),
        started_at: ReturnedTimeSchema,
        mean_before: z.number(),
        mean_after: z.number(),
        sigmas: z.number(),
        p_value: z.number(),
        began_with: z.array(z.string()).meta({
          description: 'Batches, stations and versions whose first value is near the change',
        }),
      }),
    )
    .meta({ description: 'Lasting changes of the mean' }),
  values: z.array(
    z.object({
      run_id: z.string(),
      serial_number: z.string(),
      started_at: ReturnedTimeSchema,
      station: z.string().nullable(),
      batch: z.string().nullable(),
      version: z.string().nullable(),
      value: z.number(),
      limit_low: z.number().nullable(),
      limit_high: z.number().nullable(),
      passed: z.boolean(),
    }),
  ),
})
export type LineMeasurement = z.output<typeof LineMeasurementSchema>

export const GetGaugeStudyQuerySchema = z.object({
  ...measurementFields,
  serial_numbers: queryList(FilterTextSchema).meta({
    description: 'Units of the study; without any, those that are marked as golden',
  }),
})
export type GetGaugeStudyQuery = z.output<typeof GetGaugeStudyQuerySchema>

const ComponentSchema = z.object({
  sigma: z.number(),
  share: z.number().meta({ description: 'Part of the variance, from 0 to 1' }),
})

export const GaugeStudySchema = z.object({
  ...procedureFields,
  phase: z.string(),
  measurement: z.string(),
  unit: z.string().nullable(),
  values: z.int().meta({ description: 'Values of the units of the study' }),
  has_more: HasMoreValuesSchema,
  study: z
    .object({
      units: z.array(z.string()),
      stations: z.array(z.object({ station: z.string(), mean: z.number() })),
      readings: z.int().meta({ description: 'Values of each unit at each station' }),
      left_out: z.int(),
      pooled: z.boolean(),
      repeatability: ComponentSchema,
      reproducibility: ComponentSchema,
      gauge: ComponentSchema,
      unit_variation: ComponentSchema.nullable().meta({ description: 'null with one unit' }),
      total: ComponentSchema.meta({
        description: 'With one unit, this is the variation of the gauge, and all shares refer to it',
      }),
      tolerance_share: z.number().nullable(),
      distinct_categories: z.int().nullable(),
      p_values: z.object({
        units: z.number().nullable(),
        stations: z.number().nullable(),
        interaction: z.number().nullable(),
      }),
    })
    .nullable()
    .meta({ description: 'null when no unit was measured twice at each station' }),
})
export type GaugeStudyAnswer = z.output<typeof GaugeStudySchema>

export const ListWhereUsedQuerySchema = z.object({ batch_number: FilterTextSchema.min(1) })
export type ListWhereUsedQuery = z.output<typeof ListWhereUsedQuerySchema>

export const WhereUsedSchema = z.object({
  batch: BatchReferenceSchema,
  data: z.array(
    z.object({
      serial_number: z.string(),
      part_number: z.string(),
      batch: z.string().nullable(),
      sub_units: z.array(z.string()).meta({
        description: 'Serial numbers of the units of the batch that it holds, at any depth',
      }),
    }),
  ),
  has_more: HasMoreSchema,
})
export type WhereUsed = z.output<typeof WhereUsedSchema>
