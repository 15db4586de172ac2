import { useQuery } from '@tanstack/react-query'
import { Webhook as WebhookIcon } from 'lucide-react'
import { webhooksQuery } from '../../api/manage'
import { Unread } from '../../parts/unread'
import { EmptyState } from '../../ui/empty-state'
import { StaleNotice } from '../../ui/error-state'
import { PageTitle } from '../../ui/page-title'
import { AddButton } from './add-button'
import { WebhookForm } from './webhook-form'
import { WebhookRow } from './webhook-row'

/** Every webhook with its messages, and a form for another one. */
export function Webhooks() {
  return (
    <section aria-label="Webhooks" className="flex flex-col gap-4">
      <PageTitle text="Webhooks" />
      <p className="max-w-prose text-sm text-soft">
        A webhook gets a message when a test of a default branch begins to fail, when a build is incomplete,
        or when a line leaves its limits: as text for Slack, or as signed JSON.
      </p>
      <AddButton word="Create a webhook">
        {(opener, close) => <WebhookForm opener={opener} onClose={close} />}
      </AddButton>
      <WebhookList />
    </section>
  )
}

function WebhookList() {
  const read = useQuery(webhooksQuery)
  if (!read.data) {
    return (
      <Unread
        read={read}
        label="Reading the webhooks"
        title="The webhooks could not be read"
        rows={3}
        rowClass="h-24"
      />
    )
  }
  if (read.data.data.length === 0) {
    return (
      <EmptyState icon={WebhookIcon} title="There are no webhooks">
        <p className="max-w-prose text-soft">No message is sent when a test begins to fail.</p>
      </EmptyState>
    )
  }
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {read.data.data.map((webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} />
        ))}
      </ul>
    </>
  )
}
