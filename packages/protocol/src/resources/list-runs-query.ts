import { type ListRunsQuery, ListRunsQuerySchema, type RunListPageQuery } from './run'
import { selectRuns } from './select-runs'

/** The query of `GET /v2/runs` for the same runs and the report variables of a page. */
export function toListRunsQuery(page: Partial<RunListPageQuery>): ListRunsQuery {
  return ListRunsQuerySchema.parse(selectRuns(page))
}
