import type { WebhookFormat, WebhookKind } from '@runledger/protocol'

export interface WebhooksTable {
  id: number
  public_id: string
  name: string
  /** May be a secret, as those of Slack are. */
  url: string
  format: WebhookFormat
  /** JSON: a list of events, empty for all. */
  events: string
  /** 0 where `webhook_procedures` lists them. */
  all_procedures: number
  yield_below: number | null
  enabled: number
  /** When it was created or enabled, or when its events or procedures changed. Builds that were last reported before send it no messages. */
  since_us: number
  created_at_us: number
  created_by_user_id: number | null
}

export interface WebhookProceduresTable {
  webhook_id: number
  procedure_id: number
}

/** A message to a webhook: waiting with a next attempt, else delivered or failed. */
export interface WebhookDeliveriesTable {
  id: number
  public_id: string
  webhook_id: number
  /** Null for a test message. */
  procedure_id: number | null
  /** What it is about, such as a build's failing tests or a procedure's yield. */
  subject: string
  /** Counts the messages of a subject to the webhook, from 1. */
  number: number
  kind: WebhookKind
  /** JSON: the ids of all its tests. */
  test_ids: string
  /** JSON of a `WebhookMessage`. */
  message: string
  created_at_us: number
  attempts: number
  next_attempt_at_us: number | null
  delivered_at_us: number | null
  last_status: number | null
  last_error: string | null
}
