import { useQuery } from '@tanstack/react-query'
import { Webhook as WebhookIcon } from 'lucide-react'
import { webhooksQuery } from '../../api/manage'
import { EmptyState } from '../../ui/empty-state'
import { PageTitle } from '../../ui/page-title'
import { AddButton } from './add-button'
import { ManagedList } from './managed-list'
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
  return (
    <ManagedList
      read={read}
      items={read.data?.data}
      what="webhooks"
      rows={3}
      rowClass="h-24"
      empty={
        <EmptyState icon={WebhookIcon} title="There are no webhooks">
          <p className="max-w-prose text-soft">No message is sent when a test begins to fail.</p>
        </EmptyState>
      }
    >
      {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} />}
    </ManagedList>
  )
}
