import type { Client, ErrorListItem, Page } from '@runledger/protocol'
import { type RecordFilter, toQuery } from './filter'

/** Lists why tests failed, equal errors as one, the latest first. */
export async function listErrors(client: Client, filter: RecordFilter): Promise<Page<ErrorListItem>> {
  return client.listErrors({ query: toErrorsQuery(filter) })
}

/** The query of `GET /v2/errors`. */
export function toErrorsQuery(filter: RecordFilter) {
  return { ...toQuery(filter), search_query: filter.search, branches: filter.branches }
}
