import * as z from 'zod'
import { DurationSchema } from './duration-schema'
import { InlineAttachmentsSchema } from './resources/inline-attachment'
import { listOf, MAX_NAMED } from './list-schema'
import { optional } from './optional'
import { LenientStepSchema, StepSchema } from './step'
import { LogInputSchema, MAX_LOGS, recordedRunFields } from './resources/create-run'
import { NameSchema } from './resources/common'
import { refusing } from './refused-members'
import { IdentifierSchema, NumberTextSchema, recordOf, TextSchema, withoutNulls } from './text-schema'
import { TimestampSchema } from './time-schema'
import { SubUnitSchema, UnitUnderTestSchema } from './unit-under-test'
import { V1PhaseSchema } from './v1-phase'

const ProcedureIdSchema = IdentifierSchema.meta({
  description: 'The procedure: its identifier, such as FVT1, or its id',
  examples: ['FVT1'],
})

// Names of files that a run declares.
const MAX_DECLARED = 10_000

const runFields = {
  procedure_name: optional(NameSchema).optional().meta({
    description:
      'The procedure by its name, where the path does without procedure_id; a user creates it so when there is none',
  }),
  procedure_version: optional(NumberTextSchema).optional().meta({
    description: 'Tag of the version, created when it is new',
  }),
  unit_under_test: UnitUnderTestSchema,
  run_passed: z.boolean().meta({ description: 'Whether the run passed' }),
  started_at: optional(TimestampSchema).meta({
    description: 'Start of the run; when absent, the time of receipt less the duration',
  }),
  sub_units: optional(listOf(SubUnitSchema).max(MAX_NAMED)).meta({
    description: 'Units within the unit, each of them known',
  }),
  report_variables: optional(recordOf(TextSchema.nullable()).transform(withoutNulls)).meta({
    description: 'Names given to values of the report',
  }),
  attachments: optional(listOf(TextSchema).max(MAX_DECLARED)).meta({
    description: 'Names of the files that belong to the run; they are uploaded by themselves',
  }),
  phases: optional(listOf(V1PhaseSchema))
    .optional()
    .meta({ description: 'Phases of the procedure, after its steps' }),
  logs: optional(listOf(LogInputSchema).max(MAX_LOGS)).optional(),
  ...recordedRunFields,
  inline_attachments: optional(InlineAttachmentsSchema).meta({
    description: 'Short texts that are stored and linked with the run',
  }),
}

/** Fields with other names in `POST /v2/runs`. */
const OF_V2 = {
  outcome: 'send run_passed',
  ended_at: 'send duration',
  serial_number: 'send unit_under_test.serial_number',
  part_number: 'send unit_under_test.part_number',
  revision_number: 'send unit_under_test.revision',
  batch_number: 'send unit_under_test.batch_number',
  metadata: 'send report_variables',
}

/** Run creation on the strict path, which requires `duration` (docs/interface.md#run-creation-in-v1). */
export const CreateRunRequestSchema = refusing(
  {
    procedure_id: ProcedureIdSchema,
    ...runFields,
    duration: DurationSchema,
    steps: optional(listOf(StepSchema)),
  },
  OF_V2,
)

/** Run creation on the lenient path: `duration` defaults to `PT0S`, and a name may stand for `procedure_id`. */
export const LenientCreateRunRequestSchema = refusing(
  {
    procedure_id: optional(ProcedureIdSchema),
    ...runFields,
    duration: optional(DurationSchema).transform((duration) => duration ?? 'PT0S'),
    steps: optional(listOf(LenientStepSchema)),
  },
  OF_V2,
).refine((run) => run.procedure_id !== undefined || run.procedure_name !== undefined, {
  path: ['procedure_id'],
  message: 'is required: send it, or procedure_name',
})

export type CreateRunRequest = z.output<typeof CreateRunRequestSchema>
