import type { ListRunsQuery, Page, RunListItem } from '@runledger/protocol'
import type { Context } from '../context'
import { pageFrom } from '../database/page'
import { mapMetadata } from '../metadata/metadata-value'
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
    ...(list.include_metadata ? { metadata: mapMetadata(metadata.get(row.id) ?? []) } : {}),
  }))
}

function groupMetadata(rows: readonly MetadataRow[]): Map<number, MetadataRow[]> {
  const byRun = new Map<number, MetadataRow[]>()
  for (const row of rows) {
    const entries = byRun.get(row.run_id)
    if (entries) entries.push(row)
    else byRun.set(row.run_id, [row])
  }
  return byRun
}

type MetadataRow = Awaited<ReturnType<typeof listMetadata>>[number]
