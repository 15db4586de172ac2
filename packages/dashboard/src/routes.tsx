import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { startLine, startMeasurement, startPart, startProcedure } from './api/start-reading'
import { buildLink } from './history-links'
import { parseSignInSearch } from './links'
import { manageRoutes } from './manage-routes'
import { parseLineProcedureSearch, parseLineSearch, parseMeasurementSearch } from './line-search'
import {
  parseBenchSearch,
  parseBuildListSearch,
  parseBuildSearch,
  parseCompareSearch,
  parseErrorListSearch,
  parsePartSearch,
  parseQuarantineSearch,
  parseTestFinderSearch,
  parseTestListSearch,
  parseTestSearch,
} from './page-search'
import { HomePage } from './pages/home/home-page'
import { RunListPage } from './pages/run-list/run-list-page'
import { parseStepSearch } from './pages/run/filter-steps'
import { SignInPage } from './pages/sign-in/sign-in-page'
import { rootRoute } from './root-route'
import { isGroupAlone, parseFilterSearch, parseHomeSearch } from './run-filter'

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: HomePage,
  validateSearch: parseHomeSearch,
  // Filters of runs, which stood here once.
  beforeLoad: ({ search }) => {
    const { group, outcome, q } = search
    if (group ?? outcome ?? q)
      redirect({ to: '/runs', search: { group, outcome, q }, replace: true, throw: true })
  },
})

const buildListRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/builds',
  validateSearch: parseBuildListSearch,
  component: lazyRouteComponent(() => import('./pages/build-list/build-list-page'), 'BuildListPage'),
})

const buildRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/builds/$group',
  validateSearch: parseBuildSearch,
  component: lazyRouteComponent(() => import('./pages/build/build-page'), 'BuildPage'),
})

const testListRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tests',
  validateSearch: parseTestListSearch,
  component: lazyRouteComponent(() => import('./pages/test-list/test-list-page'), 'TestListPage'),
})

const testFinderRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tests/find',
  validateSearch: parseTestFinderSearch,
  component: lazyRouteComponent(() => import('./pages/test-finder/test-finder-page'), 'TestFinderPage'),
})

const testRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tests/$id',
  validateSearch: parseTestSearch,
  component: lazyRouteComponent(() => import('./pages/test/test-page'), 'TestPage'),
})

const compareRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/compare',
  validateSearch: parseCompareSearch,
  component: lazyRouteComponent(() => import('./pages/compare/compare-page'), 'ComparePage'),
})

const errorListRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/errors',
  validateSearch: parseErrorListSearch,
  component: lazyRouteComponent(() => import('./pages/error-list/error-list-page'), 'ErrorListPage'),
})

const errorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/errors/$fingerprint',
  component: lazyRouteComponent(() => import('./pages/error/error-page'), 'ErrorPage'),
})

const quarantineRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/quarantine',
  validateSearch: parseQuarantineSearch,
  component: lazyRouteComponent(() => import('./pages/quarantine/quarantine-page'), 'QuarantinePage'),
})

const lineRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/line',
  validateSearch: parseLineSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => startLine(context.queryClient, deps),
  component: lazyRouteComponent(() => import('./pages/line/line-page'), 'LinePage'),
})

const lineProcedureRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/line/$procedure',
  validateSearch: parseLineProcedureSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps, params }) => startProcedure(context.queryClient, params.procedure, deps),
  component: lazyRouteComponent(
    () => import('./pages/line-procedure/line-procedure-page'),
    'LineProcedurePage',
  ),
})

const measurementRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/line/$procedure/measurement',
  validateSearch: parseMeasurementSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps, params }) => startMeasurement(context.queryClient, params.procedure, deps),
  component: lazyRouteComponent(() => import('./pages/measurement/measurement-page'), 'MeasurementPage'),
})

const runListRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: parseFilterSearch,
  // What the service answers as `group_url`: the page of a build.
  beforeLoad: ({ search }) => {
    if (isGroupAlone(search)) redirect({ ...buildLink(search.group), replace: true, throw: true })
  },
  component: RunListPage,
})

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$id',
  validateSearch: parseStepSearch,
  component: lazyRouteComponent(() => import('./pages/run/run-page'), 'RunPage'),
})

const unitRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/units/$serial',
  component: lazyRouteComponent(() => import('./pages/unit/unit-page'), 'UnitPage'),
})

const partRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/parts/$number',
  validateSearch: parsePartSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps, params }) => startPart(context.queryClient, params.number, deps.revision),
  component: lazyRouteComponent(() => import('./pages/part/part-page'), 'PartPage'),
})

const batchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/batches/$number',
  component: lazyRouteComponent(() => import('./pages/batch/batch-page'), 'BatchPage'),
})

const stationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/stations/$id',
  component: lazyRouteComponent(() => import('./pages/station/station-page'), 'StationPage'),
})

const benchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/station',
  validateSearch: parseBenchSearch,
  component: lazyRouteComponent(() => import('./pages/bench/bench-page'), 'BenchPage'),
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

export const routeTree = rootRoute.addChildren([
  homeRoute,
  buildListRoute,
  buildRoute,
  testListRoute,
  testFinderRoute,
  testRoute,
  compareRoute,
  errorListRoute,
  errorRoute,
  quarantineRoute,
  lineRoute,
  lineProcedureRoute,
  measurementRoute,
  runListRoute,
  runRoute,
  unitRoute,
  partRoute,
  batchRoute,
  stationRoute,
  benchRoute,
  manageRoutes,
  interfaceRoute,
  signInRoute,
])
