import type { Service } from '@runledger/core/tools'
import { RunDetailSchema, type RunDetail } from '@runledger/protocol'
import { type RecordFilter, toQuery } from '../ask/filter'

export interface RunSelection extends Pick<RecordFilter, 'group' | 'procedures' | 'since'> {
  /** Of all runs where none is named. */
  ids: readonly string[]
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

async function* listIds(
  client: Service['client'],
  { ids, ...filter }: RunSelection,
): AsyncGenerator<string[]> {
  // A named run that does not exist is an error.
  if (ids.length > 0) return yield [...ids]
  const query = { ...toQuery(filter), limit: PAGE_LENGTH, sort_by: 'created_at', sort_order: 'asc' } as const
  for (let cursor: number | undefined; ;) {
    const { data, meta } = await client.listRuns({ query: { ...query, cursor } })
    yield data.map(({ id }) => id)
    if (!meta.has_more || meta.next_cursor === null) return
    cursor = meta.next_cursor
  }
}
