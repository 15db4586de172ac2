import type { CreateRunRequest } from '@runledger/protocol'
import * as z from 'zod'
import { withoutQuery } from '../redact'

export const SPOOL_VERSION = 1

/** Name of a file in an entry's folder of kept bytes: never a path. */
const KeptFileNameSchema = z.string().regex(/^[\w-]{1,80}(\.[\w-]{1,20})?$/)

const SpooledAttachmentSchema = z.object({
  name: z.string().min(1),
  contentType: z.string().min(1),
  sizeBytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Where the bytes are kept; null when the service had acknowledged them before the entry was written. */
  file: KeptFileNameSchema.nullable(),
  /** The id under which the service had acknowledged them by then. */
  id: z.string().min(1).optional(),
})
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
export const SpoolHeadSchema = z.object(headFields)
export type SpoolHead = z.output<typeof SpoolHeadSchema>

/** A run that waits to be delivered: `entry.json` in its folder. What came of it since is in its journal. */
export const SpoolEntrySchema = z.object({
  ...headFields,
  request: RequestSchema,
  attachments: z.array(SpooledAttachmentSchema),
})
export type SpoolEntry = z.output<typeof SpoolEntrySchema>

export function createHead(
  submissionId: string,
  { service, projectRoot }: { service: SpooledService; projectRoot: string },
): SpoolHead {
  return {
    version: SPOOL_VERSION,
    submissionId,
    createdAt: new Date().toISOString(),
    service: { ...service, url: normalizeServiceUrl(service.url) },
    projectRoot,
  }
}

/** The form in which addresses of services are kept and compared: no user, no password, no slash at the end. */
export function normalizeServiceUrl(url: string): string {
  return withoutQuery(url).replace(/\/+$/, '')
}
