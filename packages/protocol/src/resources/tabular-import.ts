import * as z from 'zod'
import { listOf, MAX_NAMED } from '../list-schema'
import { optional } from '../optional'
import { IdentifierSchema, recordOf, TextSchema } from '../text-schema'
import { PhaseOutcomeSchema, RunOutcomeSchema } from './outcomes'

const ColumnSchema = TextSchema.min(1)
const FromColumnSchema = z.object({ column: ColumnSchema })

/** The source of a field: a column of the file, or the mapping itself. */
const TextFieldSchema = z.union([FromColumnSchema, z.object({ value: TextSchema })])
const OutcomeFieldSchema = z.union([
  z.object({ column: ColumnSchema, valueMap: optional(recordOf(RunOutcomeSchema)) }),
  z.object({ value: RunOutcomeSchema }),
])
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

/** Maps columns of a file to fields. The layout follows from the members of `measurements`, whatever its name. */
export const TabularMappingSchema = z.object({
  fields: z.object({
    serial_number: TextFieldSchema,
    part_number: optional(TextFieldSchema),
    outcome: OutcomeFieldSchema,
    started_at: TextFieldSchema,
    ended_at: TextFieldSchema,
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

/** `POST /v2/imports/tabular`: one run from a CSV file. */
export const ImportTabularRequestSchema = z
  .object({
    upload_id: z.string().min(1),
    procedure_id: IdentifierSchema,
    mapping: optional(TabularMappingSchema),
    template_id: optional(TextSchema).meta({
      description: 'A mapping that is kept; this service keeps none, so every id is unknown',
    }),
  })
  .refine(({ mapping, template_id }) => (mapping === undefined) !== (template_id === undefined), {
    path: ['mapping'],
    message: 'must be sent, and template_id must not',
  })
export type ImportTabularRequest = z.output<typeof ImportTabularRequestSchema>

export const ImportTabularResponseSchema = z.object({
  id: z.string(),
  file_import_id: z.string().meta({ description: 'The upload, which is linked to the run' }),
  url: z.string().optional(),
  warnings: z.array(z.string()).optional(),
})
export type ImportTabularResponse = z.output<typeof ImportTabularResponseSchema>
