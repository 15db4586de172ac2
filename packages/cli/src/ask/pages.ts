/** Above this number of rows, the list is assumed never to end. */
const MAX_ROWS = 200_000

interface PageBy<Cursor, Row> {
  data: Row[]
  meta: { next_cursor: Cursor | null }
}

/** Yields the rows of a list, page by page. Ends also after a page without rows, or after the page that reaches `most` rows. */
export async function* readPages<Row, Cursor extends number | string = number>(
  ask: (cursor: Cursor | undefined) => Promise<PageBy<Cursor, Row>>,
  most = MAX_ROWS,
): AsyncGenerator<Row[]> {
  let cursor: Cursor | undefined
  for (let count = 0; count < most;) {
    const { data, meta } = await ask(cursor)
    yield data
    if (meta.next_cursor === null || data.length === 0) return
    cursor = meta.next_cursor
    count += data.length
  }
}

/** The rows of all pages. */
export async function readAll<Row, Cursor extends number | string = number>(
  ...args: Parameters<typeof readPages<Row, Cursor>>
): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of readPages(...args)) rows.push(...page)
  return rows
}
