import { CreateRunAnswerSchema, type CreateRunAnswer } from '@runledger/protocol'
import * as z from 'zod'

/** Why something of a run is not delivered; `isRefused`: the service will not take it as it is. */
export interface DeliveryProblem {
  message: string
  isRefused: boolean
  statusCode?: number | undefined
  at: string
}

/** What the service has acknowledged of a run so far. Attachments go by their names, which are unique in a run. */
export interface Progress {
  answer: CreateRunAnswer | undefined
  /** Ids of attachments whose bytes have been received. */
  ids: Map<string, string>
  linked: Set<string>
  /** The last problem, until something gets on. */
  problem: DeliveryProblem | undefined
}

const ProgressEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('created'), answer: CreateRunAnswerSchema }),
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

export function createProgress(ids: Iterable<[string, string]> = []): Progress {
  return { answer: undefined, ids: new Map(ids), linked: new Set(), problem: undefined }
}

export function applyEvent(progress: Progress, event: ProgressEvent): void {
  switch (event.event) {
    case 'created':
      progress.answer = event.answer
      progress.problem = undefined
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

/** One line of an entry's journal. */
export function formatEvent(event: ProgressEvent): string {
  return `${JSON.stringify(event)}\n`
}

/** Reads a journal; a line that is cut or strange counts for nothing: what it told is then done again. */
export function parseEvents(journal: string): ProgressEvent[] {
  return journal.split('\n').flatMap((line) => {
    const event = ProgressEventSchema.safeParse(parseJson(line))
    return event.success ? [event.data] : []
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
