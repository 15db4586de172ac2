import type { User } from '@runledger/protocol'
import { useState } from 'react'
import { service } from '../../api/service'
import { TextField } from '../../ui/field'
import { ChangeForm } from './change-form'
import { useChange } from './manage-context'

interface PersonFormProps {
  /** The person to change; a new one without. */
  person?: User
  opener: HTMLElement | undefined
  onClose: () => void
}

export function PersonForm({ person, opener, onClose }: PersonFormProps) {
  const [name, setName] = useState(person?.name ?? '')
  const [email, setEmail] = useState(person?.email ?? '')
  const change = useChange(() => {
    const body = {
      ...(name === (person?.name ?? '') ? {} : { name }),
      ...(email === person?.email ? {} : { email }),
    }
    return person
      ? service.updateUser({ params: { id: person.id }, body })
      : service.createUser({ body: { ...body, email } })
  }, onClose)
  return (
    <ChangeForm
      label={person ? `Change ${person.name ?? person.email}` : 'Add a person'}
      word={person ? 'Change it' : 'Add'}
      change={change}
      opener={opener}
      onCancel={onClose}
      className={person ? 'border-t border-line bg-sunken' : 'rounded-lg border border-line bg-surface'}
    >
      <div className="flex flex-wrap gap-3">
        <TextField label="Name" value={name} onChange={setName} maxLength={255} isOptional isFirst />
        <TextField label="E-mail" type="email" value={email} onChange={setEmail} maxLength={254} />
      </div>
    </ChangeForm>
  )
}
