import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { Layout } from './layout'
import { formatQuery, parseQuery, parseSignInSearch } from './links'
import { NotFoundPage } from './pages/not-found/not-found-page'
import { RunListPage } from './pages/run-list/run-list-page'
import { parseStepSearch } from './pages/run/filter-steps'
import { RunPage } from './pages/run/run-page'
import { SignInPage } from './pages/sign-in/sign-in-page'
import { parseFilterSearch } from './run-filter'

const rootRoute = createRootRoute({ component: Layout, notFoundComponent: NotFoundPage })

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => redirect({ to: '/runs', search: {}, replace: true, throw: true }),
})

const runListRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: parseFilterSearch,
  component: RunListPage,
})

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$id',
  validateSearch: parseStepSearch,
  component: RunPage,
})

const interfaceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/interface',
  // Few look at it: the others need not load it.
  component: lazyRouteComponent(() => import('./pages/interface/interface-page'), 'InterfacePage'),
})

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: parseSignInSearch,
  component: SignInPage,
})

const routeTree = rootRoute.addChildren([homeRoute, runListRoute, runRoute, interfaceRoute, signInRoute])

/** The router over the browser's address bar. */
export function createAppRouter() {
  return createRouter({
    routeTree,
    parseSearch: parseQuery,
    stringifySearch: formatQuery,
    scrollRestoration: true,
    defaultNotFoundComponent: NotFoundPage,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
