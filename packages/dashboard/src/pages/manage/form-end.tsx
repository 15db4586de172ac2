import { Button } from '../../ui/button'
import { useHasAdminKey } from './admin-key'
import { NotDone } from './confirm-form'

interface FormEndProps {
  /** The button's word. */
  word: string
  isIncomplete?: boolean
  send: { isPending: boolean; error: Error | null }
  onCancel: () => void
}

/** The buttons of a form that makes something, and why it was refused. */
export function FormEnd({ word, isIncomplete = false, send, onCancel }: FormEndProps) {
  const mayChange = useHasAdminKey()
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button type="submit" look="primary" disabled={!mayChange || isIncomplete || send.isPending}>
        {word}
      </Button>
      <Button look="bare" onClick={onCancel}>
        Cancel
      </Button>
      {!mayChange && <span className="text-soft">Needs the key of an admin, above.</span>}
      {send.error && <NotDone error={send.error} />}
    </div>
  )
}
