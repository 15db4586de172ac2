import type { RunFilter } from '../run-filter'

/** Every cache key of the app. */
export const queryKeys = {
  runs: (filter: RunFilter) => ['runs', filter] as const,
  newestRun: (filter: RunFilter, refreshMs: number) => ['newest-run', filter, refreshMs] as const,
  group: (group: string) => ['group', group] as const,
  build: (group: string) => ['build', group] as const,
  groupFailures: (group: string, ids: string[]) => ['group-failures', group, ids] as const,
  run: (id: string) => ['run', id] as const,
  verdicts: (asked: string, failedRuns: number) => ['verdicts', asked, failedRuns] as const,
  description: () => ['description'] as const,
  attachmentText: (attachmentId: string, maxBytes: number) =>
    ['attachment-text', attachmentId, maxBytes] as const,
}
