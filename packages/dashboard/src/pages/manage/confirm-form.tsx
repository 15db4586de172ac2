import { useState } from 'react'
import { Button } from '../../ui/button'
import { TextField } from '../../ui/field'

interface ConfirmFormProps {
  /** What has to be typed. */
  name: string
  /** What happens, in a sentence. */
  consequence: string
  /** The button's word. */
  word: string
  send: { mutate: (input: undefined) => void; isPending: boolean; error: Error | null }
  onCancel: () => void
}

/** Asks for the name of what cannot be brought back. */
export function ConfirmForm({ name, consequence, word, send, onCancel }: ConfirmFormProps) {
  const [typed, setTyped] = useState('')
  return (
    <form
      aria-label={`${word} ${name}`}
      className="flex flex-wrap items-end gap-2 border-t border-line bg-sunken px-4 py-3 text-sm"
      onSubmit={(event) => {
        event.preventDefault()
        send.mutate(undefined)
      }}
    >
      <p className="w-full">{consequence}</p>
      <TextField label={`Type "${name}" to go on`} value={typed} onChange={setTyped} />
      <Button type="submit" look="primary" disabled={typed.trim() !== name.trim() || send.isPending}>
        {word}
      </Button>
      <Button look="bare" onClick={onCancel}>
        Cancel
      </Button>
      {send.error && <NotDone error={send.error} />}
    </form>
  )
}

export function NotDone({ error }: { error: Error }) {
  return (
    <p role="alert" className="w-full text-bad">
      Not done: {error.message}
    </p>
  )
}
