import type * as z from 'zod'
import type { ListRunsQuerySchema, RunListPageQuery } from './run'

// No schemas here: pages load this file without them.

/** The query with which a client asks `GET /v2/runs` for the runs of a page and their report variables. */
export function selectRuns(page: Partial<RunListPageQuery>): z.input<typeof ListRunsQuerySchema> {
  return {
    limit: page.limit,
    cursor: page.cursor,
    search_query: page.q,
    outcomes: page.outcome,
    procedure_ids: page.procedure,
    serial_numbers: page.unit,
    part_numbers: page.part,
    batch_numbers: page.batch,
    created_by_station_ids: page.station,
    operated_by_ids: page.operator,
    error_fingerprints: page.error,
    started_after: page.after,
    started_before: page.before,
    metadata: toMetadataFilter(page),
    include_metadata: true,
  }
}

function toMetadataFilter({ group, branch, commit }: Partial<RunListPageQuery>) {
  const wanted = Object.entries({ group, git_branch: branch, git_commit: commit })
  const conditions = wanted.filter(([, value]) => value !== undefined)
  if (conditions.length === 0) return undefined
  return Object.fromEntries(conditions.map(([name, value]) => [name, { in: [value] }]))
}
