import type { Client, ErrorListItem, Page } from '@runledger/protocol'
import { type RecordFilter, toQuery } from './filter'

/** A page of why tests failed, errors that are the same as one; the one that happened last first. */
export async function listErrors(client: Client, filter: RecordFilter): Promise<Page<ErrorListItem>> {
  return client.listErrors({ query: toErrorsQuery(filter) })
}

/** The query of `GET /v2/errors`. */
export function toErrorsQuery(filter: RecordFilter) {
  return { ...toQuery(filter), search_query: filter.search, branches: filter.branches }
}
