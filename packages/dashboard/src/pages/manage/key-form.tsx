import type { CreateKeyRequest, KeyKind, Role } from '@runledger/protocol'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { proceduresQuery } from '../../api/history'
import { peopleQuery, stationsQuery } from '../../api/manage'
import { service } from '../../api/service'
import { namePerson } from '../../parts/person'
import { addDays } from '../../parts/quarantine-entries'
import { NumberField, SelectField, TextField } from '../../ui/field'
import { ChangeForm } from './change-form'
import { useChange, useShowOnce } from './manage-context'
import { CHOOSE, ReferenceField, Unlisted } from './reference-field'

const MAX_DAYS = 3_650

const KINDS = [
  { value: 'project', text: 'A project, for CI' },
  { value: 'station', text: 'A station' },
  { value: 'user', text: 'A person' },
] as const satisfies { value: KeyKind; text: string }[]

const ROLES = [
  { value: 'viewer', text: 'Viewer: reads' },
  { value: 'member', text: 'Member: also creates and changes records' },
  { value: 'admin', text: 'Admin: also deletes and manages' },
] satisfies { value: Role; text: string }[]

/** The ids of the person, project or station. */
type Subjects = Record<KeyKind, string>

function toBody({ user, project, station }: Subjects, kind: KeyKind): Partial<CreateKeyRequest> {
  if (kind === 'user') return { user_id: user }
  return kind === 'project' ? { procedure_id: project } : { station_id: station }
}

interface KeyFormProps {
  opener: HTMLElement | undefined
  onClose: () => void
}

export function KeyForm({ opener, onClose }: KeyFormProps) {
  const showOnce = useShowOnce()
  const [name, setName] = useState('')
  const [kind, setKind] = useState<KeyKind>('project')
  const [subjects, setSubjects] = useState<Subjects>({ user: '', project: '', station: '' })
  const [role, setRole] = useState<Role>('viewer')
  const [days, setDays] = useState(Number.NaN)
  const expiry = Number.isNaN(days) ? {} : { expires_at: addDays(days) }
  const change = useChange(
    () =>
      service.createKey({
        body: { kind, name, ...toBody(subjects, kind), ...(kind === 'user' ? { role } : {}), ...expiry },
      }),
    (issued) => {
      onClose()
      showOnce({ label: `The new key "${issued.name}".`, text: issued.key })
    },
  )
  return (
    <ChangeForm
      label="Create a key"
      word="Create it"
      change={change}
      opener={opener}
      onCancel={onClose}
      className="rounded-lg border border-line bg-surface"
    >
      <div className="flex flex-wrap gap-3">
        <TextField
          label="Name, such as GitHub Actions"
          value={name}
          onChange={setName}
          maxLength={255}
          isFirst
        />
        <NumberField
          label="Days until it expires, if it does"
          value={days}
          onChange={setDays}
          min={1}
          max={MAX_DAYS}
        />
      </div>
      <div className="flex flex-wrap gap-3">
        <SelectField label="For" value={kind} options={KINDS} onChange={setKind} />
        <SubjectField
          kind={kind}
          value={subjects[kind]}
          onChange={(value) => setSubjects({ ...subjects, [kind]: value })}
        />
        {kind === 'user' && <SelectField label="Role" value={role} options={ROLES} onChange={setRole} />}
      </div>
    </ChangeForm>
  )
}

interface SubjectFieldProps {
  kind: KeyKind
  value: string
  onChange: (value: string) => void
}

function SubjectField({ kind, value, onChange }: SubjectFieldProps) {
  const projects = useQuery(proceduresQuery)
  const stations = useQuery(stationsQuery)
  const people = useQuery(peopleQuery)
  if (kind === 'user') {
    const options = (people.data ?? []).map((person) => ({ value: person.id, text: namePerson(person) }))
    return (
      <div className="min-w-0 grow basis-60">
        <SelectField label="Person" value={value} options={[CHOOSE, ...options]} onChange={onChange} />
        {people.error && <Unlisted error={people.error} />}
      </div>
    )
  }
  return kind === 'project' ? (
    <ReferenceField label="Project" first={CHOOSE} read={projects} value={value} onChange={onChange} />
  ) : (
    <ReferenceField label="Station" first={CHOOSE} read={stations} value={value} onChange={onChange} />
  )
}
