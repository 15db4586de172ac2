import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { manageLink } from './links'
import { parseAuditSearch } from './page-search'
import { rootRoute } from './root-route'

const manageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/manage',
  component: lazyRouteComponent(() => import('./pages/manage/manage-page'), 'ManagePage'),
})

const manageIndexRoute = createRoute({
  getParentRoute: () => manageRoute,
  path: '/',
  beforeLoad: () => redirect({ ...manageLink('keys'), replace: true, throw: true }),
})

const keysRoute = createRoute({
  getParentRoute: () => manageRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/manage/keys'), 'Keys'),
})

const peopleRoute = createRoute({
  getParentRoute: () => manageRoute,
  path: '/people',
  component: lazyRouteComponent(() => import('./pages/manage/people'), 'People'),
})

const projectsRoute = createRoute({
  getParentRoute: () => manageRoute,
  path: '/projects',
  component: lazyRouteComponent(() => import('./pages/manage/projects'), 'Projects'),
})

const stationsRoute = createRoute({
  getParentRoute: () => manageRoute,
  path: '/stations',
  component: lazyRouteComponent(() => import('./pages/manage/stations'), 'Stations'),
})

const settingsRoute = createRoute({
  getParentRoute: () => manageRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/manage/settings'), 'SettingsSection'),
})

const sessionsRoute = createRoute({
  getParentRoute: () => manageRoute,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./pages/manage/sessions'), 'Sessions'),
})

const webhooksRoute = createRoute({
  getParentRoute: () => manageRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./pages/manage/webhooks'), 'Webhooks'),
})

const auditRoute = createRoute({
  getParentRoute: () => manageRoute,
  path: '/audit',
  validateSearch: parseAuditSearch,
  component: lazyRouteComponent(() => import('./pages/manage/audit'), 'Audit'),
})

export const manageRoutes = manageRoute.addChildren([
  manageIndexRoute,
  keysRoute,
  peopleRoute,
  projectsRoute,
  stationsRoute,
  settingsRoute,
  sessionsRoute,
  webhooksRoute,
  auditRoute,
])
