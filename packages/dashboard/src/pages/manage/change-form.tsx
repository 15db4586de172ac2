import { type ReactNode, useEffect } from 'react'
import { UnreachableError } from '../../api/api-error'
import { Button } from '../../ui/button'

interface ChangeFormProps {
  /** The accessible name of the form. */
  label: string
  /** The button's word. */
  word: string
  isIncomplete?: boolean
  change: { mutate: () => void; isPending: boolean; error: Error | null }
  /** The element that opened the form; it gets the focus back. */
  opener: HTMLElement | undefined
  onCancel: () => void
  children: ReactNode
  className: string
}

/** A form that changes the service. */
export function ChangeForm({
  label,
  word,
  isIncomplete = false,
  change,
  opener,
  onCancel,
  children,
  className,
}: ChangeFormProps) {
  useEffect(() => () => opener?.focus(), [opener])
  return (
    <form
      aria-label={label}
      className={`flex flex-col gap-3 px-4 py-3 text-sm ${className}`}
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate()
      }}
    >
      {children}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" look="primary" disabled={isIncomplete || change.isPending}>
          {word}
        </Button>
        <Button look="bare" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      {change.error && <NotDone error={change.error} />}
    </form>
  )
}

export function NotDone({ error }: { error: Error }) {
  return (
    <p role="alert" className="w-full text-sm text-bad">
      {error instanceof UnreachableError
        ? 'The service did not answer. The change may have been made: look at the list.'
        : `Not done: ${error.message}`}
    </p>
  )
}
