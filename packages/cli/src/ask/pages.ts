import type { Page } from '@runledger/protocol'

/** A service that lists more rows than this lists without an end. */
const MAX_ROWS = 200_000

/** The rows of a list, page by page. It ends at a page without rows, too, and after the page that has the last of the most rows. */
export async function* readPages<Row>(
  ask: (cursor: number | undefined) => Promise<Page<Row>>,
  most = MAX_ROWS,
): AsyncGenerator<Row[]> {
  let cursor: number | undefined
  for (let count = 0; count < most;) {
    const { data, meta } = await ask(cursor)
    yield data
    if (meta.next_cursor === null || data.length === 0) return
    cursor = meta.next_cursor
    count += data.length
  }
}
