import { type ReactNode, useEffect } from 'react'
import { Link, useLocation } from '@tanstack/react-router'
import { isSignInNeeded, UnreachableError } from '../../api/api-error'
import { signInLink } from '../../links'
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
  useEffect(
    () => () => {
      // Only if the focus was in the form: another form may have it already.
      if (document.activeElement === document.body) opener?.focus()
    },
    [opener],
  )
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
        <Button look="bare" disabled={change.isPending} onClick={onCancel}>
          Cancel
        </Button>
      </div>
      {change.error && <NotDone error={change.error} />}
    </form>
  )
}

export function NotDone({ error }: { error: Error }) {
  const { href } = useLocation()
  return (
    <p role="alert" className="w-full text-sm text-bad">
      {error instanceof UnreachableError
        ? 'The service did not answer. The change may have been made: look at the list.'
        : `Not done: ${error.message}`}{' '}
      {isSignInNeeded(error) && (
        <Link {...signInLink(href)} className="underline">
          Sign in
        </Link>
      )}
    </p>
  )
}
