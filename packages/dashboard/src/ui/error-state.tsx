import { RefreshCw, TriangleAlert } from 'lucide-react'
import { Button } from './button'
import { EmptyState } from './empty-state'

/** What could not be read, why, and a way to try again. */
export function ErrorState({ title, error, onRetry }: { title: string; error: Error; onRetry: () => void }) {
  return (
    <div role="alert">
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

/** Says that what is shown may be out of date. */
export function StaleNotice({ error }: { error: Error }) {
  return (
    <p role="status" className="rounded-md bg-warn-tint px-3 py-2 text-sm text-warn">
      Could not refresh: {error.message} Trying again.
    </p>
  )
}
