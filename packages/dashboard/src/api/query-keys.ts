import type { RunFilter } from '../run-filter'

/** Every cache key of the app. */
export const queryKeys = {
  runs: (filter: RunFilter) => ['runs', filter] as const,
  newestRun: (filter: RunFilter, refreshMs: number) => ['newest-run', filter, refreshMs] as const,
  group: (group: string) => ['group', group] as const,
  build: (group: string) => ['build', group] as const,
  run: (id: string) => ['run', id] as const,
  verdicts: (asked: string, failedRuns: number) => ['verdicts', asked, failedRuns] as const,
  currentUser: () => ['current-user'] as const,
  home: () => ['home'] as const,
  search: (text: string) => ['search', text] as const,
  procedures: () => ['procedures'] as const,
  stations: () => ['stations'] as const,
  branches: (procedure: string | undefined) => ['branches', procedure] as const,
  builds: (filter: object) => ['builds', filter] as const,
  buildTests: (group: string, filter: object) => ['build-tests', group, filter] as const,
  comparison: (query: object) => ['comparison', query] as const,
  tests: (filter: object) => ['tests', filter] as const,
  test: (id: string, query?: object) => ['test', id, ...(query === undefined ? [] : [query])] as const,
  quarantine: (what?: 'live' | 'pages', filter?: object) =>
    ['quarantine', ...(what === undefined ? [] : [what, filter])] as const,
  /** The lists on the pages below `/manage`. */
  managed: (
    what?: 'keys' | 'people' | 'projects' | 'stations' | 'settings' | 'webhooks' | 'deliveries' | 'sessions',
    id?: string,
  ) => ['managed', ...(what === undefined ? [] : [what, id])] as const,
  audit: (filter: object) => ['managed', 'audit', filter] as const,
  errors: (filter: object) => ['errors', filter] as const,
  error: (fingerprint: string) => ['error', fingerprint] as const,
  allUnits: () => ['unit'] as const,
  lastRun: (station: string) => ['last-run', station] as const,
  unit: (serialNumber: string) => ['unit', serialNumber] as const,
  units: (wanted: object) => ['units', wanted] as const,
  rolledYields: (of: object) => ['rolled-yields', of] as const,
  part: (number: string) => ['part', number] as const,
  batch: (number: string) => ['batch', number] as const,
  whereUsed: (batch: string) => ['where-used', batch] as const,
  station: (id: string) => ['station', id] as const,
  line: (what: string, query: object) => ['line', what, query] as const,
  filesOrigin: (origin: string) => ['files-origin', origin] as const,
  description: () => ['description'] as const,
  attachmentText: (attachmentId: string, maxBytes: number) =>
    ['attachment-text', attachmentId, maxBytes] as const,
}
