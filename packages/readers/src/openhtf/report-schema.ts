import {
  BatchNumberSchema,
  IdentifierSchema,
  MAX_NAMED,
  NameSchema,
  NumberTextSchema,
} from '@runledger/protocol'
import * as z from 'zod'

/** A field that older versions of OpenHTF leave out, or write as null. */
function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

/** Numbers of parts and revisions may be numbers of Python. */
function numbered<Schema extends z.ZodType<unknown, string>>(schema: Schema) {
  return maybe(z.preprocess((value) => (typeof value === 'number' ? String(value) : value), schema))
}

const MAX_MILLIS = Number.MAX_SAFE_INTEGER / 1000
const MillisSchema = z.number().min(0).max(MAX_MILLIS)

const SubUnitSchema = z.union([z.object({ serial_number: NumberTextSchema }), NumberTextSchema])

/** Keyword arguments of `openhtf.Test` that TofuPilot's plug-in reads; the rest is kept as metadata. */
export const NAMED_METADATA = {
  procedure_id: numbered(IdentifierSchema),
  procedure_name: maybe(NameSchema),
  procedure_version: numbered(NumberTextSchema),
  part_number: numbered(NumberTextSchema),
  revision: numbered(NumberTextSchema),
  batch_number: numbered(BatchNumberSchema),
  sub_units: maybe(z.array(SubUnitSchema).max(MAX_NAMED)),
}

/** A test record of OpenHTF as its `OutputToJSON` writes it, but for its lists, whose entries are read one by one. */
export const ReportSchema = z.object({
  dut_id: numbered(
    NumberTextSchema.refine((text) => text !== 'None', 'the serial number must be given to Test.execute'),
  ).refine((id) => id !== undefined, 'the serial number must be given to Test.execute'),
  station_id: maybe(z.string()),
  start_time_millis: MillisSchema,
  end_time_millis: maybe(MillisSchema),
  outcome: z.enum(['PASS', 'FAIL', 'ERROR', 'TIMEOUT', 'ABORTED']),
  outcome_details: maybe(
    z.array(z.object({ code: maybe(z.union([z.string(), z.number()])), description: maybe(z.string()) })),
  ),
  code_info: maybe(z.object({ name: maybe(z.string()), docstring: maybe(z.string()) })),
  metadata: z.preprocess((metadata) => metadata ?? {}, z.looseObject(NAMED_METADATA)),
  marginal: maybe(z.boolean()),
  phases: z.array(z.unknown()),
  log_records: maybe(z.array(z.unknown())),
})
export type Report = z.output<typeof ReportSchema>

const ThrownSchema = z.object({
  exc_type: maybe(z.string()),
  exc_val: maybe(z.union([z.string(), z.number()])),
  exc_tb: maybe(z.string()),
})

const AttachmentSchema = z.object({ mimetype: maybe(z.string()), data: maybe(z.string()) })

export const PhaseSchema = z.object({
  name: z.string(),
  outcome: maybe(z.enum(['PASS', 'FAIL', 'SKIP', 'ERROR'])),
  start_time_millis: MillisSchema,
  end_time_millis: maybe(MillisSchema),
  codeinfo: maybe(z.object({ docstring: maybe(z.string()) })),
  result: maybe(z.object({ phase_result: maybe(z.union([z.string(), ThrownSchema])) })),
  subtest_name: maybe(z.string()),
  marginal: maybe(z.boolean()),
  diagnosis_results: maybe(z.array(z.unknown())),
  failure_diagnosis_results: maybe(z.array(z.unknown())),
  attachments: maybe(z.record(z.string(), AttachmentSchema)),
  measurements: maybe(z.record(z.string(), z.unknown())),
})
export type Phase = z.output<typeof PhaseSchema>

const UnitSchema = z.union([
  z.string(),
  z.object({ suffix: maybe(z.string()), name: maybe(z.string()), code: maybe(z.string()) }),
])
export type OpenHtfUnit = z.output<typeof UnitSchema>

const DimensionSchema = z.object({
  suffix: maybe(z.string()),
  name: maybe(z.string()),
  description: maybe(z.string()),
  code: maybe(z.string()),
})

export const MeasurementSchema = z.object({
  outcome: maybe(z.enum(['PASS', 'FAIL', 'UNSET', 'PARTIALLY_SET', 'SKIPPED'])),
  docstring: maybe(z.string()),
  units: maybe(UnitSchema),
  dimensions: maybe(z.array(DimensionSchema)),
  validators: maybe(z.array(z.string())),
  measured_value: z.unknown().optional(),
})
export type OpenHtfMeasurement = z.output<typeof MeasurementSchema>

export const LogRecordSchema = z.object({
  level: z.number(),
  logger_name: maybe(z.string()),
  source: maybe(z.string()),
  lineno: maybe(z.number()),
  timestamp_millis: MillisSchema,
  message: z.string(),
})
export type LogRecord = z.output<typeof LogRecordSchema>
