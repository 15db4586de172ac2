import type { Webhook } from '@runledger/protocol'
import { useState } from 'react'
import { service } from '../../api/service'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { FactLine } from '../../ui/facts'
import { MinuteTime } from '../../ui/time-text'
import { useChange, useHasAdminKey } from './admin-key'
import { ConfirmForm, NotDone } from './confirm-form'
import { Deliveries } from './deliveries'

export function WebhookRow({ webhook }: { webhook: Webhook }) {
  const [isDeleting, setIsDeleting] = useState(false)
  const [isOpen, setIsOpen] = useState(false)
  const { id, name, enabled } = webhook
  const remove = useChange((_: undefined, key) => service.deleteWebhook({ params: { id } }, key))
  return (
    <li aria-label={name}>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3">
        <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1">
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {enabled ? <Badge tone="good" word="Enabled" /> : <Badge tone="stopped" word="Disabled" />}
            <span className="font-medium wrap-anywhere">{name}</span>
          </span>
          <WebhookFacts webhook={webhook} />
        </div>
        <WebhookButtons
          webhook={webhook}
          onTested={() => setIsOpen(true)}
          onDelete={() => setIsDeleting(true)}
        />
      </div>
      {isDeleting && (
        <ConfirmForm
          name={name}
          word="Delete it"
          consequence="Its messages are deleted, too, and those that wait are not sent."
          send={remove}
          onCancel={() => setIsDeleting(false)}
        />
      )}
      <details
        className="border-t border-line px-4 py-2 text-sm"
        open={isOpen}
        onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      >
        <summary className="text-soft hover:text-ink">
          Messages of the last 30 days<span className="sr-only"> to {name}</span>
        </summary>
        {isOpen && <Deliveries webhookId={id} />}
      </details>
    </li>
  )
}

interface WebhookButtonsProps {
  webhook: Webhook
  onTested: () => void
  onDelete: () => void
}

function WebhookButtons({ webhook, onTested, onDelete }: WebhookButtonsProps) {
  const { id, name, enabled } = webhook
  const params = { id }
  const mayChange = useHasAdminKey()
  const test = useChange((_: undefined, key) => service.testWebhook({ params }, key), onTested)
  const toggle = useChange((_: undefined, key) =>
    service.updateWebhook({ params, body: { enabled: !enabled } }, key),
  )
  const error = test.error ?? toggle.error
  return (
    <>
      <span className="flex flex-wrap gap-2">
        <Button disabled={!mayChange || !enabled || test.isPending} onClick={() => test.mutate(undefined)}>
          Send a test<span className="sr-only"> to {name}</span>
        </Button>
        <Button disabled={!mayChange || toggle.isPending} onClick={() => toggle.mutate(undefined)}>
          {enabled ? 'Disable' : 'Enable'}
          <span className="sr-only"> {name}</span>
        </Button>
        <Button disabled={!mayChange} onClick={onDelete}>
          Delete<span className="sr-only"> {name}</span>
        </Button>
      </span>
      {error && (
        <div className="w-full text-sm">
          <NotDone error={error} />
        </div>
      )}
    </>
  )
}

function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const {
    url,
    format,
    events,
    procedures,
    yield_below: limit,
    created_at: createdAt,
    created_by: by,
  } = webhook
  return (
    <FactLine
      facts={[
        { label: 'To', value: url },
        { label: 'As', value: format === 'slack' ? 'text for Slack' : 'signed JSON' },
        { label: 'About', value: events.length === 0 ? 'everything' : events.join(', ') },
        {
          label: 'Projects',
          value:
            procedures === null ? 'all' : procedures.map((each) => each.name).join(', ') || 'none any more',
        },
        { label: 'Yield below', value: limit !== null && `${Number((limit * 100).toFixed(6))} %` },
        {
          label: 'Made',
          value: (
            <>
              <MinuteTime at={createdAt} />
              {by !== null && ` by ${by}`}
            </>
          ),
        },
      ]}
    />
  )
}
