import type { CreateRunAnswer } from '@runledger/protocol'
import type { ProgressEvent } from './spool-schemas'

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
  /** Its creation goes without attachments: the service does not take them so. */
  isApart: boolean
  /** The last problem, until something gets on. */
  problem: DeliveryProblem | undefined
}

/** One thing that happened to a run on its way. */
export type { ProgressEvent } from './spool-schemas'

export function createProgress(ids: Iterable<[string, string]> = []): Progress {
  return { answer: undefined, ids: new Map(ids), linked: new Set(), isApart: false, problem: undefined }
}

export function applyEvent(progress: Progress, event: ProgressEvent): void {
  switch (event.event) {
    case 'created':
      progress.answer = event.answer
      progress.problem = undefined
      for (const { name, id } of event.answer.inline_attachments ?? []) {
        progress.ids.set(name, id)
        progress.linked.add(name)
      }
      break
    case 'apart':
      progress.isApart = true
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
