import { useState } from 'react'
import { TextField } from '../../ui/field'
import { ChangeForm } from './change-form'
import { type KeyHeaders, useChange } from './manage-context'

interface RenameFormProps {
  name: string
  change: (name: string, options: KeyHeaders) => Promise<unknown>
  opener: HTMLElement
  onClose: () => void
}

export function RenameForm({ name, change, opener, onClose }: RenameFormProps) {
  const [next, setNext] = useState(name)
  return (
    <ChangeForm
      label={`Rename ${name}`}
      word="Rename it"
      change={useChange((options) => change(next, options), onClose)}
      opener={opener}
      onCancel={onClose}
      className="border-t border-line bg-sunken"
    >
      <div className="flex">
        <TextField label="Name" value={next} onChange={setNext} maxLength={255} isFirst />
      </div>
    </ChangeForm>
  )
}
