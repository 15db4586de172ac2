import type { KeyKind, KeyListItem } from '@runledger/protocol'
import { useState } from 'react'
import { service } from '../../api/service'
import { namePerson } from '../../parts/person'
import { Badge, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { FactLine } from '../../ui/facts'
import { MinuteTime } from '../../ui/time-text'
import { ConfirmForm } from './confirm-form'
import { useIsChanging, useShowOnce } from './manage-context'

interface Change {
  verb: 'Replace' | 'Revoke'
  opener: HTMLElement
}

const STATES: Record<'valid' | 'expired' | 'revoked', { tone: Tone; word: string }> = {
  valid: { tone: 'good', word: 'Valid' },
  expired: { tone: 'late', word: 'Expired' },
  revoked: { tone: 'stopped', word: 'Revoked' },
}

export function KeyRow({ apiKey }: { apiKey: KeyListItem }) {
  const [change, setChange] = useState<Change>()
  const { name, hint } = apiKey
  const state = findState(apiKey)
  return (
    <li aria-label={name}>
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3">
        <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1">
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge {...STATES[state]} />
            <span className="font-medium wrap-anywhere">{name}</span>
            <code className="text-sm text-soft">{hint}</code>
          </span>
          <KeyFacts apiKey={apiKey} />
        </div>
        <span className="flex flex-wrap gap-2">
          {/* Replacing a person's key may end this session before the user copies the new one. */}
          {state === 'valid' && apiKey.kind !== 'user' && (
            <ChangeButton verb="Replace" name={name} onClick={setChange} />
          )}
          {state !== 'revoked' && <ChangeButton verb="Revoke" name={name} onClick={setChange} />}
        </span>
      </div>
      {change && state !== 'revoked' && (
        <KeyChange key={change.verb} apiKey={apiKey} change={change} onClose={() => setChange(undefined)} />
      )}
    </li>
  )
}

interface ChangeButtonProps {
  verb: Change['verb']
  name: string
  onClick: (change: Change) => void
}

function ChangeButton({ verb, name, onClick }: ChangeButtonProps) {
  return (
    <Button
      disabled={useIsChanging()}
      onClick={({ currentTarget }) => onClick({ verb, opener: currentTarget })}
    >
      {verb}
      <span className="sr-only"> {name}</span>
    </Button>
  )
}

const REVOKED: Record<KeyKind, string> = {
  user: 'Browsers that signed in with it are signed out, perhaps this one.',
  station: 'The runs of the station stay. With its last key, its uploads without a run are deleted.',
  project: 'The runs of the project stay. With its last key, its uploads without a run are deleted.',
}

interface KeyChangeProps {
  apiKey: KeyListItem
  change: Change
  onClose: () => void
}

function KeyChange({ apiKey: { id, name, kind }, change: { verb, opener }, onClose }: KeyChangeProps) {
  const showOnce = useShowOnce()
  const params = { id }
  if (verb === 'Revoke') {
    return (
      <ConfirmForm
        verb={verb}
        name={name}
        consequence={`Programs with this key stop working at once. ${REVOKED[kind]}`}
        change={() => service.deleteKey({ params })}
        opener={opener}
        onClose={onClose}
      />
    )
  }
  return (
    <ConfirmForm
      verb={verb}
      name={name}
      consequence="Programs with the old key stop working at once, until you give them the new one."
      change={() => service.regenerateKey({ params })}
      opener={opener}
      onClose={(issued) => {
        onClose()
        if (issued) showOnce({ label: `The new key "${name}".`, text: issued.key })
      }}
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
          label: 'Created',
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

function findState({ revoked_at: revoked, expires_at: end }: KeyListItem): keyof typeof STATES {
  if (revoked !== null) return 'revoked'
  return end !== null && Date.parse(end) <= Date.now() ? 'expired' : 'valid'
}
