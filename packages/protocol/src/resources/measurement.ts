import * as z from 'zod'
import { listOf } from '../list-schema'
import { optional } from '../optional'
import { isStorable, UNSTORABLE_MESSAGE } from '../text'
import { TextSchema, UnitOfMeasureSchema } from '../text-schema'
import { hasFiniteNumbers, isShallow, MAX_VALUE_DEPTH } from './json-depth'

export const MeasurementOutcomeSchema = z.enum(['PASS', 'FAIL', 'UNSET'])
export type MeasurementOutcome = z.output<typeof MeasurementOutcomeSchema>

export const ExpectedValueSchema = z.union([
  z.boolean(),
  z.number(),
  TextSchema,
  listOf(z.number()),
  listOf(TextSchema),
])

/** A check of a measured value; missing fields are derived where possible. */
export const ValidatorInputSchema = z.object({
  outcome: optional(MeasurementOutcomeSchema),
  operator: optional(TextSchema),
  expected_value: optional(ExpectedValueSchema),
  expression: optional(TextSchema),
  is_decisive: optional(z.boolean()),
})
export type ValidatorInput = z.output<typeof ValidatorInputSchema>

/** A figure made from the values of a measurement, such as their mean. */
export const AggregationInputSchema = z.object({
  type: TextSchema,
  outcome: optional(MeasurementOutcomeSchema),
  value: optional(z.union([z.number(), TextSchema, z.boolean()])),
  unit: optional(UnitOfMeasureSchema),
  validators: optional(listOf(ValidatorInputSchema)),
})
export type AggregationInput = z.output<typeof AggregationInputSchema>

/** One axis of a multidimensional measurement. */
export const DataSeriesInputSchema = z.object({
  data: listOf(z.number()),
  units: optional(UnitOfMeasureSchema),
  name: optional(TextSchema),
  description: optional(TextSchema),
  validators: optional(listOf(ValidatorInputSchema)),
  aggregations: optional(listOf(AggregationInputSchema)),
})
export type DataSeriesInput = z.output<typeof DataSeriesInputSchema>

/** Any JSON value, nested at most `MAX_VALUE_DEPTH` deep. */
const MeasuredValueSchema = z
  .unknown()
  .refine((value) => typeof value !== 'string' || isStorable(value), UNSTORABLE_MESSAGE)
  .refine(isShallow, {
    message: `must not be nested deeper than ${MAX_VALUE_DEPTH} levels`,
    abort: true,
  })
  .refine(hasFiniteNumbers, 'must not have numbers beyond ±1.7976931348623157e308')
  .transform((value) => value ?? undefined)
  .meta({ description: `Any JSON value, nested at most ${MAX_VALUE_DEPTH} levels deep` })

export const MeasurementInputSchema = z.object({
  name: TextSchema,
  outcome: MeasurementOutcomeSchema,
  x_axis: optional(DataSeriesInputSchema),
  y_axis: optional(listOf(DataSeriesInputSchema)),
  measured_value: MeasuredValueSchema.optional(),
  units: optional(z.union([UnitOfMeasureSchema, listOf(UnitOfMeasureSchema)])),
  lower_limit: optional(z.number()),
  upper_limit: optional(z.number()),
  validators: optional(listOf(ValidatorInputSchema)),
  aggregations: optional(listOf(AggregationInputSchema)),
  docstring: optional(TextSchema),
})
export type MeasurementInput = z.output<typeof MeasurementInputSchema>

export const ValidatorSchema = z.object({
  outcome: MeasurementOutcomeSchema,
  operator: z.string().nullable(),
  expected_value: z
    .union([z.boolean(), z.number(), z.string(), z.array(z.number()), z.array(z.string())])
    .nullable(),
  expression: z.string(),
  is_decisive: z.boolean().nullable(),
  is_expression_only: z.boolean(),
  analytics_expression: z.string().nullable(),
  has_custom_expression: z.boolean(),
})
export type Validator = z.output<typeof ValidatorSchema>

export const AggregationSchema = z.object({
  id: z.string(),
  type: z.string(),
  outcome: MeasurementOutcomeSchema.nullable(),
  value: z.union([z.number(), z.string(), z.boolean()]).nullable(),
  unit: z.string().nullable(),
  validators: z.array(ValidatorSchema).nullable(),
})
export type Aggregation = z.output<typeof AggregationSchema>

export const DataSeriesSchema = z.object({
  data: z.array(z.number()),
  units: z.string().nullable(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  validators: z.array(ValidatorSchema).nullable(),
  aggregations: z.array(AggregationSchema).nullable(),
})
export type DataSeries = z.output<typeof DataSeriesSchema>

/** A measurement; a v1 step's limits are its validators, `>=` the low one and `<=` the high one. */
export const MeasurementSchema = z.object({
  id: z.string(),
  name: z.string(),
  outcome: MeasurementOutcomeSchema,
  validators: z.array(ValidatorSchema).nullable(),
  /** All dimensions in one text: released clients raise on a list. `data_series` has each one separately. */
  units: z.string().nullable(),
  aggregations: z.array(AggregationSchema).nullable(),
  /** As it was sent: a number, a text, a boolean, a list or an object. */
  measured_value: z
    .union([z.number(), z.string(), z.boolean(), z.array(z.unknown()), z.record(z.string(), z.unknown())])
    .nullable(),
  data_series: z.array(DataSeriesSchema).nullable(),
  docstring: z.string().nullable(),
})
export type Measurement = z.output<typeof MeasurementSchema>
