import type { Service } from '@runledger/core/tools'
import { RunDetailSchema, type RunDetail } from '@runledger/protocol'

export interface RunSelection {
  /** Of all runs where none is named. */
  ids: readonly string[]
  group?: string | undefined
  procedure?: string | undefined
  /** ISO 8601: those that began then or later. */
  since?: string | undefined
}

const PAGE_LENGTH = 100
const ASKED_AHEAD = 4

/** The runs of a selection, whole, oldest first. Pages are asked for as they are used, a few runs ahead. */
export async function* listRuns({ client }: Service, selection: RunSelection): AsyncGenerator<RunDetail> {
  const readRun = async (id: string): Promise<RunDetail> =>
    RunDetailSchema.parse(await client.getRun({ params: { id } }))
  for await (const ids of listIds(client, selection))
    for (let at = 0; at < ids.length; at += ASKED_AHEAD)
      yield* await Promise.all(ids.slice(at, at + ASKED_AHEAD).map(readRun))
}

async function* listIds(client: Service['client'], selection: RunSelection): AsyncGenerator<string[]> {
  const { ids, group, procedure, since } = selection
  // A run that is named and not there is an error, not one run less.
  if (ids.length > 0) return yield [...ids]
  const query = {
    limit: PAGE_LENGTH,
    sort_by: 'created_at' as const,
    sort_order: 'asc' as const,
    ...(group !== undefined && { metadata: { group: { in: [group] } } }),
    ...(procedure !== undefined && { procedure_ids: [procedure] }),
    ...(since !== undefined && { started_after: since }),
  }
  for (let cursor: number | undefined; ;) {
    const { data, meta } = await client.listRuns({ query: { ...query, cursor } })
    yield data.map(({ id }) => id)
    if (!meta.has_more || meta.next_cursor === null) return
    cursor = meta.next_cursor
  }
}
