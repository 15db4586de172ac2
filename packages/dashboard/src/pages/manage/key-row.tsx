import type { KeyListItem } from '@runledger/protocol'
import { useState } from 'react'
import { service } from '../../api/service'
import { namePerson } from '../../parts/person'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { FactLine } from '../../ui/facts'
import { MinuteTime } from '../../ui/time-text'
import { useChange, useHasAdminKey } from './admin-key'
import { ConfirmForm } from './confirm-form'

type Change = 'replace' | 'revoke'

interface KeyRowProps {
  apiKey: KeyListItem
  onIssued: (key: string) => void
}

export function KeyRow({ apiKey, onIssued }: KeyRowProps) {
  const [change, setChange] = useState<Change>()
  const mayChange = useHasAdminKey()
  const { name, hint } = apiKey
  const state = findState(apiKey)
  return (
    <li aria-label={name}>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3">
        <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1">
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {state === 'valid' && <Badge tone="good" word="Valid" />}
            {state === 'expired' && <Badge tone="late" word="Expired" />}
            {state === 'revoked' && <Badge tone="stopped" word="Revoked" />}
            <span className="font-medium wrap-anywhere">{name}</span>
            <code className="text-sm text-soft">{hint}</code>
          </span>
          <KeyFacts apiKey={apiKey} />
        </div>
        {state !== 'revoked' && (
          <span className="flex flex-wrap gap-2">
            {/* The end of a person's key may end this session before the new key is copied. */}
            {apiKey.kind !== 'user' && (
              <Button disabled={!mayChange} onClick={() => setChange('replace')}>
                Replace<span className="sr-only"> {name}</span>
              </Button>
            )}
            <Button disabled={!mayChange} onClick={() => setChange('revoke')}>
              Revoke<span className="sr-only"> {name}</span>
            </Button>
          </span>
        )}
      </div>
      {change && state !== 'revoked' && (
        <ChangeForm
          key={change}
          apiKey={apiKey}
          change={change}
          onIssued={onIssued}
          onDone={() => setChange(undefined)}
        />
      )}
    </li>
  )
}

interface ChangeFormProps extends KeyRowProps {
  change: Change
  onDone: () => void
}

function ChangeForm({ apiKey, change, onIssued, onDone }: ChangeFormProps) {
  const params = { id: apiKey.id }
  const replace = useChange(
    (_: undefined, key) => service.regenerateKey({ params }, key),
    (issued) => {
      onIssued(issued.key)
      onDone()
    },
  )
  const revoke = useChange((_: undefined, key) => service.deleteKey({ params }, key), onDone)
  return change === 'replace' ? (
    <ConfirmForm
      name={apiKey.name}
      word="Replace it"
      consequence="What uses the key stops working at once, and gets the new one from you."
      send={replace}
      onCancel={onDone}
    />
  ) : (
    <ConfirmForm
      name={apiKey.name}
      word="Revoke it"
      consequence={`What uses the key stops working at once. ${
        apiKey.kind === 'user'
          ? 'Browsers that signed in with it are signed out, perhaps this one.'
          : 'Its runs stay.'
      }`}
      send={revoke}
      onCancel={onDone}
    />
  )
}

function KeyFacts({ apiKey }: { apiKey: KeyListItem }) {
  const { kind, role, station, procedure, created_by_user: owner } = apiKey
  const person = owner && namePerson(owner)
  return (
    <FactLine
      facts={[
        { label: 'Person', value: kind === 'user' && person },
        { label: 'Role', value: role },
        { label: 'Station', value: station?.name },
        { label: 'Project', value: procedure?.name },
        {
          label: 'Issued',
          value: (
            <>
              <MinuteTime at={apiKey.created_at} />
              {kind !== 'user' && person && ` by ${person}`}
            </>
          ),
        },
        {
          label: 'Last used',
          value: apiKey.last_used_at ? <MinuteTime at={apiKey.last_used_at} /> : 'never',
        },
        { label: 'Expires', value: apiKey.expires_at && <MinuteTime at={apiKey.expires_at} /> },
        { label: 'Revoked', value: apiKey.revoked_at && <MinuteTime at={apiKey.revoked_at} /> },
      ]}
    />
  )
}

function findState({ revoked_at: revoked, expires_at: end }: KeyListItem): 'valid' | 'expired' | 'revoked' {
  if (revoked !== null) return 'revoked'
  return end !== null && Date.parse(end) <= Date.now() ? 'expired' : 'valid'
}
