import { applyEvent, createProgress, type Progress, type ProgressEvent } from '../spool/progress'
import type { RunEntry } from '../spool/run-entry'

/** Bytes of memory; with them, where they are known, the text in JSON (`quoteText`). */
export interface TextBytes {
  bytes: Uint8Array
  quoted?: Uint8Array | undefined
}

export interface DeliverableAttachment {
  /** Unique in its run. */
  name: string
  contentType: string
  sizeBytes: number
  /** What the bytes must be; checked before bytes that have waited are sent. */
  sha256?: string | undefined
  source: { path: string } | TextBytes
  /** A short text that may go with the creation of its run. */
  isInline?: boolean | undefined
}

/** A run on its way to the service: from the spool, or from memory where there is no spool to be had. */
export interface DeliverableRun {
  /** Idempotency key of its creation, and its report variable `submission_id`. */
  readonly submissionId: string
  readonly passed: boolean
  /** The creation request as JSON in UTF-8: the same at every try. */
  readonly requestJson: Uint8Array
  readonly attachments: readonly DeliverableAttachment[]
  readonly progress: Progress
  /** True when another process, or a delivery before this one, may have tried to create it: the service is asked first. */
  readonly hasWaited: boolean
  /** The id of an attachment that was sent, or begun, before the delivery; undefined where that came to nothing. */
  readonly findEarly?:
    ((attachment: DeliverableAttachment) => Promise<string | undefined> | undefined) | undefined
  /** Names of the attachments that have been asked for so: once, as the service may have dropped them since. */
  readonly askedEarly: Set<string>
  /** Where it lies in the spool. */
  readonly entry: RunEntry | undefined
  /** The paths that it was meant for, when it comes from another execution. */
  readonly paths?: ServicePaths | undefined
}

export interface ServicePaths {
  /** Path of run creation. */
  createPath: string
  /** Path of run update with `{id}` for the run's id. */
  updatePath: string
}

export type RunToDeliver = Pick<
  DeliverableRun,
  'submissionId' | 'passed' | 'requestJson' | 'attachments' | 'entry' | 'paths' | 'findEarly'
> & {
  ids?: Iterable<[string, string]>
  /** What came of it in other processes. */
  events?: readonly ProgressEvent[]
}

export function createDeliverableRun({ ids, events, ...run }: RunToDeliver): DeliverableRun {
  const progress = createProgress(ids)
  for (const event of events ?? []) if (isOf(run, event)) applyEvent(progress, event)
  return { ...run, progress, askedEarly: new Set(progress.ids.keys()), hasWaited: events !== undefined }
}

/** False for an attachment that was received while tests ran, and has changed since. */
function isOf({ attachments }: Pick<RunToDeliver, 'attachments'>, event: ProgressEvent): boolean {
  if (event.event !== 'received' || event.sha256 === undefined) return true
  return attachments.some(({ name, sha256 }) => name === event.attachment && sha256 === event.sha256)
}

/** True when the service has acknowledged every attachment and its link; `linked` are acknowledged as well. */
export function isComplete(
  { attachments, progress }: DeliverableRun,
  linked: readonly string[] = [],
): boolean {
  return attachments.every(({ name }) => progress.linked.has(name) || linked.includes(name))
}

/** Writes down what the service has acknowledged. A spool that cannot be written any more is no reason to stop. */
export async function noteProgress(run: DeliverableRun, event: ProgressEvent): Promise<void> {
  applyEvent(run.progress, event)
  await run.entry?.note(event).catch(() => undefined)
}
