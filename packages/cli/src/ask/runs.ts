import { type Client, MAX_PAGE_LIMIT, type Page, type RunListItem } from '@runledger/protocol'
import { isOneOf, type RecordFilter, toQuery } from './filter'
import { readAll } from './pages'

/** A page of runs with their report variables, newest first. */
export async function listRuns(client: Client, filter: RecordFilter): Promise<Page<RunListItem>> {
  return client.listRuns({ query: toRunsQuery(filter) })
}

/** Lists all runs with this value of a report variable. */
export function listRunsWith(client: Client, variable: string, value: string): Promise<RunListItem[]> {
  const filter = { metadata: isOneOf(variable, [value]), include_metadata: true, limit: MAX_PAGE_LIMIT }
  return readAll((cursor) => client.listRuns({ query: { ...filter, cursor } }))
}

/** The query of `GET /v2/runs`. */
export function toRunsQuery(filter: RecordFilter) {
  const query = toQuery(filter)
  const ofBranches = filter.branches?.length ? isOneOf('git_branch', filter.branches) : {}
  return {
    ...query,
    search_query: filter.search,
    metadata: { ...query.metadata, ...ofBranches },
    include_metadata: true,
  }
}

/** A report variable of a run as text; undefined where the run does not have it. */
export function readVariable({ metadata }: Pick<RunListItem, 'metadata'>, name: string): string | undefined {
  const value = metadata?.[name]
  return value === undefined || value === '' ? undefined : String(value)
}
