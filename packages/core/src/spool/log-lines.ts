import type { CreateRunRequest, PutExecutionInput } from '@runledger/protocol'
import path from 'node:path'
import * as z from 'zod'
import { HttpUrlSchema, PathSchema } from '../config/option-table'
import { ProgressEventSchema } from '../model/run'
import { parseJson } from '../util/text'

/** The lines of an execution's log, one JSON object each; checked when they are read. */

export const LOG_VERSION = 1

/** A file name in `files/`, never a path. */
const FileNameSchema = z.string().regex(/^\d{1,9}(\.[\w-]{1,20})?$/)
const Sha256Schema = z.string().regex(/^[0-9a-f]{64}$/)
const sizeBytes = z.int().min(0)

const StoredFileSchema = z.object({ file: FileNameSchema, sizeBytes, sha256: Sha256Schema })
export type StoredFile = z.output<typeof StoredFileSchema>

const UncopiedFileSchema = z.object({
  path: z.string().min(1),
  sizeBytes,
  changedAtMs: z.number(),
  /** Not masked yet, so no other process may send it. */
  isUnmasked: z.literal(true).optional(),
})
/** A large file that is not copied yet. A `file` line follows. */
export type UncopiedFile = z.output<typeof UncopiedFileSchema>

const attachmentFields = { name: z.string().min(1), contentType: z.string().min(1) }
const LoggedAttachmentSchema = z.union([
  z.object({ ...attachmentFields, text: z.string() }),
  StoredFileSchema.extend(attachmentFields),
  UncopiedFileSchema.extend(attachmentFields),
])
export type LoggedAttachment = z.output<typeof LoggedAttachmentSchema>

/** The creation request unchanged: the same idempotency key must go with the same body. */
const RequestShape = z.looseObject({
  procedure_id: z.string(),
  unit_under_test: z.looseObject({ serial_number: z.string() }),
  run_passed: z.boolean(),
  report_variables: z.record(z.string(), z.string()),
})
const RequestSchema = z.custom<CreateRunRequest>((value) => RequestShape.safeParse(value).success)

const AbsolutePathSchema = z.string().refine(path.isAbsolute)

const ExecutionLineSchema = z.object({
  kind: z.literal('execution'),
  version: z.literal(LOG_VERSION),
  createdAt: z.iso.datetime(),
  /** The address has no user and password, and is empty if none was set; no key is stored. */
  service: z.object({
    url: z.union([z.literal(''), HttpUrlSchema]),
    createPath: PathSchema,
    updatePath: PathSchema,
    credentialsFile: AbsolutePathSchema.optional(),
  }),
  projectRoot: AbsolutePathSchema,
})
export type ExecutionLine = z.output<typeof ExecutionLineSchema>
export type LoggedService = ExecutionLine['service']

const runId = z.uuid()

export const RunLineSchema = z.object({
  kind: z.literal('run'),
  run: runId,
  finishedAt: z.iso.datetime(),
  request: RequestSchema,
  attachments: z.array(LoggedAttachmentSchema),
})
/** A later line of the same run replaces it. */
export type RunLine = z.output<typeof RunLineSchema>

/** Bounds the list that a foreign log can create. */
const MAX_SUITES = 100_000

const SuiteLineSchema = z.object({
  kind: z.literal('suite'),
  run: runId,
  finishedAt: z.iso.datetime(),
  /** A later line of the same place replaces it. */
  index: z.int().min(0).max(MAX_SUITES),
  snapshot: z.looseObject({}),
})
export type SuiteLine = z.output<typeof SuiteLineSchema>

const FileLineSchema = StoredFileSchema.extend({
  kind: z.literal('file'),
  path: z.string(),
  changedAtMs: z.number(),
})
export type FileLine = z.output<typeof FileLineSchema>

const EndRequestShape = z.looseObject({ procedure_id: z.string(), group: z.string(), ended_at: z.string() })

const ExecutionEndLineSchema = z.object({
  kind: z.literal('end'),
  execution: z.uuid(),
  request: z.custom<PutExecutionInput>((value) => EndRequestShape.safeParse(value).success),
})
/** The service is told once all runs are sent. */
export type ExecutionEndLine = z.output<typeof ExecutionEndLineSchema>

const LogLineSchema = z.discriminatedUnion('kind', [
  ExecutionLineSchema,
  SuiteLineSchema,
  RunLineSchema,
  FileLineSchema,
  ExecutionEndLineSchema,
  z.object({ kind: z.literal('event'), run: runId, event: ProgressEventSchema }),
  /** The run is delivered, or has nothing to record. */
  z.object({ kind: z.literal('done'), run: runId }),
])
export type LogLine = z.output<typeof LogLineSchema>

/** Undefined for a line of another version. */
export function parseLogLine(text: string): LogLine | undefined {
  return LogLineSchema.safeParse(parseJson(text)).data
}
