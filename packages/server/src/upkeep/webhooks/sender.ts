import type { WebhookMessage } from '@runledger/protocol'
import { US_PER_MS, US_PER_SECOND } from '../../base/clock'
import {
  claimDelivery,
  type DueDelivery,
  endAttempt,
  failWaiting,
  listDueDeliveries,
} from '../../record/results/webhooks/delivery-store'
import { deriveWebhookSecret, signWebhook } from '../../record/results/webhooks/signature'
import { disableWebhook } from '../../record/results/webhooks/store'
import type { RecordChange } from '../../record/access/audit/record-change'
import type { StorageContext } from '../../storage/context'
import { groupBy } from '../../storage/database/rows'
import { post, type PostResult } from './post'
import { renderSlack } from './slack'

type SenderContext = Pick<StorageContext, 'database' | 'clock' | 'log'> & {
  webhookKey: string
  recordChange: RecordChange
}

export interface SenderParts {
  signal: AbortSignal
  timeoutMs?: number
  /** From 0 to 1. */
  random?: () => number
}

/** The time of one attempt, its answer included. */
const TIMEOUT_MS = 10_000
/** Nobody else sends a message for this long. A process that is killed meanwhile leaves it to be sent again. */
const CLAIM_US = 60 * US_PER_SECOND
/** Most requests to a host at once. */
const AT_ONCE = 3

const MINUTE = 60
const HOUR = 60 * MINUTE
/** Seconds before each further attempt. */
const RETRIES = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]
const JITTER = 0.1
const MAX_RETRY_AFTER_MS = 24 * HOUR * 1000

const GONE = 410

/** Sends some of the messages that are due. Returns when all were answered, or their time was over. */
export async function sendDue(context: SenderContext, parts: SenderParts): Promise<void> {
  const due = await listDueDeliveries(context.database.query, context.clock(), AT_ONCE)
  const hosts = groupBy(due, ({ url }) => new URL(url).host)
  const chosen = [...hosts.values()].flatMap((ofHost) => ofHost.slice(0, AT_ONCE))
  await Promise.all(
    chosen.map((delivery) =>
      send(context, delivery, parts).catch((error: unknown) =>
        context.log.error('Sending a message to a webhook failed', error),
      ),
    ),
  )
}

async function send(context: SenderContext, delivery: DueDelivery, parts: SenderParts): Promise<void> {
  const { clock, database } = context
  if (parts.signal.aborted) return
  const untilUs = clock() + CLAIM_US
  const isOurs = await database.write(({ query }) => claimDelivery(query, delivery, untilUs))
  if (!isOurs) return
  const result = await post({
    url: delivery.url,
    ...createRequest(context, delivery),
    timeoutMs: parts.timeoutMs ?? TIMEOUT_MS,
    signal: parts.signal,
  })
  // The receiver may have got it. It is sent again when the claim is over.
  if (parts.signal.aborted && result.status === null) return
  await recordResult(
    context,
    { ...delivery, next_attempt_at_us: untilUs },
    { ...result, random: parts.random },
  )
}

function createRequest(
  { clock, webhookKey }: SenderContext,
  { format, message, public_id: id, webhook_public_id: webhookId }: DueDelivery,
): { body: string; headers: Record<string, string> } {
  if (format === 'slack')
    return { body: JSON.stringify(renderSlack(JSON.parse(message) as WebhookMessage)), headers: {} }
  const timestampSeconds = Math.floor(clock() / US_PER_SECOND)
  const secret = deriveWebhookSecret(webhookKey, webhookId)
  return {
    body: message,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signWebhook(secret, { id, timestampSeconds, body: message }),
    },
  }
}

interface Attempt extends PostResult {
  random: SenderParts['random']
}

async function recordResult(
  { clock, database, log, recordChange }: SenderContext,
  delivery: DueDelivery,
  { status, error, retryAfterMs, random }: Attempt,
): Promise<void> {
  const nowUs = clock()
  const waitUs = findWait(delivery.attempts, { retryAfterMs, random })
  const isOver = error === undefined || status === GONE || waitUs === undefined
  await database.write(async (transaction) => {
    const { query } = transaction
    await endAttempt(query, delivery, {
      attempts: delivery.attempts + 1,
      next_attempt_at_us: isOver ? null : nowUs + waitUs,
      delivered_at_us: error === undefined ? nowUs : null,
      last_status: status,
      last_error: error ?? null,
    })
    if (status !== GONE) return
    const disabled = await disableWebhook(query, delivery.webhook_id)
    if (!disabled) return
    await failWaiting(query, delivery.webhook_id, 'the receiver answered 410, which disabled the webhook')
    await recordChange(transaction, {
      kind: 'webhook',
      id: delivery.webhook_public_id,
      name: disabled.name,
      before: { enabled: true },
      after: { enabled: false },
    })
  })
  if (status === GONE)
    log.warn('A webhook was disabled: its receiver answered 410', { webhook: delivery.webhook_public_id })
}

/** Microseconds until the next attempt; undefined after the last. */
function findWait(
  attempts: number,
  { retryAfterMs = 0, random = Math.random }: Pick<Attempt, 'retryAfterMs' | 'random'>,
): number | undefined {
  const seconds = RETRIES[attempts]
  if (seconds === undefined) return undefined
  const ownUs = seconds * (1 + JITTER * random()) * US_PER_SECOND
  return Math.round(Math.max(ownUs, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) * US_PER_MS))
}
