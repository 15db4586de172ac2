import type { RunDetail } from '@runledger/protocol'
import { queryOptions } from '@tanstack/react-query'
import { queryKeys } from './query-keys'
import { service } from './service'

const ARRIVING_MS = 10 * 60_000
const ARRIVING_REFRESH_MS = 3_000
// Download addresses expire after an hour: this keeps those of an open page fresh.
const ADDRESS_LIFE_MS = 20 * 60_000

/** A run with the time, in milliseconds since the epoch, from which its download addresses are. */
export interface RunRead {
  run: RunDetail
  addressesAtMs: number
}

/** One run. Read again every few seconds while attachments that were declared may still be on their way. */
export function runQuery(id: string) {
  return queryOptions({
    queryKey: queryKeys.run(id),
    queryFn: async ({ client, signal }): Promise<RunRead> => {
      const run = await service.getRun({ params: { id } }, { signal })
      return keepAddresses(client.getQueryData<RunRead>(queryKeys.run(id)), run, Date.now())
    },
    refetchInterval: ({ state }) =>
      state.data && isArriving(state.data.run, Date.now()) ? ARRIVING_REFRESH_MS : ADDRESS_LIFE_MS,
  })
}

/**
 * Keeps the addresses that the page shows while they are young. Each read brings newly signed ones, and a video
 * whose address changes starts again.
 */
export function keepAddresses(before: RunRead | undefined, run: RunDetail, nowMs: number): RunRead {
  if (!before || nowMs - before.addressesAtMs >= ADDRESS_LIFE_MS) return { run, addressesAtMs: nowMs }
  const known = new Map(
    before.run.attachments
      .filter(({ download_url: url }) => url !== null)
      .map(({ id, download_url, open_url }) => [id, { download_url, open_url }]),
  )
  const attachments = run.attachments.map((attachment) => ({ ...attachment, ...known.get(attachment.id) }))
  return { run: { ...run, attachments }, addressesAtMs: before.addressesAtMs }
}

/** Whether declared attachments may still arrive: some are missing, and the run is young. */
export function isArriving(run: RunDetail, nowMs: number): boolean {
  if (nowMs - Date.parse(run.created_at) > ARRIVING_MS) return false
  const arrived = new Set(run.attachments.map(({ name }) => name))
  return run.declared_attachments.some((name) => !arrived.has(name))
}
