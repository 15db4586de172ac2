import { ErrorState } from '../ui/error-state'
import { PageTitle } from '../ui/page-title'

/** Stands for a page that could not be drawn, for instance because the service answers in another version's shape. */
export function PageError({ error }: { error: unknown }) {
  return (
    <>
      <PageTitle text="Error" />
      <ErrorState
        isPage
        title="This page could not be shown"
        error={error instanceof Error ? error : new Error(String(error))}
        onRetry={() => globalThis.location.reload()}
      />
    </>
  )
}
