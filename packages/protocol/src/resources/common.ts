import * as z from 'zod'
import { IdSchema, recordOf, TextSchema, withoutNulls } from '../text-schema'
import { RunOutcomeSchema } from './outcomes'

/** A time in responses: UTC with milliseconds, or microseconds where there are some. */
export const ReturnedTimeSchema = z.string().meta({ format: 'date-time' })

/** A duration in responses. JSON Schema's format of that name knows no fractions of a second. */
export const ReturnedDurationSchema = z
  .string()
  .meta({ description: 'ISO 8601, such as PT27M15S or PT1.234S' })

/** A sample of units that is left out of statistics, or watched by itself. */
export const SampleSchema = z.enum(['golden', 'failing', 'ignored'])
export type Sample = z.output<typeof SampleSchema>

export const LogLevelSchema = z.enum(['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'])
export type LogLevel = z.output<typeof LogLevelSchema>

export const MeasurementTypeSchema = z.enum([
  'numeric',
  'boolean',
  'string',
  'multidimensional',
  'empty',
  'json',
])
export type MeasurementType = z.output<typeof MeasurementTypeSchema>

export const MetadataValueSchema = z.union([TextSchema, z.number(), z.boolean()])
export type MetadataValue = z.output<typeof MetadataValueSchema>
export type MetadataType = 'string' | 'number' | 'boolean'

export const MAX_METADATA_KEYS = 50
const METADATA_KEY = /^[\w.:+-]+$/

/** Null removes a key, even one with forbidden characters; keys that are not named stay. */
export const MetadataChangeSchema = recordOf(MetadataValueSchema.nullable())
  .refine((metadata) => Object.keys(metadata).length <= MAX_METADATA_KEYS, {
    message: `must have at most ${MAX_METADATA_KEYS} keys`,
    abort: true,
  })
  .refine(
    (metadata) => Object.keys(metadata).every((key) => metadata[key] === null || METADATA_KEY.test(key)),
    {
      message: 'must have keys made of letters from A to Z, digits and "_ . : + -"',
    },
  )
export type MetadataChange = z.output<typeof MetadataChangeSchema>

/** `metadata` of a run or a unit as it is sent. */
export const MetadataInputSchema = MetadataChangeSchema.transform(withoutNulls)

/** `metadata` of a run or a unit as it is answered. */
export const MetadataSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

/** A user that a record names. `image`, here and below, is for clients of the preview, which insist on the key. */
export const PersonSchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  image: z.null(),
})
export type Person = z.output<typeof PersonSchema>

export const StationReferenceSchema = z.object({
  id: z.string(),
  name: z.string(),
  identifier: z.string(),
  image: z.null(),
})
export type StationReference = z.output<typeof StationReferenceSchema>

/** One of the two is null: a user or a station created the record. */
export const createdByFields = {
  created_by_user: PersonSchema.nullable(),
  created_by_station: StationReferenceSchema.nullable(),
}

export const RevisionReferenceSchema = z.object({ id: z.string(), number: z.string(), image: z.null() })

export const PartReferenceSchema = z.object({
  id: z.string(),
  number: z.string(),
  name: z.string(),
  revision: RevisionReferenceSchema,
})

export const ProcedureReferenceSchema = z.object({
  id: z.string(),
  identifier: z.string(),
  name: z.string(),
})

/** A run that a record names, and the beginning of a run itself. */
export const runReferenceFields = {
  id: z.string(),
  created_at: ReturnedTimeSchema,
  started_at: ReturnedTimeSchema,
  ended_at: ReturnedTimeSchema,
  duration: ReturnedDurationSchema,
  outcome: RunOutcomeSchema,
  procedure: ProcedureReferenceSchema,
}

export const BatchReferenceSchema = z.object({ id: z.string(), number: z.string() })
export const UnitReferenceSchema = z.object({ id: z.string(), serial_number: z.string() })

/** Id of a received attachment; empty removes the image. */
export const ImageIdSchema = z.union([IdSchema, z.literal('')])

export const NameSchema = TextSchema.trim().min(1).max(255)

export const IdResponseSchema = z.object({ id: z.string() })

export const DeletedV1ResponseSchema = z.object({ message: z.string(), id: z.string() })
