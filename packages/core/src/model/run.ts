import { type CreateRunRequest, type CreateRunResponse, CreateRunResponseSchema } from '@runledger/protocol'
import * as z from 'zod'

/** An attachment of a run as it is sent. */
export interface RunAttachment {
  /** Unique in its run. */
  name: string
  contentType: string
  /** A text is short, and may go with the creation of its run. */
  content: string | Uint8Array | AttachedFile
}

/** `sha256`: the expected digest of a file that waited in the spool; checked before it is sent. */
export interface AttachedFile {
  path: string
  sizeBytes: number
  sha256?: string | undefined
}

/** Where the progress of a run is written down. */
export interface RunJournal {
  /** The run is on disk: what is not delivered now can be delivered later. */
  isKept(): boolean
  /** Never throws: a spool that cannot be written any more is no reason to stop. */
  note(event: ProgressEvent): void
  /** The service has all of the run. */
  done(): void
}

/** A run on its way to the service. */
export interface Run {
  /** Idempotency key of its creation, and its report variable `submission_id`. */
  readonly submissionId: string
  /** Never changes: every try, in any process, sends exactly this body, with the additions that `progress` says. */
  readonly request: CreateRunRequest
  readonly attachments: readonly RunAttachment[]
  readonly progress: Progress
  /** An earlier delivery may have tried to create it: the service is asked first. */
  readonly hasWaited: boolean
  readonly journal: RunJournal
  /** The service paths of the execution that recorded it, when that was another one. */
  readonly paths?: ServicePaths | undefined
  /** The id of an attachment that was sent before the delivery; undefined when it was not, or could not be sent. */
  readonly findEarly?: ((attachment: RunAttachment) => Promise<string | undefined>) | undefined
  /** Attachments that the request names and that could not be kept, each with the reason. */
  readonly lostAttachments?: readonly string[] | undefined
}

export interface ServicePaths {
  /** Path of run creation. */
  createPath: string
  /** Path of run update with `{id}` for the run's id. */
  updatePath: string
}

/** Notes what happened to a run, in its journal too: the journal never throws. */
export function note(run: Pick<Run, 'progress' | 'journal'>, event: ProgressEvent): void {
  applyEvent(run.progress, event)
  run.journal.note(event)
}

/** True when the service has acknowledged every attachment and its link. */
export function isComplete({ attachments, progress }: Pick<Run, 'attachments' | 'progress'>): boolean {
  return attachments.every(({ name }) => progress.linked.has(name))
}

/** True when the service has acknowledged all of the run. */
export function isDelivered(run: Run): boolean {
  return run.progress.response !== undefined && isComplete(run)
}

/**
 * Which of our additions to the interface go with the creation of a run: short attachments and what steps say of their
 * tests, that alone, or none of them.
 */
const AdditionsSchema = z.enum(['all', 'facts', 'none'])
export type Additions = z.output<typeof AdditionsSchema>

const attachments = z.array(z.string())

/** One thing that happened to a run on its way to the service. Attachments go by their names, which are unique in a run. */
export const ProgressEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('created'), response: CreateRunResponseSchema }),
  /** Before the run is created with other additions than all of them. */
  z.object({ type: z.literal('additions'), sent: AdditionsSchema }),
  z.object({
    type: z.literal('received'),
    attachment: z.string(),
    id: z.string().min(1),
    /** The spool's file that was sent while the run could still change; the id is only for those bytes. */
    file: z.string().optional(),
  }),
  /** The service no longer knows the ids of these attachments. */
  z.object({ type: z.literal('forgotten'), attachments }),
  z.object({ type: z.literal('linked'), attachments }),
  /** Why something of a run is not delivered. */
  z.object({
    type: z.literal('failed'),
    message: z.string(),
    /** The service will not take it as it is. */
    isRefused: z.boolean(),
    statusCode: z.int().optional(),
    /** ISO 8601. */
    at: z.string(),
  }),
])
export type ProgressEvent = z.output<typeof ProgressEventSchema>

/** What the service has acknowledged of a run so far. */
export interface Progress {
  response: CreateRunResponse | undefined
  /** Ids of attachments whose bytes the service has received, by name. */
  ids: Map<string, string>
  linked: Set<string>
  /** Less than all once the service has refused some, or has not taken them. */
  additions: Additions
  /** The last problem, until the run is created. */
  problem: Extract<ProgressEvent, { type: 'failed' }> | undefined
}

export function createProgress(events: Iterable<ProgressEvent> = []): Progress {
  const progress: Progress = {
    response: undefined,
    ids: new Map(),
    linked: new Set(),
    additions: 'all',
    problem: undefined,
  }
  for (const event of events) applyEvent(progress, event)
  return progress
}

function applyEvent(progress: Progress, event: ProgressEvent): void {
  switch (event.type) {
    case 'created':
      progress.response = event.response
      progress.problem = undefined
      for (const { name, id } of event.response.inline_attachments ?? []) {
        progress.ids.set(name, id)
        progress.linked.add(name)
      }
      break
    case 'additions':
      progress.additions = event.sent
      break
    case 'received':
      progress.ids.set(event.attachment, event.id)
      break
    case 'forgotten':
      for (const name of event.attachments) progress.ids.delete(name)
      break
    case 'linked':
      for (const name of event.attachments) progress.linked.add(name)
      break
    case 'failed':
      progress.problem = event
  }
}
