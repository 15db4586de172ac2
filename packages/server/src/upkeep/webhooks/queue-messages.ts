import type { WebhookEvent } from '@runledger/protocol'
import { insertDelivery, listDeliveriesOf } from '../../record/results/webhooks/delivery-store'
import { createDelivery, parseEvents } from '../../record/results/webhooks/map'
import type { WebhookRow } from '../../record/results/webhooks/store'
import type { StorageContext } from '../../storage/context'
import { groupBy } from '../../storage/database/rows'
import type { WebhookDeliveriesTable } from '../../storage/database/schema/webhooks'
import type { Finding } from './finding'

type QueueContext = Pick<StorageContext, 'database' | 'clock' | 'nextKey'>

/** Whether the webhook is for an event of a procedure. */
function wants(webhook: WebhookRow, event: WebhookEvent, procedureId: number): boolean {
  const events = parseEvents(webhook)
  const isOfEvent = events.length === 0 || events.includes(event)
  return isOfEvent && isOfProcedure(webhook, procedureId)
}

export function isOfProcedure(
  { all_procedures: hasAll, procedures }: WebhookRow,
  procedureId: number,
): boolean {
  return hasAll === 1 || procedures.some(({ id }) => id === procedureId)
}

/**
 * Queues messages that were not queued yet. Returns false if another service queued a message of the same subject meanwhile: then
 * what is left has to be found again.
 */
export async function queueMessages(
  context: QueueContext,
  webhooks: readonly WebhookRow[],
  findings: readonly Finding[],
): Promise<boolean> {
  const deliveries = await createDeliveries(context, webhooks, findings)
  if (deliveries.length === 0) return true
  const inserted = await context.database.write(async ({ query }) => {
    let count = 0
    for (const delivery of deliveries) if (await insertDelivery(query, delivery)) count += 1
    return count
  })
  return inserted === deliveries.length
}

async function createDeliveries(
  context: QueueContext,
  webhooks: readonly WebhookRow[],
  findings: readonly Finding[],
): Promise<WebhookDeliveriesTable[]> {
  const subjects = [...new Set(findings.map(({ subject }) => subject))]
  const known = groupBy(
    await listDeliveriesOf(context.database.query, subjects),
    ({ webhook_id: id, subject }) => `${id} ${subject}`,
  )
  return findings.flatMap((finding) =>
    webhooks
      .filter((webhook) => isFor(finding, webhook))
      .flatMap((webhook): WebhookDeliveriesTable[] => {
        const { procedureId, subject } = finding
        const sent = known.get(`${webhook.id} ${subject}`) ?? []
        const message = finding.decide(webhook, sent)
        if (!message) return []
        const number = (sent.at(-1)?.number ?? 0) + 1
        const delivery = { webhook_id: webhook.id, procedure_id: procedureId, subject, number }
        return [createDelivery(context, { ...delivery, ...message })]
      }),
  )
}

function isFor({ event, procedureId, reportedAtUs = Infinity }: Finding, webhook: WebhookRow): boolean {
  return wants(webhook, event, procedureId) && reportedAtUs > webhook.since_us
}
