import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, retainSearchParams } from '@tanstack/react-router'
import { Layout } from './layout'
import { parseScope, SCOPE_KEYS, type Scope } from './page-search'
import { NotFoundPage } from './pages/not-found/not-found-page'

export interface RouterContext {
  queryClient: QueryClient
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Layout,
  notFoundComponent: NotFoundPage,
  validateSearch: parseScope,
  search: { middlewares: [retainSearchParams<Scope>([...SCOPE_KEYS])] },
})
