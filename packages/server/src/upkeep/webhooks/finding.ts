import type { WebhookEvent, WebhookMessage } from '@runledger/protocol'
import type { SentDelivery } from '../../record/results/webhooks/delivery-store'
import type { WebhookRow } from '../../record/results/webhooks/store'

/** The type and data of a message. */
export type MessageContent = Pick<WebhookMessage, 'type' | 'data'>

interface NewMessage {
  content: MessageContent
  testIds?: readonly string[]
}

/** What may be told to webhooks. */
export interface Finding {
  event: WebhookEvent
  /** Key of the procedure. */
  procedureId: number
  /** Counts the messages: each webhook has its own about the same subject. */
  subject: string
  /** Only webhooks that began before are told. */
  reportedAtUs?: number
  /** What is new to this webhook, after the messages of this subject that it was sent. */
  decide: (webhook: WebhookRow, sent: readonly SentDelivery[]) => NewMessage | undefined
}

interface State {
  /** Undefined where it cannot be said. */
  isOn: boolean | undefined
  on: MessageContent
  off: MessageContent
}

/** Tells a state when it begins, and its end to those who were told. Messages that failed for good told nothing. */
export function decideState({ isOn, on, off }: State, sent: readonly SentDelivery[]): NewMessage | undefined {
  const told = sent.filter((each) => each.delivered_at_us !== null || each.next_attempt_at_us !== null)
  const wasOn = told.at(-1)?.kind === on.type
  if (isOn === undefined || isOn === wasOn) return undefined
  return { content: isOn ? on : off }
}
