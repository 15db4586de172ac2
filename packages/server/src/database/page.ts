import type { Page } from '@runledger/protocol'

/** Makes a page of up to `limit + 1` rows: the cursor is the key of the last row shown, the row after it proves more. */
export function pageFrom<Row extends { id: number }, Item>(
  rows: readonly Row[],
  limit: number,
  mapRow: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit)
  const hasMore = rows.length > limit
  return {
    data: shown.map(mapRow),
    meta: { has_more: hasMore, next_cursor: hasMore ? (shown.at(-1)?.id ?? null) : null },
  }
}
