import { type CreateRunRequest, type CreateRunResponse, CreateRunResponseSchema } from '@runledger/protocol'
import * as z from 'zod'

export interface RunAttachment {
  name: string
  contentType: string
  /** A text is short, and may go with the creation of its run. */
  content: string | Uint8Array | AttachedFile
}

/** `sha256`: the digest of a file that waited in the spool, checked before it is sent. */
export interface AttachedFile {
  path: string
  sizeBytes: number
  sha256?: string | undefined
}

export interface RunJournal {
  /** The run is on disk, so it can be delivered later. */
  isKept(): boolean
  /** Never throws: a failing spool must not stop the delivery. */
  note(event: ProgressEvent): void
  done(): void
}

export interface Run {
  /** Idempotency key of its creation, and its report variable `submission_id`. */
  readonly submissionId: string
  /** Immutable: every try, in any process, sends this body with the additions in `progress`. */
  readonly request: CreateRunRequest
  readonly attachments: readonly RunAttachment[]
  readonly progress: Progress
  /** An earlier delivery may have created it, so the service is asked first. */
  readonly hasWaited: boolean
  readonly journal: RunJournal
  /** Service paths of another execution that recorded it. */
  readonly paths?: ServicePaths | undefined
  /** The id of an attachment that was sent early, if that succeeded. */
  readonly findEarly?: ((attachment: RunAttachment) => Promise<string | undefined>) | undefined
  /** Attachments that could not be stored, each with the reason. */
  readonly lostAttachments?: readonly string[] | undefined
}

export interface ServicePaths {
  createPath: string
  updatePath: string
}

export function note(run: Pick<Run, 'progress' | 'journal'>, event: ProgressEvent): void {
  applyEvent(run.progress, event)
  run.journal.note(event)
}

export function isComplete({ attachments, progress }: Pick<Run, 'attachments' | 'progress'>): boolean {
  return attachments.every(({ name }) => progress.linked.has(name))
}

export function isDelivered(run: Run): boolean {
  return run.progress.response !== undefined && isComplete(run)
}

/** Which additions go with the creation: `facts` are what steps say of their tests, `all` includes short attachments. */
const AdditionsSchema = z.enum(['all', 'facts', 'none'])
export type Additions = z.output<typeof AdditionsSchema>

const attachments = z.array(z.string())

export const ProgressEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('created'), response: CreateRunResponseSchema }),
  /** Recorded before the run is created with fewer additions. */
  z.object({ type: z.literal('additions'), sent: AdditionsSchema }),
  z.object({
    type: z.literal('received'),
    attachment: z.string(),
    id: z.string().min(1),
    /** The file that was sent early; the id is only for those bytes. */
    file: z.string().optional(),
  }),
  /** The service no longer knows these ids. */
  z.object({ type: z.literal('forgotten'), attachments }),
  z.object({ type: z.literal('linked'), attachments }),
  z.object({
    type: z.literal('failed'),
    message: z.string(),
    /** The service will never accept it unchanged. */
    isRefused: z.boolean(),
    statusCode: z.int().optional(),
    at: z.string(),
  }),
])
export type ProgressEvent = z.output<typeof ProgressEventSchema>

export interface Progress {
  response: CreateRunResponse | undefined
  ids: Map<string, string>
  linked: Set<string>
  /** Fewer than all once the service has rejected some. */
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
