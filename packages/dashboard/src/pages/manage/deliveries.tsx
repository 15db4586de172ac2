import type { WebhookDelivery } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { useInfiniteQuery } from '@tanstack/react-query'
import { deliveriesQuery } from '../../api/manage'
import { service } from '../../api/service'
import { Unread } from '../../parts/unread'
import { Badge, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { StaleNotice } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'
import { MinuteTime } from '../../ui/time-text'
import { useChange, useHasAdminKey } from './admin-key'
import { NotDone } from './confirm-form'

const STATES: Record<WebhookDelivery['state'], { tone: Tone; word: string }> = {
  delivered: { tone: 'good', word: 'Delivered' },
  waiting: { tone: 'late', word: 'Waiting' },
  failed: { tone: 'bad', word: 'Failed' },
}

/** What was sent to a webhook, and what came back. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const read = useInfiniteQuery(deliveriesQuery(webhookId))
  if (!read.data) {
    return <Unread read={read} label="Reading its messages" title="Its messages could not be read" rows={3} />
  }
  const deliveries = read.data.pages.flatMap(({ data }) => data)
  if (deliveries.length === 0) return <p className="py-2 text-soft">Nothing was sent to it yet.</p>
  return (
    <div className="flex flex-col gap-2 pt-1 pb-2">
      {read.error && <StaleNotice error={read.error} />}
      <ul className="divide-y divide-line">
        {deliveries.map((delivery) => (
          <Delivery key={delivery.id} webhookId={webhookId} delivery={delivery} />
        ))}
      </ul>
      <LoadMore read={read} word="Show older messages" />
    </div>
  )
}

function Delivery({ webhookId, delivery }: { webhookId: string; delivery: WebhookDelivery }) {
  const mayChange = useHasAdminKey()
  const { id, kind, state, created_at: createdAt } = delivery
  const retry = useChange((_: undefined, key) =>
    service.retryWebhookDelivery({ params: { id: webhookId, delivery_id: id } }, key),
  )
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
      <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <Badge {...STATES[state]} />
        <code>{kind}</code>
        <MinuteTime at={createdAt} />
        <span className="wrap-anywhere text-soft">{describeAttempts(delivery)}</span>
        {delivery.next_attempt_at !== null && (
          <span className="text-soft">
            next attempt <MinuteTime at={delivery.next_attempt_at} />
          </span>
        )}
      </span>
      {state !== 'waiting' && (
        <Button disabled={!mayChange || retry.isPending} onClick={() => retry.mutate(undefined)}>
          Send again
        </Button>
      )}
      {retry.error && <NotDone error={retry.error} />}
    </li>
  )
}

function describeAttempts({ attempts, last_status: status, last_error: error }: WebhookDelivery): string {
  if (attempts === 0) return error ?? ''
  const answer = [status === null ? undefined : String(status), error].filter(Boolean).join(', ')
  return `${formatCount(attempts, 'attempt')}${answer && `: ${answer}`}`
}
