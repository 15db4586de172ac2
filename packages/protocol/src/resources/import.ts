import * as z from 'zod'
import { listOf } from '../list-schema'
import { optional } from '../optional'
import { IdentifierSchema, NumberTextSchema } from '../text-schema'
import { TimeZoneSchema } from '../time-schema'
import { NameSchema } from './common'

const UploadIdSchema = z.string().min(1).meta({
  description: 'A file that was uploaded with the key that asks, and belongs to no run yet',
})

/** `POST /v1/import`, as every plug-in of the Python client asks; it also sends `client` and `client_version`. */
export const ImportV1RequestSchema = z.object({
  upload_id: UploadIdSchema,
  importer: z.enum(['OPENHTF']).meta({ description: 'The format of the file: JSON of OpenHTF' }),
  procedure_id: optional(IdentifierSchema).meta({
    description: 'The procedure: its identifier or its id, in place of the one that the file names',
  }),
  procedure_name: optional(NameSchema).meta({
    description: 'The procedure by its name, where neither the request nor the file has its id',
  }),
})
export type ImportV1Request = z.output<typeof ImportV1RequestSchema>

/**
 * `GET /v1/streaming`: plug-ins ask for a broker that shows a running test. There is none; the status is 200, because after a
 * 404 they report an error in every passed test.
 */
export const V1StreamingSchema = z.object({
  success: z.literal(false),
  status_code: z.literal(404),
  warnings: z.array(z.string()),
})

/** Formats of files. `WATS` is WATS's JSON format (WSJF), `WSXF` its XML format, `ATML` IEEE 1636.1. */
export const ImporterSchema = z.enum(['OPENHTF', 'WATS', 'WSXF', 'ATML', 'TESTSTAND', 'STDF', 'ATDF'])
export type Importer = z.output<typeof ImporterSchema>

const MAX_ITEMS = 100

export const ImportStructuredRequestSchema = z.object({
  items: listOf(
    z.object({
      upload_id: UploadIdSchema,
      importer: ImporterSchema,
      procedure_id: optional(IdentifierSchema).meta({
        description: 'Our addition: the procedure, in place of the one that the file names',
      }),
      part_number: optional(NumberTextSchema).meta({
        description: 'Our addition: the part of units whose part the file does not name',
      }),
      time_zone: optional(TimeZoneSchema).meta({
        description: 'Our addition: the zone of times in the file that have none; by default UTC',
      }),
    }),
  )
    .min(1)
    .max(MAX_ITEMS)
    .meta({ description: 'Files, each imported by itself: one that cannot be read stops no other' }),
})
export type ImportStructuredRequest = z.output<typeof ImportStructuredRequestSchema>

/** Runs of a file, in its order; our addition. */
export const ImportedRunsSchema = z
  .array(
    z.object({
      id: z.string(),
      url: z.string(),
      created: z.boolean().meta({ description: 'False when the run was on record already' }),
    }),
  )
  .meta({ description: 'Our addition: every run of the file, in its order' })
export type ImportedRuns = z.output<typeof ImportedRunsSchema>

export const ImportStructuredResponseSchema = z.object({
  results: z.array(
    z.object({
      upload_id: z.string(),
      success: z.boolean(),
      id: z.string().optional().meta({ description: 'The first run, when success is true' }),
      runs: ImportedRunsSchema.optional(),
      error: z.string().optional().meta({ description: 'Why there is none, when success is false' }),
      warnings: z.array(z.string()).optional(),
    }),
  ),
})
export type ImportStructuredResponse = z.output<typeof ImportStructuredResponseSchema>
