import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { isPassing, isSignInNeeded } from './api/api-error'
import { safeNextPath, signInLink } from './links'
import { createAppRouter } from './router'

const STALE_MS = 2_000
const MAX_RETRIES = 2

function createApp() {
  const queryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        const here = safeNextPath(router.state.location.href)
        if (isSignInNeeded(error) && here !== undefined) void router.navigate(signInLink(here))
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        refetchOnWindowFocus: true,
        retry: (count, error) => count < MAX_RETRIES && isPassing(error),
      },
    },
  })
  const router = createAppRouter({ queryClient })
  return { router, queryClient }
}

const { router, queryClient } = createApp()

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  )
}
