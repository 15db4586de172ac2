import * as z from 'zod'
import { listOf, MAX_NAMED } from '../list-schema'
import { optional } from '../optional'
import { IdentifierSchema, recordOf, TextSchema } from '../text-schema'
import { TimeZoneSchema } from '../time-schema'
import { ImportedRunsSchema } from './import'
import { PhaseOutcomeSchema, RunOutcomeSchema } from './outcomes'

const ColumnSchema = TextSchema.min(1)
const FromColumnSchema = z.object({ column: ColumnSchema })

const FROM = 'must be {"column": "…"}, {"columns": ["…", "…"]} or {"value": "…"}'

/** The source of a field: a column of the file, several of them joined by spaces (our addition), or the mapping itself. */
const TextFieldSchema = z.union(
  [
    FromColumnSchema,
    z.object({ columns: listOf(ColumnSchema).min(1).max(MAX_NAMED) }),
    z.object({ value: TextSchema }),
  ],
  FROM,
)
const OutcomeFieldSchema = z.union(
  [
    z.object({ column: ColumnSchema, valueMap: optional(recordOf(RunOutcomeSchema)) }),
    z.object({ value: RunOutcomeSchema }),
  ],
  'must be {"column": "…", "valueMap": {…}} or {"value": "PASS"}',
)
export type TextField = z.output<typeof TextFieldSchema>

/** Each row is a measurement. */
const LongMeasurementsSchema = z.object({
  layout: TextSchema,
  nameColumn: ColumnSchema,
  valueColumn: ColumnSchema,
  unitsColumn: optional(ColumnSchema),
  lowerColumn: optional(ColumnSchema),
  upperColumn: optional(ColumnSchema),
  outcomeColumn: optional(ColumnSchema),
  phaseColumn: optional(ColumnSchema),
})
export type LongMeasurements = z.output<typeof LongMeasurementsSchema>

/** Each of some columns is a measurement. */
const WideMeasurementsSchema = z.object({
  layout: TextSchema,
  columns: listOf(
    z.object({
      column: ColumnSchema,
      name: optional(TextSchema),
      units: optional(TextSchema),
      lowerLimit: optional(z.number()),
      upperLimit: optional(z.number()),
      lowerColumn: optional(ColumnSchema),
      upperColumn: optional(ColumnSchema),
      unitsColumn: optional(ColumnSchema),
      phase: optional(TextSchema),
    }),
  ).max(MAX_NAMED),
})
export type WideMeasurements = z.output<typeof WideMeasurementsSchema>

const PhasesSchema = z.object({
  nameColumn: ColumnSchema,
  outcomeColumn: optional(ColumnSchema),
  startedColumn: optional(ColumnSchema),
  endedColumn: optional(ColumnSchema),
  valueMap: optional(recordOf(PhaseOutcomeSchema)),
})

const MetadataFieldsSchema = listOf(
  z.object({ key: TextSchema.min(1), column: optional(ColumnSchema), value: optional(TextSchema) }),
).max(MAX_NAMED)

/** Rows with these words in a column hold limits and units, not values. */
const LimitRowsSchema = z.object({
  column: ColumnSchema,
  lower: optional(TextSchema.min(1)),
  upper: optional(TextSchema.min(1)),
  units: optional(TextSchema.min(1)),
})
export type LimitRows = z.output<typeof LimitRowsSchema>

/** How a file is written; all of it is our addition. */
const layoutFields = {
  encoding: optional(z.enum(['utf-8', 'utf-16le', 'windows-1252'])).meta({ description: 'By default UTF-8' }),
  delimiter: optional(z.enum([',', ';', '\t', '|'])).meta({
    description: 'By default the one that the header has',
  }),
  decimal: optional(z.enum(['.', ','])).meta({
    description: 'Of numbers; by default a comma where ";" divides the columns',
  }),
  headerRow: optional(z.int().min(1).max(1000)).meta({
    description: 'The row that names the columns, by default the first; rows above it are not read',
  }),
  limitRows: optional(LimitRowsSchema).meta({
    description: 'Rows below the header that hold the limits and units of their columns',
  }),
  timeFormat: optional(TextSchema.min(1)).meta({
    description: 'Of times, such as dd.MM.yyyy HH:mm:ss; by default ISO 8601 or milliseconds since 1970',
  }),
  timeZone: optional(TimeZoneSchema).meta({ description: 'Of times without a zone; by default UTC' }),
  runs: optional(z.enum(['file', 'row', 'unit'])).meta({
    description:
      'What one run is: the whole file (the default), each row, or the rows with the same serial number and start',
  }),
}

/** Maps columns to fields. The members of `measurements` decide the layout, not its name. */
export const TabularMappingSchema = z.object({
  ...layoutFields,
  fields: z.object({
    serial_number: TextFieldSchema,
    part_number: optional(TextFieldSchema),
    outcome: OutcomeFieldSchema,
    started_at: TextFieldSchema,
    ended_at: optional(TextFieldSchema).meta({
      description:
        'Without it and duration the run ends when it starts; that it may be left out is our addition',
    }),
    duration: optional(TextFieldSchema).meta({ description: 'Our addition: seconds, in place of ended_at' }),
    procedure: optional(TextFieldSchema).meta({
      description: 'Our addition: the name of the procedure, in place of procedure_id',
    }),
    procedure_version: optional(TextFieldSchema).meta({ description: 'Our addition' }),
    station: optional(TextFieldSchema).meta({ description: 'Our addition: becomes metadata' }),
    operator: optional(TextFieldSchema).meta({
      description: 'Our addition: a name, or the e-mail address of a user; becomes metadata',
    }),
    revision_number: optional(TextFieldSchema),
    batch_number: optional(TextFieldSchema),
    operated_by: optional(TextFieldSchema),
    docstring: optional(TextFieldSchema),
  }),
  measurements: z.union([LongMeasurementsSchema, WideMeasurementsSchema, z.object({ layout: TextSchema })]),
  phases: optional(PhasesSchema),
  metadata: optional(MetadataFieldsSchema),
  unitMetadata: optional(MetadataFieldsSchema),
})
export type TabularMapping = z.output<typeof TabularMappingSchema>

export const ImportTabularRequestSchema = z
  .object({
    upload_id: z.string().min(1),
    procedure_id: optional(IdentifierSchema).meta({
      description: 'Needed unless the mapping has fields.procedure, which is our addition',
    }),
    mapping: optional(TabularMappingSchema),
    template_id: optional(TextSchema).meta({
      description: 'A mapping that is kept; this service keeps none, so every id is unknown',
    }),
  })
  .refine(({ mapping, template_id }) => (mapping === undefined) !== (template_id === undefined), {
    path: ['mapping'],
    message: 'must be sent, and template_id must not',
  })
  .refine(
    ({ procedure_id, mapping }) => procedure_id !== undefined || mapping?.fields.procedure !== undefined,
    {
      path: ['procedure_id'],
      message: 'is required, unless the mapping has fields.procedure',
    },
  )
export type ImportTabularRequest = z.output<typeof ImportTabularRequestSchema>

export const ImportTabularResponseSchema = z.object({
  id: z.string().meta({ description: 'The first run' }),
  runs: ImportedRunsSchema.optional(),
  file_import_id: z.string().meta({ description: 'The upload, which is linked to the run' }),
  url: z.string().optional(),
  warnings: z.array(z.string()).optional(),
})
export type ImportTabularResponse = z.output<typeof ImportTabularResponseSchema>
