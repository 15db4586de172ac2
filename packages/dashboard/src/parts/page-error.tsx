import { ErrorState } from '../ui/error-state'
import { PageTitle } from '../ui/page-title'

/** Stands for a page that could not be drawn, for instance because the service answers in another version's shape. */
export function PageError({ error }: { error: unknown }) {
  const cause = error instanceof Error ? error.message : String(error)
  return (
    <>
      <PageTitle text="Error" />
      <ErrorState
        isPage
        title="This page could not be shown"
        error={
          new Error(`The service may have been updated since the page was opened. The error is: ${cause}`)
        }
        onRetry={() => globalThis.location.reload()}
      />
    </>
  )
}
