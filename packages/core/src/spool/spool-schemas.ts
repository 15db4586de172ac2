import { CreateRunAnswerSchema, type CreateRunRequest } from '@runledger/protocol'
import * as z from 'zod'
import { SPOOL_VERSION } from './spool-entry'
import { StrangeEntryError } from './spool-error'
import { parseJson } from '../util/parse-json'
import type { StoredContext, StoredSuite } from './suite-part'

/** What lies in a spool, checked when it is read; writing needs none of it, so that zod is loaded only for reading. */

/** Name of a file in an entry's folder of kept bytes: never a path. */
const KeptFileNameSchema = z.string().regex(/^[\w-]{1,80}(\.[\w-]{1,20})?$/)

const attachmentFields = {
  name: z.string().min(1),
  contentType: z.string().min(1),
  sizeBytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
}
const SpooledAttachmentSchema = z.union([
  /** Where the bytes are kept. */
  z.object({ ...attachmentFields, file: KeptFileNameSchema }),
  /** The bytes themselves, in UTF-8; `inline`: they go with the creation of the run, unless the journal says otherwise. */
  z.object({ ...attachmentFields, text: z.string(), inline: z.literal(true).optional() }),
])
export type SpooledAttachment = z.output<typeof SpooledAttachmentSchema>

const REQUEST_SHAPE = z.looseObject({
  procedure_id: z.string(),
  unit_under_test: z.looseObject({ serial_number: z.string() }),
  run_passed: z.boolean(),
  report_variables: z.record(z.string(), z.string()),
})

/**
 * The creation request exactly as it was written: the same idempotency key must go with the same text, so nothing is
 * reordered, trimmed or refused here; that is the service's business.
 */
const RequestSchema = z.custom<CreateRunRequest>((value) => REQUEST_SHAPE.safeParse(value).success)

/** Where a run goes to. The address is kept without user and password, and no key is kept at all. */
const ServiceSchema = z.object({ url: z.string().min(1), createPath: z.string(), updatePath: z.string() })
export type SpooledService = z.output<typeof ServiceSchema>

const headFields = {
  version: z.literal(SPOOL_VERSION),
  /** Idempotency key of the creation, and the run's report variable `submission_id`. */
  submissionId: z.uuid(),
  createdAt: z.iso.datetime(),
  service: ServiceSchema,
  projectRoot: z.string(),
}
const SpoolHeadSchema = z.object(headFields)
export type SpoolHead = z.output<typeof SpoolHeadSchema>

/** A run that waits to be delivered: `entry.json` in its folder. What came of it since is in its journal. */
const SpoolEntrySchema = z.object({
  ...headFields,
  request: RequestSchema,
  attachments: z.array(SpooledAttachmentSchema),
})
export type SpoolEntry = z.output<typeof SpoolEntrySchema>

const STORED_SUITE_SHAPE = z.looseObject({
  project: z.string(),
  file: z.string(),
  startedAtMs: z.number(),
  durationMs: z.number(),
  outcome: z.enum(['passed', 'failed']),
  tests: z.array(z.looseObject({ attempts: z.array(z.looseObject({ attachments: z.array(z.unknown()) })) })),
  problems: z.array(z.unknown()),
  output: z.array(z.unknown()),
  attachments: z.array(z.unknown()),
})

const CONTEXT_SHAPE = z.looseObject({
  facts: z.looseObject({ framework: z.string(), frameworkVersion: z.string() }),
  procedureId: z.string(),
  unit: z.looseObject({ serial_number: z.string() }),
  submissionId: z.string(),
})

/** One suite of a run that several suites share, with all that is needed to make the run of those there are. */
const SuitePartSchema = SpoolHeadSchema.extend({
  source: z.object({ project: z.string(), file: z.string(), namesFiles: z.boolean() }),
  context: z.custom<StoredContext>((value) => CONTEXT_SHAPE.safeParse(value).success),
  suite: z.custom<StoredSuite>((value) => STORED_SUITE_SHAPE.safeParse(value).success),
})
export type SuitePart = z.output<typeof SuitePartSchema>

const ProgressEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('created'), answer: CreateRunAnswerSchema }),
  /** Before the run is created without attachments that could have gone with it. */
  z.object({ event: z.literal('apart') }),
  z.object({
    event: z.literal('received'),
    attachment: z.string(),
    id: z.string().min(1),
    /** Of one that was sent while the run could still change: the id is only for these bytes. */
    sha256: z.string().optional(),
  }),
  z.object({ event: z.literal('forgotten'), attachments: z.array(z.string()) }),
  z.object({ event: z.literal('linked'), attachments: z.array(z.string()) }),
  z.object({
    event: z.literal('failed'),
    message: z.string(),
    isRefused: z.boolean(),
    statusCode: z.int().optional(),
    at: z.string(),
  }),
])

/** One thing that happened to a run on its way. */
export type ProgressEvent = z.output<typeof ProgressEventSchema>

/** @throws StrangeEntryError */
export function parseEntry(text: string): SpoolEntry {
  const parsed = SpoolEntrySchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw new StrangeEntryError('its entry.json is cut, or of another program or version')
}

const SheetNoteSchema = z.looseObject({ of: z.uuid(), event: z.string() })

/** One line of an execution's sheet: a run, or a note on one; undefined for a line that is cut or strange. */
export function parseSheetLine(
  line: string,
): { kind: 'run' | 'done' | 'event'; submissionId: string } | undefined {
  const found = parseJson(line)
  const entry = SpoolEntrySchema.safeParse(found).data
  if (entry) return { kind: 'run', submissionId: entry.submissionId }
  const note = SheetNoteSchema.safeParse(found).data
  return note && { kind: note.event === 'done' ? 'done' : 'event', submissionId: note.of }
}

/** @throws StrangeEntryError naming the part's file */
export function parsePart(text: string, name: string): SuitePart {
  const parsed = SuitePartSchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw new StrangeEntryError(`its part ${name} is cut, or of another program or version`)
}

/** Reads a journal; a line that is cut or strange counts for nothing: what it told is then done again. */
export function parseEvents(journal: string): ProgressEvent[] {
  return journal.split('\n').flatMap((line) => {
    const event = ProgressEventSchema.safeParse(parseJson(line))
    return event.success ? [event.data] : []
  })
}
