import type { Webhook, WebhookDelivery } from '@runledger/protocol'
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
import { NotDone } from './change-form'
import { EVENT_WORDS } from './event-words'
import { useChange } from './manage-context'

const STATES: Record<WebhookDelivery['state'], { tone: Tone; word: string }> = {
  delivered: { tone: 'good', word: 'Delivered' },
  waiting: { tone: 'late', word: 'Waiting' },
  failed: { tone: 'bad', word: 'Failed' },
}

/** The messages to a webhook, with the answers of its receiver. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const read = useInfiniteQuery(deliveriesQuery(webhook.id))
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
          <Delivery key={delivery.id} webhook={webhook} delivery={delivery} />
        ))}
      </ul>
      <LoadMore read={read} word="Show older messages" />
    </div>
  )
}

function Delivery({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const { id, kind, state, next_attempt_at: next } = delivery
  const retry = useChange(() => service.retryWebhookDelivery({ params: { id: webhook.id, delivery_id: id } }))
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
      <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <Badge {...STATES[state]} />
        <span>{EVENT_WORDS[kind]}</span>
        <MinuteTime at={delivery.created_at} />
        <span className="wrap-anywhere text-soft">{describeAttempts(delivery)}</span>
        {next !== null && (
          <span className="text-soft">
            next attempt <MinuteTime at={next} />
          </span>
        )}
      </span>
      <Button disabled={!webhook.enabled || retry.isPending} onClick={() => retry.mutate()}>
        {state === 'waiting' ? 'Send now' : 'Send again'}
      </Button>
      {retry.error && <NotDone error={retry.error} />}
    </li>
  )
}

function describeAttempts({ attempts, last_status: status, last_error: error }: WebhookDelivery): string {
  const answer = [status, error].filter((each) => each !== null).join(', ')
  return attempts === 0 ? answer : `${formatCount(attempts, 'attempt')}${answer && `: ${answer}`}`
}
