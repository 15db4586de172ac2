import * as z from 'zod'
import { InlineAttachmentsSchema } from './inline-attachment'
import { TakenAttachmentsSchema } from '../responses'
import { listOf, MAX_NAMED } from '../list-schema'
import { optional } from '../optional'
import { refusing } from '../refused-members'
import { BatchNumberSchema, IdentifierSchema, NumberTextSchema, TextSchema } from '../text-schema'
import { TimestampSchema } from '../time-schema'
import { LogLevelSchema, MetadataInputSchema } from './common'
import { MeasurementInputSchema } from './measurement'
import { PhaseOutcomeSchema, RunOutcomeSchema } from './outcomes'
import { SkippedTestsSchema, testFactFields } from './test-facts'
import { OperatorSchema } from './user'

const RetryCountSchema = z.int().min(0).max(1_000_000)

export const PhaseInputSchema = z.object({
  name: TextSchema,
  outcome: PhaseOutcomeSchema,
  started_at: TimestampSchema,
  ended_at: TimestampSchema,
  docstring: optional(TextSchema),
  measurements: optional(listOf(MeasurementInputSchema)),
  retry_count: optional(RetryCountSchema),
  ...testFactFields,
})
export type PhaseInput = z.output<typeof PhaseInputSchema>

/** Most entries of the log of one run. */
export const MAX_LOGS = 100_000

export const LogInputSchema = z.object({
  level: LogLevelSchema,
  timestamp: TimestampSchema,
  message: TextSchema,
  source_file: TextSchema,
  line_number: z.int(),
})
export type LogInput = z.output<typeof LogInputSchema>

/** Fields of a run that both interfaces store alike. */
export const recordedRunFields = {
  deployment_id: optional(IdentifierSchema).optional(),
  operated_by: optional(OperatorSchema).optional().meta({
    description: 'E-mail address of the operator, a known user',
  }),
  docstring: optional(TextSchema).optional(),
  unit_metadata: optional(MetadataInputSchema)
    .optional()
    .meta({ description: 'Merged into the metadata of the unit' }),
  skipped: SkippedTestsSchema,
}

/** Fields with other names in v1. */
const OF_V1 = {
  unit_under_test: 'send serial_number, part_number, revision_number and batch_number',
  run_passed: 'send outcome',
  duration: 'send ended_at',
  steps: 'send phases',
  report_variables: 'send metadata',
  procedure_name: 'send procedure_id',
  attachments: 'upload them, and link them with PATCH /v2/runs/{id}',
}

/** `POST /v2/runs`. `procedure_id` is a procedure's UUID or its identifier, `operated_by` a user's e-mail address. */
export const CreateV2RunRequestSchema = refusing(
  {
    outcome: RunOutcomeSchema,
    procedure_id: IdentifierSchema.meta({
      description: 'The procedure: its id, or its identifier, such as FVT1',
      examples: ['FVT1'],
    }),
    started_at: TimestampSchema,
    ended_at: TimestampSchema,
    serial_number: NumberTextSchema.meta({
      description: 'Identifies the unit; a new unit is created when none matches',
      examples: ['SN-0001'],
    }),
    ...recordedRunFields,
    procedure_version: optional(NumberTextSchema).meta({
      description: 'Tag of the version, created when it is new',
    }),
    part_number: optional(NumberTextSchema).meta({
      description:
        'Needed for a new unit, unless serial numbers are parsed; a new part is created when none matches',
    }),
    revision_number: optional(NumberTextSchema).meta({
      description: 'By default the part’s default revision',
    }),
    batch_number: optional(BatchNumberSchema),
    sub_units: optional(listOf(NumberTextSchema).max(MAX_NAMED)).meta({
      description: 'Serial numbers of known units',
    }),
    phases: optional(listOf(PhaseInputSchema)),
    logs: optional(listOf(LogInputSchema).max(MAX_LOGS)),
    metadata: optional(MetadataInputSchema),
    inline_attachments: optional(InlineAttachmentsSchema).optional().meta({
      description: 'Short texts that are stored and linked with the run',
    }),
  },
  OF_V1,
)
export type CreateV2RunRequest = z.output<typeof CreateV2RunRequestSchema>

/** All but `id` are our additions, the same as in v1. */
export const CreateV2RunResponseSchema = z.object({
  id: z.string(),
  url: z.string(),
  message: z.string().optional(),
  warnings: z.array(z.string()).optional(),
  group_url: z.string().optional(),
  inline_attachments: TakenAttachmentsSchema.optional(),
})
export type CreateV2RunResponse = z.output<typeof CreateV2RunResponseSchema>
