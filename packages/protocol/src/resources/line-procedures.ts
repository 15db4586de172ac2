import * as z from 'zod'
import { describedAs } from '../openapi'
import { ProcedureReferenceSchema } from './common'
import { LEAST_BATCH_UNITS } from './limits'
import { RateSchema } from './rate'
import { lineDaysField, LineFailureSchema, yieldFields } from './line'
import { FilterTextSchema, QueryIntegerSchema, queryList } from './page'

/** Most procedures of a list of the line. */
export const MAX_LINE_PROCEDURES = 50
const DEFAULT_LINE_PROCEDURES = 20

/** How many measurements of a procedure decide whether it is in control. */
export const CHECKED_MEASUREMENTS = 5
export const CHECKED_VALUES = 200

/** `GET /v2/line/procedures`. */
export const ListLineProceduresQuerySchema = z.object({
  procedure_ids: queryList(FilterTextSchema),
  ...lineDaysField,
  limit: QueryIntegerSchema.pipe(z.number().min(1).max(MAX_LINE_PROCEDURES))
    .default(DEFAULT_LINE_PROCEDURES)
    .meta(
      describedAs({
        type: 'integer',
        minimum: 1,
        maximum: MAX_LINE_PROCEDURES,
        default: DEFAULT_LINE_PROCEDURES,
      }),
    ),
})
export type ListLineProceduresQuery = z.output<typeof ListLineProceduresQuerySchema>

const CheckedMeasurementSchema = z.object({
  phase: z.string(),
  measurement: z.string(),
  values: z.int().meta({ description: `At most the last ${CHECKED_VALUES} of the period` }),
  violating: z.int().meta({ description: 'Values that break a Western Electric rule' }),
  in_control: z.boolean().nullable().meta({ description: 'No rule is broken; null below two values' }),
})

export const LineProcedureSchema = z.object({
  procedure: ProcedureReferenceSchema,
  first_pass: yieldFields.first_pass,
  last_pass: yieldFields.last_pass,
  worst_batch: z
    .object({ number: z.string(), first_pass: RateSchema })
    .nullable()
    .meta({
      description: `The batch with the lowest first-pass yield, of at least ${LEAST_BATCH_UNITS} units; null where all passed`,
    }),
  worst_measurement: LineFailureSchema.nullable().meta({
    description: 'What fails most, as in `GET /v2/line/failures`; null where nothing failed',
  }),
  control: z.object({
    measurements: z.int().meta({ description: 'Measurements with numbers in the period' }),
    checked: z.array(CheckedMeasurementSchema).meta({
      description: `The ${CHECKED_MEASUREMENTS} of them that fail most`,
    }),
  }),
})
export type LineProcedure = z.output<typeof LineProcedureSchema>

export const LineProcedureListSchema = z.object({
  days: z.int(),
  data: z.array(LineProcedureSchema),
  has_more: z.boolean().meta({ description: 'There are more procedures than `limit`' }),
})
export type LineProcedureList = z.output<typeof LineProcedureListSchema>
