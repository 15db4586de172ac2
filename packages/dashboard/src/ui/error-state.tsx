import { RefreshCw, TriangleAlert } from 'lucide-react'
import { Button } from './button'
import { EmptyState } from './empty-state'

interface ErrorStateProps {
  title: string
  error: Error
  onRetry: () => void
  /** Whether it stands for a whole page, which then has no other heading. */
  isPage?: boolean
}

/** What could not be read, why, and a way to try again. */
export function ErrorState({ title, error, onRetry, isPage = false }: ErrorStateProps) {
  return (
    <div role="alert">
      {isPage && <h1 className="sr-only">{title}</h1>}
      <EmptyState icon={TriangleAlert} title={title}>
        <p className="max-w-prose break-words text-soft">{error.message}</p>
        <Button onClick={onRetry}>
          <RefreshCw aria-hidden className="size-4" />
          Try again
        </Button>
      </EmptyState>
    </div>
  )
}

/** Warns that the shown data may be out of date. */
export function StaleNotice({ error }: { error: Error }) {
  return (
    <p role="status" className="rounded-md bg-warn-tint px-3 py-2 text-sm text-warn">
      Could not refresh: {error.message} Trying again.
    </p>
  )
}
