import { dropBidiControls } from '@runledger/presentation'
import { useState } from 'react'
import { TextField } from '../../ui/field'
import { ChangeForm } from './change-form'
import { useChange } from './manage-context'

interface ConfirmFormProps<Output> {
  /** Such as "Revoke". */
  verb: string
  /** The name that the user has to type. */
  name: string
  /** A sentence about the effect. */
  consequence: string
  change: () => Promise<Output>
  opener: HTMLElement | undefined
  onClose: (output?: Output) => void
}

/** Confirms a change that cannot be undone: the user types the name. */
export function ConfirmForm<Output>({
  verb,
  name,
  consequence,
  change,
  opener,
  onClose,
}: ConfirmFormProps<Output>) {
  const [typed, setTyped] = useState('')
  const shown = toTypable(name)
  return (
    <ChangeForm
      label={`${verb} ${name}`}
      word={`${verb} it`}
      isIncomplete={toTypable(typed) !== shown}
      change={useChange(change, onClose)}
      opener={opener}
      onCancel={() => onClose()}
      className="border-t border-line bg-sunken"
    >
      <p>{consequence}</p>
      <div className="flex">
        <TextField label={`Type "${shown}" to go on`} value={typed} onChange={setTyped} isFirst />
      </div>
    </ChangeForm>
  )
}

/** A page shows line breaks and several spaces as one space. */
function toTypable(name: string): string {
  return dropBidiControls(name).replaceAll(/\s+/g, ' ').trim()
}
