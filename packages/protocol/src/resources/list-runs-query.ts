import { type ListRunsQuery, ListRunsQuerySchema, type RunListPageQuery } from './run'
import { selectRuns } from './select-runs'

/** The query that `GET /v2/runs` reads for the runs of a page and their report variables. */
export function toListRunsQuery(page: Partial<RunListPageQuery>): ListRunsQuery {
  return ListRunsQuerySchema.parse(selectRuns(page))
}
