import { useState } from 'react'
import { TextField } from '../../ui/field'
import { ChangeForm } from './change-form'
import { ConfirmForm } from './confirm-form'
import { useChange } from './manage-context'
import type { Form } from './managed-row'

interface RenameFormProps {
  name: string
  change: (name: string) => Promise<unknown>
  opener: HTMLElement
  onClose: () => void
}

function RenameForm({ name, change, opener, onClose }: RenameFormProps) {
  const [next, setNext] = useState(name)
  return (
    <ChangeForm
      label={`Rename ${name}`}
      word="Rename it"
      change={useChange(() => change(next), onClose)}
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

interface Changes {
  name: string
  rename: (name: string) => Promise<unknown>
  remove: () => Promise<unknown>
  /** A sentence about the effect of the deletion. */
  consequence: string
}

/** The forms of a row whose name can be changed, and that can be deleted. */
export function renameAndDelete({ name, rename, remove, consequence }: Changes): Record<string, Form> {
  return {
    Rename: (opener, onClose) => <RenameForm name={name} change={rename} opener={opener} onClose={onClose} />,
    Delete: (opener, onClose) => (
      <ConfirmForm
        verb="Delete"
        name={name}
        consequence={consequence}
        change={remove}
        opener={opener}
        onClose={onClose}
      />
    ),
  }
}
