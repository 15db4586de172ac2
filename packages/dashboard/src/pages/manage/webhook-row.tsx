import type { Webhook } from '@runledger/protocol'
import { useState } from 'react'
import { service } from '../../api/service'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { FactLine } from '../../ui/facts'
import { MinuteTime } from '../../ui/time-text'
import { NotDone } from './change-form'
import { ConfirmForm } from './confirm-form'
import { Deliveries } from './deliveries'
import { EVENT_WORDS } from './event-words'
import { useChange } from './manage-context'

export function WebhookRow({ webhook }: { webhook: Webhook }) {
  const [deleting, setDeleting] = useState<HTMLElement>()
  const [isOpen, setIsOpen] = useState(false)
  const { id, name, enabled } = webhook
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
        <WebhookButtons webhook={webhook} onTested={() => setIsOpen(true)} onDelete={setDeleting} />
      </div>
      {deleting && (
        <ConfirmForm
          verb="Delete"
          name={name}
          consequence="Its messages are deleted, too, and those that wait are not sent."
          change={() => service.deleteWebhook({ params: { id } })}
          opener={deleting}
          onClose={() => setDeleting(undefined)}
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
        {isOpen && <Deliveries webhook={webhook} />}
      </details>
    </li>
  )
}

interface WebhookButtonsProps {
  webhook: Webhook
  onTested: () => void
  onDelete: (opener: HTMLElement) => void
}

function WebhookButtons({ webhook: { id, name, enabled }, onTested, onDelete }: WebhookButtonsProps) {
  const params = { id }
  const test = useChange(() => service.testWebhook({ params }), onTested)
  const toggle = useChange(() => service.updateWebhook({ params, body: { enabled: !enabled } }))
  const start = (change: typeof test | typeof toggle) => {
    test.reset()
    toggle.reset()
    change.mutate()
  }
  const error = test.error ?? toggle.error
  return (
    <>
      <span className="flex flex-wrap gap-2">
        <Button disabled={!enabled || test.isPending} onClick={() => start(test)}>
          Send a test<span className="sr-only"> to {name}</span>
        </Button>
        <Button disabled={toggle.isPending} onClick={() => start(toggle)}>
          {enabled ? 'Disable' : 'Enable'}
          <span className="sr-only"> {name}</span>
        </Button>
        <Button onClick={({ currentTarget }) => onDelete(currentTarget)}>
          Delete<span className="sr-only"> {name}</span>
        </Button>
      </span>
      {error && <NotDone error={error} />}
    </>
  )
}

function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { url, format, events, procedures, yield_below: limit, created_at: createdAt } = webhook
  return (
    <FactLine
      facts={[
        { label: 'To', value: url },
        { label: 'As', value: format === 'slack' ? 'text for Slack' : 'signed JSON' },
        {
          label: 'About',
          value: events.length === 0 ? 'everything' : events.map((event) => EVENT_WORDS[event]).join(', '),
        },
        {
          label: 'Projects',
          value:
            procedures === null ? 'all' : procedures.map((each) => each.name).join(', ') || 'none any more',
        },
        { label: 'Yield below', value: limit ? `${Number((limit * 100).toFixed(4))} %` : undefined },
        {
          label: 'Created',
          value: (
            <>
              <MinuteTime at={createdAt} />
              {webhook.created_by !== null && ` by ${webhook.created_by}`}
            </>
          ),
        },
      ]}
    />
  )
}
