import * as z from 'zod'
import { MAX_TREE_UNITS } from './limits'
import { optional } from '../optional'
import {
  BatchReferenceSchema,
  createdByFields,
  MetadataSchema,
  PartReferenceSchema,
  ProcedureReferenceSchema,
  ReturnedTimeSchema,
  SampleSchema,
  UnitReferenceSchema,
} from './common'
import { RateSchema } from './rate'
import { lineDaysField, yieldFields } from './line'
import { RunOutcomeSchema } from './outcomes'
import { FilterTextSchema } from './page'
import { RunListItemSchema } from './run'
import { FailureVerdictSchema } from './verdict'

export const GetLineUnitQuerySchema = z.object({ serial_number: FilterTextSchema.min(1) })
export type GetLineUnitQuery = z.output<typeof GetLineUnitQuerySchema>

/** Most runs, pictures and measurements in the history of a unit. */
export const MAX_UNIT_RUNS = 100
export const MAX_UNIT_PICTURES = 100
export const MAX_UNIT_MEASUREMENTS = 200
/** A value is compared with this many last values of other units. */
export const MAX_OTHER_VALUES = 500
/** Only the last failed runs of the unit have verdicts. */
export const MAX_UNIT_FAILED_RUNS = 5

const UnitVerdictSchema = z.object({
  procedure: ProcedureReferenceSchema,
  outcome: RunOutcomeSchema.nullable().meta({
    description: 'Of the last completed run, which is the verdict of the unit; null before its first one',
  }),
  runs: z.int().meta({ description: 'Completed runs of the unit' }),
  failed: z.int().meta({ description: 'How many of these did not pass' }),
  passed_at: z.int().nullable().meta({
    description: 'Which of these runs passed first: 1 on first pass; null where none passed',
  }),
  last_run: z.object({ id: z.string(), started_at: ReturnedTimeSchema }).nullable(),
})
export type UnitVerdict = z.output<typeof UnitVerdictSchema>

const TreeUnitSchema = UnitReferenceSchema.extend({
  part: PartReferenceSchema,
  batch: BatchReferenceSchema.nullable(),
  depth: z.int().meta({ description: '1 for a neighbour of the unit' }),
  parent: z.string().nullable().meta({ description: 'Serial number of the unit that holds it' }),
  verdicts: z.array(UnitVerdictSchema),
})
export type TreeUnit = z.output<typeof TreeUnitSchema>

const PictureSchema = z.object({
  id: z.string(),
  name: z.string(),
  content_type: z.string().nullable(),
  size: z.number().nullable(),
  download_url: z.string(),
})
export type LinePicture = z.output<typeof PictureSchema>

const PlacedMeasurementSchema = z.object({
  run_id: z.string(),
  procedure_id: z.string(),
  phase: z.string(),
  measurement: z.string(),
  unit: z.string().nullable(),
  value: z.number(),
  limit_low: z.number().nullable(),
  limit_high: z.number().nullable(),
  passed: z.boolean(),
  others: z
    .object({
      n: z.int(),
      mean: z.number(),
      standard_deviation: z.number().nullable().meta({ description: 'null with one value' }),
      min: z.number(),
      low_quartile: z.number(),
      median: z.number(),
      high_quartile: z.number(),
      max: z.number(),
      below: z.number().meta({
        description:
          'Share of these values that are below the one of this unit, from 0 to 1; equal ones count half',
      }),
    })
    .nullable()
    .meta({ description: `The last ${MAX_OTHER_VALUES} values of other units, samples left out` }),
})
export type PlacedMeasurement = z.output<typeof PlacedMeasurementSchema>

export const LineUnitSchema = z.object({
  unit: UnitReferenceSchema.extend({
    created_at: ReturnedTimeSchema,
    sample: SampleSchema.nullable(),
    part: PartReferenceSchema,
    ...createdByFields,
    batch: BatchReferenceSchema.nullable(),
    metadata: MetadataSchema,
    pictures: z.array(PictureSchema).meta({ description: 'Its image first, then pictures attached to it' }),
  }),
  holders: z
    .array(TreeUnitSchema)
    .meta({ description: 'The unit that holds it, the one that holds that, …' }),
  sub_units: z.array(TreeUnitSchema).meta({ description: 'Units that it holds at any depth, nearest first' }),
  more_sub_units: z.boolean().meta({ description: `It holds more than these ${MAX_TREE_UNITS}` }),
  verdicts: z.array(UnitVerdictSchema).meta({
    description:
      'One for each procedure that the unit was tested in, and for each that units of its part were tested in during the last 365 days',
  }),
  runs: z
    .array(RunListItemSchema.extend({ pictures: z.array(PictureSchema) }))
    .meta({ description: 'Of the unit and its sub-units, the last started first, at most 100' }),
  more_runs: z.boolean(),
  failures: z.array(FailureVerdictSchema).meta({
    description: `Failures of the last ${MAX_UNIT_FAILED_RUNS} failed ones of these runs that are about the unit, as GET /v2/verdicts answers them`,
  }),
  measurements: z.array(PlacedMeasurementSchema).meta({
    description: `Numbers of the last completed run of each procedure, at most ${MAX_UNIT_MEASUREMENTS}`,
  }),
  more_measurements: z.boolean(),
})
export type LineUnit = z.output<typeof LineUnitSchema>

export const GetRolledYieldsQuerySchema = z
  .object({
    part_number: optional(FilterTextSchema.min(1)),
    revision_number: optional(FilterTextSchema.min(1)),
    batch_number: optional(FilterTextSchema.min(1)),
    station: optional(FilterTextSchema.min(1)).meta({ description: 'UUID of a station' }),
    ...lineDaysField,
  })
  .refine(({ part_number: part, batch_number: batch, station }) => part ?? batch ?? station, {
    path: ['part_number'],
    message: 'must name a part where neither batch_number nor station is sent',
  })
  .refine(
    ({ part_number: part, revision_number: revision }) => part !== undefined || revision === undefined,
    {
      path: ['revision_number'],
      message: 'needs part_number, since revisions of different parts may have one number',
    },
  )
export type GetRolledYieldsQuery = z.output<typeof GetRolledYieldsQuerySchema>

export const RolledYieldsSchema = z.object({
  days: z.int(),
  data: z.array(
    z.object({
      procedure: ProcedureReferenceSchema,
      ...yieldFields,
      others: RateSchema.meta({ description: 'First-pass yield of all other units of the procedure' }),
    }),
  ),
  rolled: z
    .object({ first_pass: z.number().nullable(), last_pass: z.number().nullable() })
    .meta({ description: 'Products over these procedures; null where one of them has no unit' }),
})
export type RolledYields = z.output<typeof RolledYieldsSchema>
