import { createRouter } from '@tanstack/react-router'
import { formatQuery, parseQuery } from './links'
import { NotFoundPage } from './pages/not-found/not-found-page'
import { PageError } from './parts/page-error'
import { type RouterContext } from './root-route'
import { routeTree } from './routes'

/** The router over the browser's address bar. */
export function createAppRouter(context: RouterContext) {
  return createRouter({
    routeTree,
    context,
    parseSearch: parseQuery,
    stringifySearch: formatQuery,
    scrollRestoration: true,
    defaultPreload: 'intent',
    defaultNotFoundComponent: NotFoundPage,
    defaultErrorComponent: PageError,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
