import type { ListRunsQuery, Page, RunListItem } from '@runledger/protocol'
import type { Context } from '../context'
import { pageFrom } from '../database/page'
import { mapRunHead } from './map-run-head'
import { listMetadata } from './run-head-store'
import { listRuns } from './run-list-store'

/** `GET /v2/runs`. */
export async function listRunPage({ database }: Context, list: ListRunsQuery): Promise<Page<RunListItem>> {
  const rows = await listRuns(database.query, list)
  const shownIds = list.include_metadata ? rows.slice(0, list.limit).map(({ id }) => id) : []
  const metadata = groupMetadata(await listMetadata(database.query, shownIds))
  return pageFrom(rows, list.limit, (row) => ({
    ...mapRunHead(row),
    ...(list.include_metadata ? { metadata: Object.fromEntries(metadata.get(row.id) ?? []) } : {}),
  }))
}

function groupMetadata(
  rows: { run_id: number; name: string; text_value: string }[],
): Map<number, [string, string][]> {
  const byRun = new Map<number, [string, string][]>()
  for (const { run_id, name, text_value } of rows) {
    const entries = byRun.get(run_id) ?? []
    entries.push([name, text_value])
    byRun.set(run_id, entries)
  }
  return byRun
}
