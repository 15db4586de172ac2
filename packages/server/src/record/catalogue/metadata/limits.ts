import type { MetadataValue } from '@runledger/protocol'
import { variableOf } from '../../../base/config/budgets'
import type { StorageContext } from '../../../storage/context'
import { HttpError } from '../../../base/errors'
import { measureMetadata } from './store'

/** UTF-8 bytes, as `measureMetadata` counts them. */
export function sumBytes(entries: readonly (readonly [name: string, value: MetadataValue])[]): number {
  return entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name + String(value)), 0)
}

/** @throws HttpError PAYLOAD_TOO_LARGE for more than a run may have */
export function refuseLongMetadata({ config, metrics }: StorageContext, bytes: number): void {
  const { maxMetadataBytes: most } = config
  if (bytes <= most) return
  metrics.countExceeded('metadata')
  throw new HttpError(
    'PAYLOAD_TOO_LARGE',
    `The run's metadata (report variables) would have ${bytes} bytes; this service takes ${most} (${variableOf('maxMetadataBytes')}). Send long texts as attachments.`,
  )
}

/** How many records a list may show with their metadata: as many as the limit has room for, and always one. */
export async function limitByMetadata(
  context: StorageContext,
  rows: readonly { id: number }[],
  { owner, limit }: { owner: 'runs' | 'units'; limit: number },
): Promise<number> {
  const ids = rows.slice(0, limit).map(({ id }) => id)
  const measured = await measureMetadata(context.database.query, owner, ids)
  return limitByBytes(
    context,
    ids.map((id) => measured.get(id) ?? 0),
    limit,
  )
}

export function limitByItems(context: ListBudget, items: Iterable<unknown>, limit: number): number {
  const sizes = Array.from(items, (item) => Buffer.byteLength(JSON.stringify(item)))
  return limitByBytes(context, sizes, limit)
}

type ListBudget = Pick<StorageContext, 'config' | 'metrics'>

export function limitByBytes(
  { config, metrics }: ListBudget,
  sizes: readonly number[],
  limit: number,
): number {
  let bytes = 0
  const excess = sizes.findIndex((size, index) => (bytes += size) > config.maxListBytes && index > 0)
  if (excess < 0) return limit
  metrics.countExceeded('list')
  return excess
}
