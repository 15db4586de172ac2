import type { SessionItem } from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { sessionsQuery } from '../../api/manage'
import { service } from '../../api/service'
import { browserName } from '../../format/browser-name'
import { PageTitle } from '../../ui/page-title'
import { MinuteTime } from '../../ui/time-text'
import { ChangeForm } from './change-form'
import { useChange } from './manage-context'
import { ManagedList } from './managed-list'
import { ManagedRow } from './managed-row'

/** Where the user is signed in. */
export function Sessions() {
  const read = useQuery(sessionsQuery)
  return (
    <section aria-label="Sessions" className="flex flex-col gap-4">
      <PageTitle text="Sessions" />
      <p className="max-w-prose text-sm text-soft">
        Browsers in which you are signed in. End those that you do not know, then revoke the key that opened
        them.
      </p>
      <ManagedList read={read} items={read.data} what="sessions" rows={3} rowClass="h-16">
        {(session) => <SessionRow key={session.id} session={session} />}
      </ManagedList>
    </section>
  )
}

function SessionRow({ session }: { session: SessionItem }) {
  const browser = browserName(session.user_agent)
  return (
    <ManagedRow
      name={session.is_current ? `${browser}, this session` : browser}
      facts={[
        { label: 'Since', value: <MinuteTime at={session.created_at} /> },
        { label: 'Until', value: <MinuteTime at={session.expires_at} /> },
        { label: 'From', value: session.address },
        { label: 'Role', value: session.role },
        { label: 'Opened by', value: describeOpener(session) },
      ]}
      forms={{
        End: (opener, onClose) => <EndForm session={session} opener={opener} onClose={onClose} />,
      }}
    />
  )
}

function describeOpener({ opened_by: openedBy, key_name: key }: SessionItem): string {
  if (openedBy === 'key') return `the key ${key ?? ''}`.trim()
  return openedBy === 'link' ? 'the link of the start' : 'the sign-in provider'
}

interface EndFormProps {
  session: SessionItem
  opener: HTMLElement
  onClose: () => void
}

function EndForm({ session: { id, is_current: isCurrent, user_agent }, opener, onClose }: EndFormProps) {
  return (
    <ChangeForm
      label={`End ${browserName(user_agent)}`}
      word="End it"
      change={useChange(() => service.deleteSession({ params: { id } }), onClose)}
      opener={opener}
      onCancel={onClose}
      className="border-t border-line bg-sunken"
    >
      <p>
        {isCurrent
          ? 'This browser is signed out at once.'
          : 'The browser is signed out at its next request, at the latest in a few seconds.'}
      </p>
    </ChangeForm>
  )
}
