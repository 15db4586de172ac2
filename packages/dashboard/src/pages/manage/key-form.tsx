import type { IssuedKey, KeyKind, Role } from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { proceduresQuery } from '../../api/history'
import { stationsQuery } from '../../api/manage'
import { service } from '../../api/service'
import { NumberField, SelectField, TextField } from '../../ui/field'
import { useChange } from './admin-key'
import { FormEnd } from './form-end'

const DAY_MS = 86_400_000
const MAX_DAYS = 3_650

const KINDS = [
  { value: 'project', text: 'A project, for CI' },
  { value: 'station', text: 'A station' },
  { value: 'user', text: 'Yourself' },
] as const satisfies { value: KeyKind; text: string }[]

const ROLES = [
  { value: 'viewer', text: 'Viewer: reads' },
  { value: 'member', text: 'Member: records and reads' },
  { value: 'admin', text: 'Admin: everything' },
] as const satisfies { value: Role; text: string }[]

/** `onDone` gets nothing when it is cancelled. */
export function KeyForm({ onDone }: { onDone: (issued?: IssuedKey) => void }) {
  const [kind, setKind] = useState<KeyKind>('project')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [procedure, setProcedure] = useState('')
  const [station, setStation] = useState('')
  const [days, setDays] = useState(Number.NaN)
  const issue = useChange(
    (_: undefined, key) =>
      service.createKey(
        {
          body: {
            kind,
            name,
            ...(kind === 'user' && { role }),
            ...(kind === 'project' && { procedure_id: procedure }),
            ...(kind === 'station' && { station_id: station }),
            ...(!Number.isNaN(days) && { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() }),
          },
        },
        key,
      ),
    onDone,
  )
  return (
    <form
      aria-label="Issue a key"
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface px-4 py-3 text-sm"
      onSubmit={(event) => {
        event.preventDefault()
        issue.mutate(undefined)
      }}
    >
      <div className="flex flex-wrap gap-3">
        <SelectField label="For" value={kind} options={KINDS} onChange={setKind} />
        {kind === 'user' && <SelectField label="Role" value={role} options={ROLES} onChange={setRole} />}
        {kind === 'project' && <ProjectField value={procedure} onChange={setProcedure} />}
        {kind === 'station' && <StationField value={station} onChange={setStation} />}
      </div>
      <div className="flex flex-wrap gap-3">
        <TextField label="Name, such as GitHub Actions" value={name} onChange={setName} maxLength={255} />
        <NumberField
          label="Days until it expires, if it does"
          value={days}
          onChange={setDays}
          min={1}
          max={MAX_DAYS}
        />
      </div>
      <FormEnd word="Issue it" send={issue} onCancel={() => onDone()} />
    </form>
  )
}

interface ChoiceProps {
  value: string
  onChange: (id: string) => void
}

const CHOOSE = { value: '', text: 'Choose one' }

function ProjectField({ value, onChange }: ChoiceProps) {
  const { data } = useQuery(proceduresQuery)
  const options = (data?.data ?? []).map(({ id, name }) => ({ value: id, text: name }))
  return <SelectField label="Project" value={value} options={[CHOOSE, ...options]} onChange={onChange} />
}

function StationField({ value, onChange }: ChoiceProps) {
  const { data } = useQuery(stationsQuery)
  const options = (data?.data ?? []).map(({ id, name }) => ({ value: id, text: name }))
  return <SelectField label="Station" value={value} options={[CHOOSE, ...options]} onChange={onChange} />
}
