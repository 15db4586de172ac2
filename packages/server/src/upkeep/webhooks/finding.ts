import type { WebhookEvent, WebhookMessage } from '@runledger/protocol'
import type { SentDelivery } from '../../record/results/webhooks/delivery-store'
import type { WebhookRow } from '../../record/results/webhooks/store'

/** The type and data of a message. */
export type MessageContent = Pick<WebhookMessage, 'type' | 'data'>

interface NewMessage {
  content: MessageContent
  testIds?: readonly string[]
}

/** An event that webhooks may get a message about. */
export interface Finding {
  event: WebhookEvent
  /** Key of the procedure. */
  procedureId: number
  /** Messages of a webhook about the same subject are numbered. */
  subject: string
  /** Only webhooks that were created or changed before this time get the message. */
  reportedAtUs?: number
  /** The message for this webhook; undefined if the earlier messages of this subject said it. */
  decide: (webhook: WebhookRow, sent: readonly SentDelivery[]) => NewMessage | undefined
}

interface State {
  /** Undefined where it cannot be said. */
  isOn: boolean | undefined
  on: MessageContent
  off: MessageContent
}

/** Sends a message when a state begins, and another at its end if the first was sent. Messages that failed for good do not count. */
export function decideState({ isOn, on, off }: State, sent: readonly SentDelivery[]): NewMessage | undefined {
  const successful = sent.filter((each) => each.delivered_at_us !== null || each.next_attempt_at_us !== null)
  const wasOn = successful.at(-1)?.kind === on.type
  if (isOn === undefined || isOn === wasOn) return undefined
  return { content: isOn ? on : off }
}
